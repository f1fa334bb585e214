"""Write the parts of the documentation that follow from the program.

    scripts/docs           rewrite config.json and all generated parts (they stand between two comments that say so)
    scripts/docs --check   change nothing; exit with 1 and name the files that are stale

Commands, options and exit codes come from the command line, config keys from the configuration, tables of rules from
the rule sets, examples of memories from the sample workspace. Pages in docs/zh get the same parts in Chinese,
by docs_zh.toml, and what has no Chinese there is named. Nothing depends on terminal, clock or machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

import docs_examples  # noqa: E402 - after the path to the program is known
import docs_tables  # noqa: E402 - likewise
import docs_words  # noqa: E402 - likewise
import gold  # noqa: E402 - likewise

PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- /generated -->)", re.DOTALL)


def main() -> None:
    checking = "--check" in sys.argv
    stale = [(path, text) for path, text in wanted() if not path.exists() or path.read_text("utf-8") != text]
    for path, text in stale:
        print(f"{'stale' if checking else 'written'}: {path.relative_to(PROJECT)}")
        if not checking:
            path.write_text(text, "utf-8")
    if checking and stale:
        sys.exit("make it anew with: scripts/docs")
    if wrong := docs_words.wrong():
        sys.exit("\n".join(wrong))


def wanted() -> Iterator[tuple[Path, str]]:
    """Every file that has generated parts, and how it must read."""
    yield PROJECT / "config.json", docs_tables.config_file()
    docs = PROJECT / "docs"
    for path in (*sorted(docs.rglob("*.md")), *sorted(PROJECT.glob("README*.md"))):
        say = docs_words.chinese if path.is_relative_to(docs / "zh") else docs_words.english
        yield path, PART.sub(partial(written, say), path.read_text("utf-8"))


def written(say: docs_words.Say, found: re.Match[str]) -> str:
    """A generated part as it must read, between its two comments."""
    return f"{found[1]}{part(found[2], say)}\n{found[3]}"


@cache
def part(name: str, say: docs_words.Say) -> str:
    """One generated part; KeyError for a name that has no writer."""
    told = SPOKEN[name](say) if name in SPOKEN else WRITERS[name]()
    return told.strip("\n")


SPOKEN: dict[str, Callable[[docs_words.Say], str]] = {  # parts with words of their own, in the page's language
    "commands": docs_tables.commands,
    "exit-codes": docs_tables.exit_codes,
    "config": docs_tables.config_keys,
    "source-filter": docs_tables.source_filter,
    "slots": docs_tables.slots,
    "categories": docs_tables.categories,
}

WRITERS: dict[str, Callable[[], str]] = {
    "phases": docs_tables.phases,
    "secrets": docs_tables.secrets,
    "fading": docs_tables.fading,
    "rooms": docs_tables.rooms,
    "fact": docs_examples.a_fact,
    "belief": docs_examples.a_belief,
    "summary": docs_examples.a_summary,
    "profile": docs_examples.a_profile,
    "first-night": docs_examples.console,
    "report": docs_examples.report,
    "dates-gold": gold.table,
}


if __name__ == "__main__":
    main()
