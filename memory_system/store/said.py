"""Layer 3: `memory/layer3/`, our own copy of what was said, a row for each message that was read, by the month in which
it was said (UTC; see `months`). It is neither journalled nor rolled back: what is done to it can be done again. A row
stands on a line that begins with its ref and its time, so that both are known without parsing it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import orjson

from memory_system.disk import Files
from memory_system.errors import DamagedError
from memory_system.layout import Layout
from memory_system.records import Problem
from memory_system.store import months
from memory_system.store.months import standing
from memory_system.turns import Message

MONTH = len("2026-03")
STAMP = len("2026-03-02T09:00:00Z")
ENDLESS = "\uffff"  # later than every stamp
_HEAD, _TIME, _END = b'{"ref":"', b'","said_at":"', b'"}\n'
_FIELDS = ("role", "speaker", "chat", "text")

Rows = Callable[[], Iterable[bytes]]  # the same lines each time
Told = Callable[[Message], str]  # what is left of what a message says


def line_of(message: Message) -> bytes:
    """The message as its row's line."""
    said = {name: value for name in _FIELDS if (value := getattr(message, name))}
    row = {"ref": message.ref, "said_at": message.said_at, **said}
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def message_on(line: bytes) -> Message:
    """The message of a row; DamagedError for a line that is none."""
    try:
        row = orjson.loads(line)
        session, _, entry = row["ref"].partition(":")
        said = {name: row.get(name, "") for name in _FIELDS}
        message = Message(session, entry, said_at=row["said_at"], **said)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise DamagedError("not a row of what was said") from None
    if not (isinstance(row["said_at"], str) and message.text and all(isinstance(each, str) for each in said.values())):
        raise DamagedError("not a row of what was said")
    return message


def ref_on(line: bytes) -> bytes:
    """The ref on a row's line, as JSON has it between its quotation marks."""
    return line[len(_HEAD) : line.index(_TIME)]


def said_at_on(line: bytes) -> str:
    start = line.index(_TIME) + len(_TIME)
    return line[start : start + STAMP].decode(errors="replace")


def _is_whole(line: bytes) -> bool:
    """Whether all of the line was written: a crash leaves half of one, a power loss one with a hole."""
    return line.startswith(_HEAD) and line.endswith(_END) and _TIME in line and b"\0" not in line


def _session_on(line: bytes) -> str:
    return str(orjson.loads(b'"%b"' % ref_on(line).partition(b":")[0]))


class _Rows:
    """Rows that are put into layer 3. `last` has the month and number of the last row of each ref: that one counts."""

    def __init__(self, rows: Rows, fresh: Iterable[str], before: str) -> None:
        self.rows = rows
        self.fresh = {orjson.dumps(session)[1:-1] for session in fresh}  # as it stands between quotation marks
        self.before = before
        self.last: dict[bytes, tuple[str, int]] = {}
        for number, line in enumerate(rows()):
            self.last[ref_on(line)] = said_at_on(line)[:MONTH], number

    def of(self, month: str) -> Iterator[tuple[bytes, bytes]]:
        """The rows of one month with their refs."""
        for number, line in enumerate(self.rows()):
            if self.last[ref_on(line)] == (month, number):
                yield ref_on(line), line

    def count(self, month: str) -> int:
        return sum(each == month for each, _ in self.last.values())

    def leaves(self, line: bytes, month: str) -> bool:
        """Whether a row that stands in the month must go: it stands elsewhere by now, or it was one of a session of
        which all is known, and it is not among that."""
        ref = ref_on(line)
        if ref in self.last:
            return self.last[ref][0] != month
        return ref.partition(b":")[0] in self.fresh and said_at_on(line) < self.before

    def merged(self, lines: Iterable[bytes], changed: Mapping[bytes, bytes], month: str) -> Iterator[bytes]:
        """The lines of a month with those that have changed, without those that go."""
        seen = set[bytes]()
        for line in lines:
            if _is_whole(line) and not self.leaves(line, month) and (ref := ref_on(line)) not in seen:
                if ref in self.last:
                    seen.add(ref)
                yield changed.get(ref, line)


class Said:
    """Layer 3 of one workspace; only the holder of the lock writes."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.layout = layout
        self.folder = layout.layer3
        self.files = files

    def months(self) -> list[Path]:
        return months.months_in(self.folder)

    # reading

    def lines(self) -> Iterator[tuple[Path, int, bytes]]:
        """Every line with its month and its number; DamagedError where a month cannot be unpacked."""
        for path in self.months():
            yield from ((path, number, line) for number, line in enumerate(_lines(path), 1))

    def messages(self, sessions: Callable[[str], bool] = lambda _: True) -> Iterator[tuple[Path, Message]]:
        """What was said in these sessions, month by month; a line that is no row is left to `validate`."""
        for path in self.months():
            for line in _salvaged(path):
                if _is_whole(line) and sessions(_session_on(line)):
                    with suppress(DamagedError):
                        yield path, message_on(line)

    def problems(self, *, stopped: bool = False) -> Iterator[Problem]:
        """The lines that are no rows, or not where they belong, and those whose ref another one has. Where a night was
        `stopped`, one that was not written to its end is none: the next run writes it."""
        hint = "put it aside: memory validate --repair"
        for path, number, what in self._wrong(stopped=stopped):
            yield Problem(f"{self.layout.name(path)}:{number}", what, hint)

    def _wrong(self, *, stopped: bool = False) -> Iterator[tuple[Path, int, str]]:
        seen = set[int]()
        for path, number, line in self.lines():
            if stopped and not line.endswith(b"\n"):
                continue
            if not is_row(line):
                yield path, number, "this line is no row of what was said"
            elif said_at_on(line)[:MONTH] != path.name[:MONTH]:
                yield path, number, f"it was said in another month: {said_at_on(line)}"
            elif (ref := hash(ref_on(line))) in seen:
                yield path, number, f"{ref_on(line).decode(errors='replace')} stands there twice"
            else:
                seen.add(ref)

    def size(self) -> int:
        return sum(standing(path).stat().st_size for path in self.months())

    def count(self) -> int:
        return sum(1 for _ in self.lines())

    # writing

    def put(self, rows: Rows, fresh: Collection[str] = (), before: str = ENDLESS, *, everywhere: bool = False) -> int:
        """Put rows in, each once: one of a ref that is there takes its row's place. Of the sessions in `fresh` they are
        all that was said before that stamp: what else stands of them in the months of the rows, or `everywhere`, goes.
        How many are new. Only those months are read, and written once at the end of their files."""
        new = _Rows(rows, fresh, before)
        touched = {month for month, _ in new.last.values()}
        if everywhere:
            touched |= {path.name[:MONTH] for path in self.months()}
        return sum(self._put(month, new) for month in sorted(touched))

    def _put(self, month: str, new: _Rows) -> int:
        path = self.folder / f"{month}.jsonl"
        there, stays = dict[bytes, bytes](), True
        for line in _lines(path):
            if not _is_whole(line) or ref_on(line) in there or new.leaves(line, month):
                stays = False
            elif ref_on(line) in new.last:
                there[ref_on(line)] = line
        changed = {ref: line for ref, line in new.of(month) if there.get(ref, line) != line} if there else {}
        if added := new.count(month) - len(there):
            self.files.make_folder(self.folder)
            months.unpack(path, self.files)
            self.files.append(path, (line for ref, line in new.of(month) if ref not in there), alone=True)
        if changed or not stays:
            self._replace(path, new.merged(_lines(path), changed, month))
        return added

    def rewrite(self, told: Told) -> None:
        """Let every message say what `told` leaves of it; one of which nothing is left goes. Lines that are no rows are
        set aside first."""
        self.set_aside()
        for path in self.months():
            if any(_retold(line, told) != line for line in _lines(path)):
                self._replace(path, filter(None, (_retold(line, told) for line in _lines(path))))

    def set_aside(self) -> int:
        """Put the lines that are wrong into the state, where damage is kept and forgetting looks; how many there were,
        a month that cannot be unpacked counting as one more."""
        damaged = [path for path in self.months() if not _is_readable(path)]
        for path in damaged:
            self.files.replace(path, _salvaged(path))
            self.files.rename(months.packed(path), months.packed(self._aside(path)))
        wrong: dict[Path, set[int]] = {}
        for path, number, _ in self._wrong():
            wrong.setdefault(path, set()).add(number)
        for path, numbers in wrong.items():
            lines = [line for number, line in enumerate(_lines(path), 1) if number in numbers]
            self.files.append(self._aside(path), b"".join(line.rstrip(b"\n") + b"\n" for line in lines))
            self._replace(path, (line for number, line in enumerate(_lines(path), 1) if number not in numbers))
        return len(damaged) + sum(map(len, wrong.values()))

    def _aside(self, path: Path) -> Path:
        return self.layout.state / f"damaged.layer3.{path.name}"

    def _replace(self, path: Path, lines: Iterable[bytes]) -> None:
        """Put other lines into the month; one of which nothing is left goes."""
        months.replace(path, lines, self.files)
        if not any(True for _ in _lines(path)):
            months.remove(path, self.files)
            self.files.disk.sync_folder(path.parent)

    def pack(self, before: datetime) -> None:
        """Pack the months that had ended by that moment."""
        for path in self.months():
            if path.name < f"{before:%Y-%m}":
                months.pack(path, self.files)


def _lines(path: Path) -> Iterator[bytes]:
    """Every line of the month, if there is one."""
    if standing(path).exists():
        with months.opened(path) as file:
            yield from file


def _salvaged(path: Path) -> Iterator[bytes]:
    """The lines of the month that can be read."""
    with suppress(DamagedError):
        yield from _lines(path)


def _is_readable(path: Path) -> bool:
    """Whether all of the month can be read."""
    try:
        return all(True for _ in _lines(path))
    except DamagedError:
        return False


def is_row(line: bytes) -> bool:
    """Whether the line holds a message, all of it."""
    try:
        return _is_whole(line) and bool(message_on(line))
    except DamagedError:
        return False


def _retold(line: bytes, told: Told) -> bytes:
    """The line with what is left of its message; empty where nothing is."""
    message = message_on(line)
    text = told(message)
    return line if text == message.text else line_of(replace(message, text=text)) if text else b""
