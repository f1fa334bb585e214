"""What people's own files should say: what the last days' memories add to MEMORY.md and USER.md or make wrong there,
and the names and facts that IDENTITY.md and USER.md state otherwise, or not yet. Proposed as lines, or as a diff; a
file is written only when its owner asks for it, and then every line that is not part of a proposal stays as it is, to
the byte."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path

from memory_system import clock
from memory_system.disk import Files
from memory_system.errors import UsageError
from memory_system.privacy import trust
from memory_system.records import USER, Fact, Row
from memory_system.rules import table
from memory_system.store.gist import gist_of
from memory_system.text import fold
from memory_system.workspace import Workspace

MEMORY_FILE, USER_FILE, IDENTITY_FILE = "MEMORY.md", "USER.md", "IDENTITY.md"
FILE_OF = {"assistant": IDENTITY_FILE, "user": USER_FILE}
LEAST = 0.7  # importance of what is worth a line that is read every day
MOST = {MEMORY_FILE: 10_000, USER_FILE: 4_000, IDENTITY_FILE: 20_000}  # characters that a host takes of each
ALIKE = 0.8  # share of a line's words (of a memory's) that the other must hold to say the same
PASSING = ("todo", "reminder", "schedule", "general")  # what is over soon, or is no more than said once
HEADING = {"en": "## Lately learnt", "zh": "## 近来记下的"}
_LINE = re.compile(
    r"(?P<mark>\s*(?:[-*+]|\d+\.)\s+)(?P<text>.*?)(?P<rest>\s*(?:\[score=[^\]]*\]\s*)?(?:<!--.*?-->\s*)*)"
)
_TRAIT = re.compile(
    r"(?P<mark>\s*(?:[-*]\s+)?\**)(?P<label>[^*:：\n]{1,30}?)(?P<colon>\**\s*[:：]\s*\**\s*)(?P<value>[^<]*?)"
    r"(?P<rest>\s*(?:<!--.*?-->\s*)*)"
)
_HOSTS = re.compile(r"\s*<!--\s*openclaw-memory-(?:promotion|lineage)")  # the line below is the host's to change
_OBSERVED = re.compile(r"^<!-- observed: \d{4}-\d\d-\d\d", re.MULTILINE)


def proposals(ws: Workspace) -> list[dict[str, str]]:
    """For each such file that lacks one: `file`, the `line` to put there, the memory's `id`, and its `quote`."""
    texts = {name: fold(ws.files.read(ws.layout.root / name).decode(errors="replace")) for name in FILE_OF.values()}
    rows = (row for row in ws.store.rows("active", Fact) if row.get("value") and _is_said_so(row))
    return [
        {"file": file, "line": line_of(row, ws.language), "id": row["id"], "quote": _quote(row)}
        for row in rows
        if (file := _file_of(row)) and fold(trust.shown(row["value"])) not in texts[file]
    ]


def _file_of(row: Row) -> str | None:
    """The file for names, birthdays and the like of whom it is told of; None for what is no such thing."""
    return FILE_OF.get(row.get("subject", USER)) if row.get("category") == "identity" else None


def _is_said_so(row: Row) -> bool:
    """Whether somebody has said that it is so, and not that it is not."""
    return bool(row.get("evidence") and row.get("polarity", True))


def line_of(row: Row, lang: str) -> str:
    """The line in the form of such files, in the language of the workspace: `- **Name:** Juno`."""
    label = table("attributes", "attributes").get(row["attribute"], {}).get("label", {}).get(lang, row["attribute"])
    return f"- **{str(label)[:1].upper()}{str(label)[1:]}:** {trust.shown(row['value'])}"


@dataclass(slots=True)
class Draft:
    """A file as it is, its lines as they would be, and what is proposed: the `kind` (add, replace), the line `before`
    (empty for add) and `after`, and the memory that it rests on."""

    name: str
    path: Path
    before: str
    lines: list[str]
    proposals: list[dict[str, str]] = field(default_factory=list)

    @property
    def after(self) -> str:
        return "".join(self.lines)

    def replace(self, number: int, new: str, row: Row) -> None:
        """Put another line in the place of that one."""
        line = self.lines[number]
        self._propose("replace", line.strip(), new.strip(), row)
        self.lines[number] = new + line[len(line.rstrip("\r\n")) :]

    def insert(self, number: int, new: str, row: Row) -> None:
        """Put new lines there, the last of which is proposed, with the line ends of the file."""
        ending = "\r\n" if "\r\n" in self.after else "\n"
        if number and not self.lines[number - 1].endswith("\n"):
            self.lines[number - 1] += ending
        self._propose("add", "", new.strip().splitlines()[-1], row)
        self.lines[number:number] = (new.replace("\n", ending) + ending).splitlines(keepends=True)

    def _propose(self, kind: str, before: str, after: str, row: Row) -> None:
        told = {"file": self.name, "kind": kind, "before": before, "after": after}
        self.proposals.append({**told, "id": row["id"], "quote": _quote(row)})


def distill(ws: Workspace, days: int) -> list[Draft]:
    """The files that should change, by what was learnt in so many days. UsageError for a file that is no UTF-8."""
    texts = {name: text_of(ws.layout.root / name) or "" for name in MOST}
    drafts = {name: Draft(name, ws.layout.root / name, text, text.splitlines(True)) for name, text in texts.items()}
    since = clock.stamp(ws.now - timedelta(days=days))
    rows = [_as_shown(row) for row in ws.store.rows("active", Fact) if _is_said_so(row) and not row.get("outdated_by")]
    for row in sorted(rows, key=lambda row: (row.get("said_at", ""), row["id"])):
        _outdated(row, drafts[MEMORY_FILE])
        _outdated(row, drafts[USER_FILE])
        if file := _file_of(row):
            _trait(row, drafts[file], ws.language)
        elif _is_worth(row, since):
            home = USER_FILE if row.get("category") == "instruction" else MEMORY_FILE  # how to treat the owner
            _add(row, drafts[home], drafts.values(), ws)
    return [draft for draft in drafts.values() if draft.proposals]


def apply(ws: Workspace, drafts: Iterable[Draft]) -> None:
    for draft in drafts:
        overwrite(draft.path, draft.after, ws.files)


def overwrite(path: Path, text: str, files: Files) -> None:
    """Write a file of a person's; whoever may read it may read it afterwards."""
    mode = path.stat().st_mode if path.exists() else None
    files.replace(path.resolve(), text.encode())
    if mode is not None:
        path.chmod(mode)


def difference(before: str, after: str, names: tuple[str, str]) -> str:
    """As `diff -u` shows it."""
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    lines = difflib.unified_diff(old, new, *names, n=1)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def text_of(path: Path, hint: str = "save it as UTF-8 first") -> str | None:
    """The text of a file of a person's; None where it is not there, UsageError where it is no UTF-8."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no UTF-8", hint) from None


def _as_shown(row: Row) -> Row:
    """The row with the words that may stand in a file which an agent reads, on one line: no comments of a host's among
    them, which would tell it how to treat the line."""
    words = {name: trust.shown(" ".join(str(row[name]).split())) for name in ("content", "value") if row.get(name)}
    return {**row, **words}


def _is_worth(row: Row, since: str) -> bool:
    new = max(row.get("said_at", ""), row.get("updated", "")) >= since
    return new and row["importance"] >= LEAST and row.get("category") not in PASSING


def _trait(row: Row, draft: Draft, lang: str) -> None:
    """A name or the like: in the line that states it, else in a new line below the last one of that form."""
    value = row.get("value", "")
    if not value:
        return
    last = -1
    for number, found in _fitting(_TRAIT, draft.lines):
        if fold(found["label"]) in _labels(row["attribute"]):
            if fold(found["value"]) != fold(value):
                gap = "" if not found["colon"] or found["colon"][-1].isspace() or found["colon"][-1] == "：" else " "
                new = f"{found['mark']}{found['label']}{found['colon']}{gap}{value}{found['rest']}"
                draft.replace(number, new, row)
            return
        last = number if draft.lines[number].lstrip().startswith(("-", "*")) and found["value"] else last
    draft.insert(last + 1 if last >= 0 else len(draft.lines), line_of(row, lang), row)


@cache
def _labels(attribute: str) -> frozenset[str]:
    """What people call the attribute in their files."""
    label = table("attributes", "attributes").get(attribute, {}).get("label", {}).values()
    return frozenset(fold(each) for each in (attribute, *label, *table("attributes", "nouns").get(attribute, ())))


def _outdated(row: Row, draft: Draft) -> None:
    """A line that says what the memory says has changed: it gets the memory's words, and keeps its comments."""
    for past in row.get("history", ()):
        old, words = fold(past.get("value", "")), set(gist_of(past.get("content", "")).bag)
        if not old or old == fold(row.get("value", "")):
            continue
        for number, found in _fitting(_LINE, draft.lines):
            is_hosts = number and _HOSTS.match(draft.lines[number - 1])  # OpenClaw rewrites such lines itself
            if old in fold(found["text"]) and _says(found["text"], words) and not is_hosts:
                draft.replace(number, f"{found['mark']}{row['content']}{found['rest']}", row)
                return


def _says(text: str, words: set[str]) -> bool:
    """Whether most of the line's words are those."""
    bag = gist_of(text).bag
    return bool(bag) and sum(word in words for word in bag) >= ALIKE * len(bag)


def _add(row: Row, draft: Draft, others: Iterable[Draft], ws: Workspace) -> None:
    """A line of its own at the end, unless one of the files says it already or the host would cut it off."""
    words = set(gist_of(row["content"]).bag)
    if any(_is_said(row, line, words) for other in others for line in other.lines):
        return
    if _OBSERVED.search(draft.after):
        line = f"<!-- observed: {clock.day_of(row['said_at'], ws.zone)} | status: active -->\n- {row['content']}"
        line = line if not draft.lines or not draft.lines[-1].strip() else f"\n{line}"
    else:
        heading = HEADING[ws.language]
        line = f"- {row['content']}"
        if heading not in (each.strip() for each in draft.lines):
            line = f"\n{heading}\n{line}" if draft.lines else f"{heading}\n{line}"
    if len(draft.after) + len(line) + 2 <= MOST[draft.name]:
        draft.insert(len(draft.lines), line, row)


def _is_said(row: Row, line: str, words: set[str]) -> bool:
    """Whether the line says it: it holds the memory's value, or nearly all of its words."""
    value = fold(row.get("value", ""))
    held = len(words.intersection(gist_of(line).bag))
    return (len(value) > 1 and value in fold(line)) or (bool(words) and held >= ALIKE * len(words))


def _fitting(pattern: re.Pattern[str], lines: Iterable[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """The lines of that form, by number; not those in a block of code: an example, and no statement."""
    fenced = False
    for number, line in enumerate(lines):
        if not fenced and (found := pattern.fullmatch(line.rstrip("\r\n"))):
            yield number, found
        fenced ^= line.lstrip().startswith("```")


def _quote(row: Row) -> str:
    return str(row["evidence"][-1].get("quote", ""))  # a line that its owner wrote may have none
