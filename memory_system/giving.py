"""What is given of a workspace, whoever asks: never a secret; what is held back where it was said, and what the owner
wants masked, only where a person asks for it (`unmasked`)."""

from __future__ import annotations

from typing import Any

import orjson

from memory_system.privacy.masks import masked, shown
from memory_system.privacy.secrets import redact
from memory_system.recall.units import Unit
from memory_system.workspace import Workspace


class Giver:
    """Hands out texts and answers of one workspace."""

    def __init__(self, ws: Workspace, *, unmasked: bool = False) -> None:
        self.unmasked = unmasked
        self._kinds = () if unmasked else ws.masked
        self._withheld = ws.quarantine.withheld()
        cursors = ws.checkpoint.state.cursors if self._withheld.by_place else {}
        self._sessions = {row["path"]: session for session, row in cursors.items()}

    def text(self, text: str, place: str = "") -> str:
        """A text of that place: a message's ref, a session's id or the name of a file."""
        text = redact(text)[0]
        if self.unmasked:
            return text
        if self._withheld.by_place and place:
            text = self._withheld.out_of(self._sessions.get(place, place), text)
        return masked(text, self._kinds)

    def message(self, unit: Unit) -> str:
        """What of a message may stand beside a memory that leans on it; nothing where something of it is held back, for
        what is left might be the rest of that."""
        held = self._withheld.holds(unit.ref, unit.text) and not self.unmasked
        return "" if held else self.text(unit.text)

    def lines(self, text: str, name: str) -> str:
        """Lines of the file of that name; those of a transcript with their characters as they are read."""
        if ".jsonl" in name and "\\u" in text and not self.unmasked:
            text = "\n".join(map(_unescaped, text.split("\n")))
        return self.text(text, name)

    def answer(self, answer: Any) -> Any:
        """An answer with its texts masked; ids and places stay as they are."""
        return shown(answer, self._kinds)


def _unescaped(line: str) -> str:
    """A line of JSON without escapes for letters, behind which nothing is found; any other line as it is."""
    try:
        return orjson.dumps(orjson.loads(line)).decode() if "\\u" in line else line
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return line
