"""What was learnt that people's own files do not say yet: the assistant's name for IDENTITY.md, who the owner is for
USER.md. Only proposed: these files are the owner's, and nothing here writes them.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_system.privacy import trust
from memory_system.records import USER, Fact, Row
from memory_system.rules import table
from memory_system.text import fold
from memory_system.workspace import Workspace

FILE_OF = {"assistant": "IDENTITY.md", "user": "USER.md"}
CATEGORY = "identity"  # names, birthdays and the like: what such files are for


def proposals(ws: Workspace) -> list[dict[str, str]]:
    """For each such file that lacks one: `file`, the `line` to put there, the memory's `id` and the `quote` that it
    rests on."""
    texts = {name: fold(ws.files.read(ws.layout.root / name).decode(errors="replace")) for name in FILE_OF.values()}
    rows = [row for row in _identity(ws) if fold(trust.shown(row["value"])) not in texts[FILE_OF[row["subject"]]]]
    return [
        {"file": FILE_OF[row["subject"]], "line": line_of(row, ws.language), "id": row["id"], "quote": _quote(row)}
        for row in rows
    ]


def _identity(ws: Workspace) -> Iterator[Row]:
    for row in ws.store.rows("active", Fact):
        subject = row.get("subject", USER)
        if subject in FILE_OF and row.get("category") == CATEGORY and _is_stated(row):
            yield {**row, "subject": subject}


def _is_stated(row: Row) -> bool:
    """Whether somebody has said that it is so, and not that it is not."""
    return bool(row.get("value") and row.get("evidence") and row.get("polarity", True))


def _quote(row: Row) -> str:
    quote: str = row["evidence"][-1].get("quote", "")  # a line that its owner wrote may have none
    return quote


def line_of(row: Row, lang: str) -> str:
    """The line in the form of such files, in the language of the workspace: `- **Name:** Juno`."""
    label = table("attributes", "attributes").get(row["attribute"], {}).get("label", {}).get(lang, row["attribute"])
    return f"- **{str(label)[:1].upper()}{str(label)[1:]}:** {trust.shown(row['value'])}"
