"""What a story or the sample may expect of a workspace: slots and their values, and words that were kept as quotes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from workspaces import memories

from memory_system.records import Belief, Fact, Summary

KINDS = {"fact": Fact, "belief": Belief, "summary": Summary}


def matches(record: Any, wanted: dict[str, Any]) -> bool:
    """Whether a memory has everything that is wanted of it."""
    content = record.content.casefold()
    tests = {
        "contains": lambda words: all(word.casefold() in content for word in words),
        "value": lambda value: record.value.strip().casefold() == value.strip().casefold(),
        "confidence_min": lambda least: record.confidence >= least,
        "confidence_max": lambda most: record.confidence <= most,
        "event_start": lambda start: record.event_time is not None and record.event_time.start.startswith(start),
    }
    has = {key: value for key, value in record.model_dump().items() if isinstance(value, str | bool | float)}
    plain = {key: value for key, value in wanted.items() if key not in tests}
    return plain.items() <= has.items() and all(test(wanted[key]) for key, test in tests.items() if key in wanted)


def unmet(root: Path, expect: dict[str, Any]) -> Iterator[str]:
    """What is expected and not so."""
    active, archived = memories(root), memories(root, "archive")
    standing = [record for record in active if record.outdated_by is None]
    for name, kind in KINDS.items():
        for wanted in expect.get(name, ()):
            if not any(type(record) is kind and matches(record, wanted) for record in standing):
                yield f"no {name} {wanted}"
    for wanted in expect.get("absent", ()):
        yield from (f"absent {wanted}, but: {record.content}" for record in standing if matches(record, wanted))
    for wanted in expect.get("outdated", ()):
        if not any(record.outdated_by and matches(record, wanted) for record in active):
            yield f"nothing outdated {wanted}"
    for wanted in expect.get("archived", ()):
        if not any(matches(record, wanted) for record in archived):
            yield f"nothing archived {wanted}"
    for name, count in expect.get("counts", {}).items():
        found = [record.content for record in active if name in (record.NAME, f"{record.form}s")]
        if len(found) != count:
            yield f"{len(found)} {name} instead of {count}: {found}"
    yield from unmet_text(root / "memory/layer1/snapshot.md", expect)


def unmet_text(path: Path, expect: dict[str, Any]) -> Iterator[str]:
    text = path.read_text("utf-8") if path.exists() else ""
    yield from (f"the snapshot lacks {each!r}" for each in expect.get("snapshot_contains", ()) if each not in text)
    yield from (f"the snapshot has {each!r}" for each in expect.get("snapshot_absent", ()) if each in text)


def listed(problems: Iterable[str], root: Path) -> str:
    """The problems, and what there is instead, for whoever reads the failure."""
    told = [f"{record.id[0]} {record.slot} {record.value!r} {record.content}" for record in memories(root)]
    return "\n".join([*problems, "", "active:", *told])
