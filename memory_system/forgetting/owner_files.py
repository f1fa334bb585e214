"""People's own files (transcripts, notes, MEMORY.md and the like): where they still hold what was forgotten, and
taking it out there: quotes, and whole sentences that name someone or hold what was searched for. They are read, and
written only when their owner says so."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from memory_system.disk import is_regular, refusal
from memory_system.errors import MemorySystemError, UnwritableError
from memory_system.layout import PEOPLES_FILES
from memory_system.nights.copying import places
from memory_system.privacy.secrets import redact
from memory_system.privacy.tombstones import PLACEHOLDER, holds
from memory_system.readers.places import Place, find, transcripts
from memory_system.readers.transcript import Transcript, load, note_session, open_regular
from memory_system.recall.units import note_files
from memory_system.records import Evidence
from memory_system.text import cjk_count, fold, sentences, texts_in
from memory_system.workspace import Workspace

LONG = 16  # columns from which a quote is known again in the middle of other words; a Han character is two

Span = tuple[int, int]
Cut = Callable[[str], str]
_DAMAGED = (OSError, EOFError, zlib.error)
# Keys of a transcript's lines whose texts are its own and nobody's words; and those under which words stand.
PLAIN = frozenset({
    "id", "parentId", "uuid", "parentUuid", "leafUuid", "sessionId", "messageId", "type", "role", "timestamp",
    "version", "model", "provider", "api", "name", "mimeType", "toolCallId", "toolName", "stopReason", "cwd",
    "gitBranch",
})  # fmt: skip
TELLING = frozenset(
    {"content", "text", "summary", "thinking", "arguments", "input", "output", "toolUseResult", "display"}
)
State = tuple[int, int, int]  # rights, size and time of change of a file
Failed = dict[str, str]  # the files of which nothing could be taken out, and why


@dataclass(frozen=True, slots=True)
class Words:
    """What is to be cut: quotes, every sentence with the name, every one with all of the words (both folded)."""

    quotes: tuple[str, ...] = ()
    name: str = ""
    all_of: tuple[str, ...] = ()

    def with_quotes(self, evidence: Iterable[Evidence]) -> Words:
        """Those words and what these quote."""
        return replace(self, quotes=tuple(sorted({*self.quotes, *(each.quote for each in evidence if each.quote)})))

    def spans(self, text: str) -> list[Span]:
        """Where in the text they stand."""
        found = [span for quote in self.quotes if quote in text for span in _places(text, quote)]
        if self.names:
            found += [span for span in sentences(text) if self.named_in(text[slice(*span)])]
        return found

    @property
    def names(self) -> bool:
        """Whether sentences are looked for."""
        return bool(self.name or self.all_of)

    def named_in(self, text: str) -> bool:
        """Whether the text names the name, or holds all of the words."""
        if not self.names:
            return False
        folded = fold(text)
        return all(holds(folded, word) for word in ([self.name] if self.name else self.all_of))

    def cut(self, text: str) -> str:
        """The text with a placeholder where they stood."""
        for start, end in _joined(self.spans(text)):
            text = text[:start] + PLACEHOLDER + text[end:]
        return text


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Spans that touch as one, last ones first."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined[::-1]


def _places(text: str, quote: str) -> list[Span]:
    """Where the quote stands: anywhere when it is long, else only where it is a whole sentence."""
    if len(quote) + cjk_count(quote) < LONG:
        return [span for span in sentences(text) if text[slice(*span)] == quote]
    return list(places(text, quote))


def is_plain(key: str, value: Any) -> bool:
    """Whether what stands under the key is a transcript's own, and nobody's words."""
    return key in PLAIN and isinstance(value, str)


def notes(ws: Workspace) -> list[Path]:
    """Markdown that people (or agents in their name) wrote, wherever it is read from."""
    own = (ws.layout.root / name for name in PEOPLES_FILES)
    return sorted({*note_files(ws.layout), *(path for path in own if is_regular(path))})


def lines_with(ws: Workspace, words: Words, refs: set[str]) -> Iterator[tuple[str, int]]:
    """The lines (by file and number) that hold such words, or one of those messages and have not been taken out."""
    for place in transcripts(ws.layout, ws.config):
        whole = _lines_of(ws, place, refs)
        for number, line in enumerate(lines_of(place), 1):
            told_still = number in whole and _line_without(line, words, whole=True) != line
            if told_still or any(words.spans(text) for text in _texts(line)):
                yield place.name, number
    for path in notes(ws):
        whole = _note_lines(ws, path, refs)
        for number, text in enumerate(bytes_of(path).decode(errors="replace").split("\n"), 1):
            if (number in whole and text != PLACEHOLDER) or words.spans(text):
                yield ws.layout.name(path), number


def redact_transcripts(ws: Workspace, words: Words, refs: set[str], failed: Failed) -> None:
    """Take them out of the transcripts."""
    for place in transcripts(ws.layout, ws.config):
        with _noted(place.name, failed):
            before = state_of(place.path)
            whole = _lines_of(ws, place, refs)
            lines = lines_of(place)
            cut = [_line_without(line, words, whole=number in whole) for number, line in enumerate(lines, 1)]
            if cut != lines and place.is_hosts:
                raise UnwritableError("it is a database or an archive of its host, only read here: delete it there")
            if cut != lines:
                write(ws, place.path, b"\n".join(cut), before, packed=place.is_packed)


def redact_notes(ws: Workspace, words: Words, refs: set[str], failed: Failed) -> None:
    """Take them out of the Markdown files."""
    for path in notes(ws):
        with _noted(ws.layout.name(path), failed):
            before = state_of(path)
            whole = _note_lines(ws, path, refs)
            lines = bytes_of(path).decode(errors="surrogateescape").split("\n")
            cut = [PLACEHOLDER if number in whole else words.cut(line) for number, line in enumerate(lines, 1)]
            if cut != lines:
                write(ws, path, "\n".join(cut).encode(errors="surrogateescape"), before)


@contextmanager
def _noted(name: str, failed: Failed) -> Iterator[None]:
    """Note of a file that cannot be read or written why that is, and go on with the others."""
    try:
        yield
    except (MemorySystemError, OSError) as error:
        failed[name] = str(refusal(error) if isinstance(error, OSError) else error)


def state_of(path: Path) -> State:
    """How the file stands; OSError where it cannot be read."""
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
    return stat.S_IMODE(found.st_mode), found.st_size, found.st_mtime_ns


def write(ws: Workspace, path: Path, data: bytes, before: State, *, packed: bool = False) -> None:
    """Put the file there anew, with the rights that it had; UnwritableError when somebody has written to it since it
    was read, or when it is packed and damaged: those lines would be lost."""
    if packed and not _is_whole(path):
        raise UnwritableError("it is packed and damaged: what nobody can unpack would be lost")
    with ws.files.held(path):
        if state_of(path) != before:
            raise UnwritableError("somebody wrote to it meanwhile")
        ws.files.replace(path, gzip.compress(data, mtime=0) if packed else data)
        path.chmod(before[0])


def lines_of(place: Place) -> list[bytes]:
    """The lines of a transcript that can be read, in a file or in the database of its host."""
    if place.held is None:
        return bytes_of(place.path).split(b"\n")
    from memory_system.readers import openclaw_store

    with suppress(OSError):
        return openclaw_store.events(place.path, place.held).data.split(b"\n")
    return []


def bytes_of(path: Path) -> bytes:
    """All lines of the file that can be read."""
    found: list[bytes] = []
    with suppress(*_DAMAGED), open_regular(path) as (file, _):
        found.extend(file)
    return b"".join(found)


def _is_whole(path: Path) -> bool:
    """Whether a packed file can be read to its end: one that cannot, written anew, would lose what follows."""
    with suppress(*_DAMAGED):
        gzip.decompress(path.read_bytes())
        return True
    return False


def _lines_of(ws: Workspace, place: Place, refs: set[str]) -> set[int]:
    """The lines on which whole messages stand that go."""
    with suppress(OSError):
        script = load(place, ws.config.zone) if refs else Transcript(place)
        return {each.line for each in script.entries if f"{script.session}:{each.name}" in refs}
    return set()


def _note_lines(ws: Workspace, path: Path, refs: set[str]) -> set[int]:
    """The lines of a note's entries that go: from behind the entry before to the last one of its own."""
    name = ws.layout.name(path)
    place = next((each for each in find(ws.layout, ws.config)[0] if each.is_note and each.name == name), None)
    if not refs or place is None:
        return set()
    lines, session = bytes_of(path).decode(errors="replace").split("\n"), note_session(name)
    gone: set[int] = set()
    before = 0
    for entry in load(place, ws.config.zone).entries:
        if f"{session}:{entry.name}" in refs:
            span = range(before + 1, entry.line + 1)
            gone.update(n for n in span if lines[n - 1].strip() and not lines[n - 1].lstrip().startswith("#"))
        before = entry.line
    return gone


def _texts(line: bytes) -> Iterator[str]:
    """The texts on a line of a transcript, also as they read without secrets."""
    for text in texts_in(parsed(line)):
        yield from {text, redact(text)[0]}


def parsed(line: bytes) -> Any:
    """The line's value; the line itself, as text, where it is no JSON."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return line.decode(errors="replace")


def _line_without(line: bytes, words: Words, *, whole: bool) -> bytes:
    value = parsed(line)
    if isinstance(value, str) and not line.startswith(b'"'):
        return line if words.cut(value) == value else words.cut(value).encode(errors="replace")
    new = _without(value, words.cut if not whole else None, told=False)
    return line if new == value else orjson.dumps(new)


def _without(value: Any, cut: Cut | None, *, told: bool) -> Any:
    """The value with its texts cut; without a `cut`, all that was told gives way."""
    if isinstance(value, str):
        return _cut_text(value, cut) if cut else (PLACEHOLDER if told else value)
    if isinstance(value, list):
        return [_without(each, cut, told=told) for each in value]
    if isinstance(value, dict):
        return {
            key: each if is_plain(key, each) else _without(each, cut, told=told or key in TELLING)
            for key, each in value.items()
        }
    return value


def _cut_text(text: str, cut: Cut) -> str:
    """The text without the words; where they stand only once its secrets are masked, it stays masked."""
    cuts = ((words, cut(words)) for words in (text, redact(text)[0]))
    return next((done for words, done in cuts if done != words), text)
