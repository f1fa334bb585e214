"""Tombstones: what was forgotten stays forgotten, although transcripts still hold it. A mark says under a key which
words they were (HMACs, so that nobody can guess them), and until when: what is said again later is remembered again.
Words in which something was masked have two marks, one of them as they were written.
"""

from __future__ import annotations

import hmac
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

import orjson

from memory_system.disk import Files
from memory_system.errors import DamagedError
from memory_system.layout import Layout
from memory_system.privacy.secrets import Redaction
from memory_system.text import essence, fold, sentences

PLACEHOLDER = "[forgotten]"  # what stands in people's files where they let words be taken out
KEY_BYTES = 32
DIGEST = 16
_EDGE = re.compile(r"(?<![0-9a-z])|(?![0-9a-z])")  # where a word may begin or end


@dataclass(frozen=True, slots=True)
class Mark:
    """One tombstone. `kind`: `quote` (words of `length` characters in one message or note, whose `ref` is keyed, too),
    `name` (of `length` folded characters, wherever it stands), `session`, `span` (said in [since, until)) or `claim`
    (what a memory said). It holds for what was said until `at`."""

    kind: str
    at: str
    mac: str = ""
    ref: str = ""
    length: int = 0
    since: str = ""
    until: str = ""

    def to_line(self) -> bytes:
        return orjson.dumps({key: value for key, value in asdict(self).items() if value}) + b"\n"


class Tombstones:
    """The tombstones of one workspace. They are true (as a bool) when there are any."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.path = layout.tombstones
        self.key_path = layout.key
        self.files = files

    def __bool__(self) -> bool:
        return bool(self._marks)

    @cached_property
    def _marks(self) -> list[Mark]:
        lines = self.files.read(self.path).split(b"\n")
        try:
            return [Mark(**orjson.loads(line)) for line in lines if line.strip()]
        except (orjson.JSONDecodeError, TypeError) as error:
            raise DamagedError(f"{self.path} is damaged: {error}", "put it back from a copy") from None

    @cached_property
    def _key(self) -> bytes:
        """The workspace's key; a new one, in memory only, where nothing was ever marked."""
        data = self.files.read(self.key_path)
        if not data and not self._marks:
            return os.urandom(KEY_BYTES)
        try:
            key = bytes.fromhex(data.decode().strip())
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            what = f"{self.key_path} is missing or damaged: without it nobody can tell what was forgotten"
            raise DamagedError(what, "put the file back from a copy")
        return key

    def keep_key(self) -> None:
        """Write the key down; marks are worth nothing without it."""
        self.files.replace_if_changed(self.key_path, self._key.hex().encode() + b"\n")

    def mac(self, kind: str, words: str) -> str:
        """The keyed digest of words as marks of that kind hold it."""
        data = f"{kind}\0{words}".encode(errors="replace")
        return hmac.digest(self._key, data, "sha256")[:DIGEST].hex()

    def add(self, marks: Iterable[Mark]) -> None:
        """Put marks down, durably; those that stand there already are not put twice."""
        known = set(self._marks)
        new = [mark for mark in dict.fromkeys(marks) if mark not in known]
        if new:
            self.files.replace(self.path, [mark.to_line() for mark in (*self._marks, *new)])
        for name in ("_marks", "_sorted", "_latest"):
            self.__dict__.pop(name, None)

    @cached_property
    def _sorted(self) -> dict[str, dict[str, list[Mark]]]:
        """The marks by kind, and by the digest that they are looked up with."""
        found: dict[str, dict[str, list[Mark]]] = defaultdict(lambda: defaultdict(list))
        for mark in self._marks:
            found[mark.kind][mark.ref or mark.mac].append(mark)
        return found

    @cached_property
    def _latest(self) -> str:
        return max((mark.at for mark in self._marks), default="")

    def without(self, session: str, entry: str, said_at: str, words: Redaction) -> str:
        """The text of a message (of a note, when `said_at` is empty) without its secrets, with blanks where words
        are forgotten; empty when nothing is left. Every stretch of the right length is looked up by its keyed
        digest, also in the words as they were written, for which secrets are known changes with the rules."""
        text = words.text
        if PLACEHOLDER in text:
            text = blanked(text.replace(PLACEHOLDER, " " * len(PLACEHOLDER)), ())
        if said_at and said_at > self._latest:
            return text
        if said_at and self._all_of_it(session, said_at):
            return ""
        ref = f"{session}:{entry}" if entry else session
        spans = list(self._forgotten(ref, said_at, text))
        if words.passes:
            spans += [words.redacted(span) for span in self._forgotten(ref, said_at, words.raw)]
        return blanked(text, spans) if spans else text

    def _forgotten(self, ref: str, said_at: str, text: str) -> Iterator[tuple[int, int]]:
        """Where words of the message stand in a text that are forgotten."""
        quotes = self._sorted["quote"]
        for mark in quotes.get(self.mac("ref", ref), ()) if quotes else ():
            if said_at <= mark.at:
                ends = range(mark.length, len(text) + 1)
                spans = ((end - mark.length, end) for end in ends)
                yield from (span for span in spans if self.mac("quote", text[slice(*span)]) == mark.mac)
        if said_at and self._sorted["name"]:
            yield from (span for span in sentences(text) if self._names_in(text[slice(*span)], said_at))

    def _all_of_it(self, session: str, said_at: str) -> bool:
        spans, sessions = self._sorted["span"].get("", ()), self._sorted["session"]
        if any(mark.since <= said_at < mark.until and said_at <= mark.at for mark in spans):
            return True
        return bool(sessions) and any(said_at <= mark.at for mark in sessions.get(self.mac("session", session), ()))

    def _names_in(self, sentence: str, said_at: str) -> bool:
        folded = fold(sentence)
        names = (mark for marks in self._sorted["name"].values() for mark in marks if said_at <= mark.at)
        macs: dict[int, set[str]] = defaultdict(set)
        for mark in names:
            macs[mark.length].add(mark.mac)
        pieces = ((length, piece) for length in macs for piece in pieces_of(folded, length))
        return any(self.mac("name", piece) in macs[length] for length, piece in pieces)

    def forbids(self, row: Mapping[str, str]) -> bool:
        """Whether a claim, as it is staged, says what was forgotten after it was said."""
        claims = self._sorted["claim"]
        if not claims or row["said_at"] > self._latest:
            return False
        macs = (self.mac("claim", words) for words in claim_words(row))
        return any(row["said_at"] <= mark.at for mac in macs for mark in claims.get(mac, ()))


def claim_words(row: Mapping[str, str]) -> Iterator[str]:
    """The words by which a claim or a memory is known again: its slot with the value, and its content."""
    if row.get("attribute"):
        yield f"{row.get('subject', 'user')}\0{row['attribute']}\0{fold(row.get('value', ''))}"
    yield essence(row["content"]).decode(errors="replace")


def pieces_of(folded: str, length: int) -> Iterator[str]:
    """Every stretch of that length that begins and ends where a word may: within Latin words none does."""
    edges = [edge.start() for edge in _EDGE.finditer(folded)]
    last = frozenset(edges)
    return (folded[start : start + length] for start in edges if start + length in last)


def holds(folded: str, name: str) -> bool:
    """Whether a name, folded as the text is, stands in it as a word."""
    return name in folded and any(piece == name for piece in pieces_of(folded, len(name)))


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in these places, so that all others stay where they are; empty when nothing is left."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text if text.strip() else ""
