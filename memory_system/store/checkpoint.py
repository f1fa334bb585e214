"""`state/consolidation.json`: how far reading and consolidating have come. And the staged output of the phases, which
makes a run resumable: a stage file is there whole, or the phase is done again.

A schema is `major.minor`, of everything under memory/: a newer minor only adds keys, which are kept; a newer major is
something that an older program would get wrong, so that it only reads. The checkpoint of an older program is read as it
is; the first writer keeps it as it was, `state/schema-1.1.*`, and makes it one of today. The schemas so far:

1.1  the checkpoint names its schema
2.0  past months of the journal are packed: a program that cannot unpack them takes them for lost
2.1  what a night has no room for waits in the checkpoint
2.2  while nothing fades, the checkpoint names the night up to which scores have faded
3.0  what was said is kept in layer 3: a program that does not know of it would not forget it there
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

import orjson

from memory_system.clock import parse_instant
from memory_system.disk import Files
from memory_system.errors import DamagedError, NewerError
from memory_system.layout import Layout

T = TypeVar("T")
FIRST = "1.0"  # the schema of a checkpoint that names none
SCHEMA = "3.0"
MAX_TRIES = 3
BATCH = 1 << 17  # bytes of lines that are parsed at once: reading and working in turns would be slower
RESTORE = "put back a copy of the file, or have it made from the journal: memory validate --repair"
_LEFT = re.compile(r".+@\d+-\d+ \d+ -?\d+\.\d\d", re.DOTALL)  # a row of what is left over
STAMPS = {
    "last_run", "last_success", "night", "last_night", "shown_night", "last_message", "next_change", "decay_held",
    "fades_until", "silence_accepted", "unbalanced",
}  # fmt: skip


def version(schema: object) -> tuple[int, int] | None:
    """Major and minor number; None for what is no schema."""
    major, _, minor = schema.partition(".") if isinstance(schema, str) else ("", "", "")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


def is_older(schema: str) -> bool:
    """Whether an older program wrote it: the first writer makes it one of today."""
    return (version(schema) or (0, 0)) < (version(SCHEMA) or (0, 0))


def is_newer(schema: str) -> bool:
    """Whether a program wrote it that does things otherwise: then it is only read."""
    return (version(schema) or (0, 0))[0] > (version(SCHEMA) or (0, 0))[0]


@dataclass(slots=True)
class State:
    """The seed's keys first. Times are stamps; empty means never."""

    last_run: str = ""
    last_success: str = ""
    current_phase: int | None = None  # the phase that a half-done night is in
    phase_data: dict[str, Any] = field(default_factory=dict)  # per finished phase of that night: file and counts
    retry_count: int = 0
    run_id: str = ""
    night: str = ""
    fingerprint: str = ""  # of rules, config and program: a half-done night under another one starts again
    cursors: dict[str, Any] = field(default_factory=dict)  # session -> readers.Cursor as a row
    left_over: dict[str, Any] = field(default_factory=dict)  # night -> what it had no room for, each a leftover.Left
    last_night: str = ""  # the latest slot that was handled or found empty
    shown_night: str = ""  # the night that the snapshot stands for, when that is not the last one: after a rollback
    last_message: str = ""  # said_at of the newest message ever read
    next_change: str | None = ""  # when the first memory fades or expires by itself; "" = not known
    barren_nights: int = 0  # in a row: input was read and nothing came of it
    derived: str = ""  # hash of the journal's entry up to which index, profiles and snapshot stand
    unbalanced: str = ""  # the last night whose sums did not close
    decay_held: str = ""  # since when decay waits for --force, after a gap that looks like a wrong clock
    fades_until: str = ""  # while it is held: the last night before the gap, to which scores have faded
    silence_accepted: str = ""  # until when the owner has said that the clock is right
    masked: str = ""  # the edition of the rules by which the secrets in all that is there were last masked
    copied: bool = False  # whether layer 3 holds all that was read
    schema: str = SCHEMA  # of the program that wrote it last
    others: dict[str, Any] = field(default_factory=dict)  # keys of a newer program, kept as they are


class Checkpoint:
    """The state of one workspace on disk."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.layout = layout
        self.files = files
        self.state = _read_state(layout.checkpoint, files)

    def save(self, **changed: Any) -> None:
        """Change keys of the state, durably."""
        self.refuse_newer()
        original = self.layout.state / f"schema-{self.state.schema}.{self.layout.checkpoint.name}"
        if is_older(self.state.schema) and self.layout.checkpoint.exists() and not original.exists():
            self.files.replace(original, self.files.read(self.layout.checkpoint))
        for name, value in changed.items():
            setattr(self.state, name, value)
        row = {each.name: getattr(self.state, each.name) for each in fields(State)}
        row |= row.pop("others")
        self.files.replace_if_changed(self.layout.checkpoint, orjson.dumps(row, option=orjson.OPT_INDENT_2) + b"\n")

    def refuse_newer(self) -> None:
        """NewerError where only reading is safe."""
        if is_newer(self.state.schema):
            raise NewerError(f"{self.layout.checkpoint} was written under schema {self.state.schema}, this is {SCHEMA}")

    def stage(self, name: str) -> Path:
        """The stage file of that name in the current run."""
        return self.layout.runs / self.state.run_id / f"{name}.jsonl"

    def write_stage(self, name: str, rows: Iterable[Any]) -> None:
        """Stage what a phase gives, atomically: dataclasses and mappings become one line each, bytes are lines."""
        self.files.make_folder(self.stage(name).parent)
        lines = (row if isinstance(row, bytes) else orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
        self.files.replace(self.stage(name), lines)

    def read_stage(self, name: str, parse: Callable[[dict[str, Any]], T]) -> Iterator[T]:
        """What was staged under that name, parsed; it may be read many times."""
        with self.stage(name).open("rb") as file:
            while lines := file.readlines(BATCH):
                yield from [parse(orjson.loads(line)) for line in lines]

    def drop_other_stages(self) -> None:
        for folder in sorted(self.layout.runs.glob("*")):
            if folder.name != self.state.run_id:
                self.files.remove_folder(folder)


def moved_keys(state: State, moved: dict[str, Any]) -> dict[str, Any]:
    """The keys of the state as a commit moves them; of the cursors, and of what is left over, it names only those that
    moved, None being one that is given up."""
    merged = {name: {**getattr(state, name), **moved.get(name, {})} for name in ("cursors", "left_over")}
    given = {name: {key: row for key, row in rows.items() if row is not None} for name, rows in merged.items()}
    return {**moved, **given}


def _read_state(path: Path, files: Files) -> State:
    row = files.read_object(path)
    schema = row.setdefault("schema", FIRST if row else SCHEMA)
    if version(schema) is None:
        raise DamagedError(f"{path}: schema holds what it must not", RESTORE)
    known = {each.name for each in fields(State)} - {"others"}
    others = {name: value for name, value in row.items() if name not in known}
    if others and schema == SCHEMA:
        raise DamagedError(f"{path} has keys of another program: {', '.join(sorted(others))}", RESTORE)
    unsound = [name for name in known & set(row) if not _is_sound(name, row[name])]
    if unsound and not is_newer(schema):
        raise DamagedError(f"{path}: {unsound[0]} holds what it must not", RESTORE)
    return State(**{name: row[name] for name in known & set(row) if name not in unsound}, others=others)


def _is_sound(name: str, value: Any) -> bool:
    """Whether a key of the file holds something that this program can have written there."""
    if name in ("current_phase", "next_change") and value is None:
        return True
    if name == "cursors":
        return isinstance(value, dict) and all(isinstance(each, dict) and "digest" in each for each in value.values())
    if name == "left_over":
        nights = value.values() if isinstance(value, dict) else (None,)
        return all(
            isinstance(rows, list) and all(isinstance(row, str) and _LEFT.fullmatch(row) for row in rows)
            for rows in nights
        )
    if name in STAMPS:
        return isinstance(value, str) and (not value or parse_instant(value) is not None)
    return isinstance(value, int if name == "current_phase" else type(getattr(State(), name)))
