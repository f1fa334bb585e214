"""Write the parts of the documentation that follow from the program.

    scripts/docs           rewrite config.json and all generated parts (they stand between two comments that say so)
    scripts/docs --check   change nothing; exit with 1 and name the files that are stale

Commands, options and exit codes come from the command line, config keys from the configuration, tables of rules from
the rule sets, examples of memories from the sample workspace. Nothing depends on terminal, clock or machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

import docs_examples  # noqa: E402 - after the path to the program is known
import docs_tables  # noqa: E402 - likewise
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


def wanted() -> Iterator[tuple[Path, str]]:
    """Every file that has generated parts, and how it must read."""
    yield PROJECT / "config.json", docs_tables.config_file()
    for path in (*sorted((PROJECT / "docs").glob("*.md")), *sorted(PROJECT.glob("README*.md"))):
        text = path.read_text("utf-8")
        yield path, PART.sub(lambda found: f"{found[1]}{part(found[2])}\n{found[3]}", text)


@cache
def part(name: str) -> str:
    """One generated part; KeyError for a name that has no writer."""
    return WRITERS[name]().strip("\n")


WRITERS: dict[str, Callable[[], str]] = {
    "commands": docs_tables.commands,
    "exit-codes": docs_tables.exit_codes,
    "config": docs_tables.config_keys,
    "phases": docs_tables.phases,
    "source-filter": docs_tables.source_filter,
    "secrets": docs_tables.secrets,
    "slots": docs_tables.slots,
    "categories": docs_tables.categories,
    "signals": docs_tables.signals,
    "fading": docs_tables.fading,
    "moods": docs_tables.moods,
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
