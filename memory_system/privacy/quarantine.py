"""`state/quarantine.jsonl`: what was held back because it wants to steer an agent. The owner looks at it, lets it in or
throws it out; what was let in once is not held back again. Lines are only added, beside whatever else writes: the last
one about something counts. A line that a crash has torn says nothing and stops nobody."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace

import orjson

from memory_system.disk import Files
from memory_system.errors import NotFoundError, UsageError
from memory_system.layout import Layout
from memory_system.privacy import trust
from memory_system.records import Problem, session_of

WAITING, APPROVED, REJECTED = "waiting", "approved", "rejected"


@dataclass(frozen=True, slots=True)
class Held:
    """Words that were held back: where they were said, by whom and when; the rule, and what became of them."""

    id: str
    ref: str
    quote: str
    said_at: str
    role: str
    rule: str
    status: str = WAITING

    @property
    def why(self) -> str:
        return trust.why(self.rule)


@dataclass(frozen=True, slots=True)
class Withheld:
    """What is held back, by the ref of its message and by the file of its note."""

    by_place: Mapping[str, list[Held]]

    def holds(self, place: str, text: str) -> bool:
        """Whether any of it stands in a text from that message or note."""
        return any(each.quote in text for each in self.by_place.get(place, ()))

    def out_of(self, place: str, text: str) -> str:
        """The text with the ids of what is held back in the place of the lines that say it."""
        for each in self.by_place.get(place, ()):
            mark = f"[held back: {each.id}]"
            for quote in {each.quote, orjson.dumps(each.quote).decode()[1:-1]}:  # as it stands in a line of JSON, too
                while quote not in mark and (start := text.find(quote)) >= 0:
                    first, last = _line_around(text, start, start + len(quote))
                    text = f"{text[:first]}{mark}{text[last:]}"
        return text


def _line_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The line in which a stretch stands; in a line of JSON the line of the text that it holds."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end) if "\n" in text[end:] else len(text)
    if not text.startswith("{", first):
        return first, last
    inside = [text.rfind(sign, first, start) + len(sign) for sign in ('":"', "\\n") if sign in text[first:start]]
    outside = [text.find(sign, end, last) for sign in ('","', '"}', "\\n") if sign in text[end:last]]
    return max(inside, default=start), min(outside, default=end)


class Quarantine:
    """The quarantine of one workspace."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.layout = layout
        self.path = layout.quarantine
        self.files = files

    def all(self) -> list[Held]:
        """Everything that was ever held back, oldest first."""
        latest = {held.id: held for held in map(_parsed, self._lines()) if held}
        return sorted(latest.values(), key=lambda held: (held.said_at, held.id))

    def problems(self, *, stopped: bool = False) -> list[Problem]:
        """The lines that tell of nothing that was held back; where a night was `stopped`, not the torn one at the end:
        what it told of is put down again."""
        what, hint = "this line tells of nothing that was held back", "put it aside: memory validate --repair"
        return [
            Problem(f"{self.layout.name(self.path)}:{number}", what, hint)
            for number, line in enumerate(self._lines()[: -1 if stopped else None], 1)
            if line.strip() and _parsed(line) is None
        ]

    def waiting(self) -> list[Held]:
        return [each for each in self.all() if each.status == WAITING]

    def approved(self) -> Iterator[str]:
        """The keys of the words that the owner has let in."""
        return (trust.key_of(each.quote) for each in self.all() if each.status == APPROVED)

    def withheld(self) -> Withheld:
        """What no agent is to be shown: all that the owner has not let in."""
        by_place: dict[str, list[Held]] = {}
        for each in (held for held in self.all() if held.status != APPROVED):
            for place in (each.ref, session_of(each.ref)):
                by_place.setdefault(place, []).append(each)
        return Withheld(by_place)

    def get(self, held_id: str) -> Held:
        """NotFoundError when nothing was held back under that id."""
        if held := next((each for each in self.all() if each.id == held_id), None):
            return held
        raise NotFoundError(f"nothing is held back under {held_id}", "see what is: memory quarantine list")

    def add(self, rows: Iterable[Mapping[str, str]]) -> list[Held]:
        """Put down what was held back; what is there already (said again, or read again) is not put down twice."""
        known = {each.id: each for each in self.all()}
        new = {each.id: each for each in map(_held, rows) if each.id not in known}
        self._append(new.values())
        return list(new.values())

    def settle(self, held_id: str, status: str) -> Held:
        """Say what becomes of it. UsageError when it was let in: it is a memory by now."""
        held = self.get(held_id)
        if held.status == APPROVED and status != APPROVED:
            raise UsageError(f"{held_id} was let in: it is a memory", f'find it: memory search "{held.quote[:40]}"')
        settled = replace(held, status=status)
        self._append([settled])
        return settled

    def set_aside(self) -> int:
        """Put the lines that tell of nothing into `quarantine.jsonl.torn`; how many there were."""
        torn: list[bytes] = []

        def sound(lines: list[bytes]) -> list[bytes]:
            torn.extend(line for line in lines if line.strip() and _parsed(line) is None)
            if torn:
                self.files.append(self.path.with_name(f"{self.path.name}.torn"), b"".join(torn))
            return [line for line in lines if line not in torn]

        self.files.rewrite(self.path, sound)
        return len(torn)

    def _append(self, held: Iterable[Held]) -> None:
        if lines := b"".join(orjson.dumps(asdict(each)) + b"\n" for each in held):
            if self._lines()[-1]:  # torn by a crash: nobody would put it aside
                self.set_aside()
            self.files.append(self.path, lines, follow_renames=True)

    def _lines(self) -> list[bytes]:
        return self.files.read(self.path).split(b"\n")


def _parsed(line: bytes) -> Held | None:
    try:
        row = orjson.loads(line)
        held = Held(**row)
    except (orjson.JSONDecodeError, TypeError):
        return None
    return held if all(isinstance(each, str) for each in row.values()) else None


def _held(row: Mapping[str, str]) -> Held:
    origin = f"{row['ref']}\0{trust.key_of(row['quote'])}"
    return Held(f"q_{hashlib.blake2b(origin.encode(errors='replace'), digest_size=6).hexdigest()}", **row)
