"""What a run has learnt, changed and ended, in words: read off the changes that its nights have made. What came and
went within the run is not told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from memory_system.phases.portrait import label_of
from memory_system.phases.revising import OUTDATING
from memory_system.phases.shortlist import short
from memory_system.privacy import trust
from memory_system.records import USER, Fact, Summary, from_line, kind_of, successor_of
from memory_system.store.journal import Change

WORDS = {
    "en": {"cancelled": "cancelled", "ended": "over", "superseded": "no longer", "denied": "denied"},
    "zh": {"cancelled": "取消", "ended": "结束", "superseded": "不再如此", "denied": "否认"},
}
ENDING = frozenset({"cancelled", "ended", "denied"})  # why a memory holds no more, with nothing in its place
REPLACING = frozenset({"superseded", *OUTDATING})


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One thing in the place of another: of a slot its label and the values, else both in words; and what the memory
    said before."""

    old: str
    new: str
    before: str
    label: str = ""

    def to_row(self, key: str) -> dict[str, str]:
        return {"id": key, "text": f"{self.label}{self.old} → {self.new}", "before": self.before}


@dataclass(slots=True)
class Telling:
    """What the nights of a run have done to memories, by their ids."""

    learnt: dict[str, Fact] = field(default_factory=dict)
    changed: dict[str, _Exchange] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)

    def add(self, changes: Iterable[Change]) -> None:
        """Take in the changes of one night."""
        found = {each.id: each for each in changes if kind_of(each.id) is not Summary and each.after}
        told = {key for each in found.values() if (key := self._gone(each, found))}
        for change in found.values():
            if change.before_pool is None and change.after_pool == "active" and change.id not in told:
                self.learnt[change.id] = _after(change)

    def _gone(self, change: Change, found: Mapping[str, Change]) -> str:
        """Take in what holds no more; the id of the newer memory that is told with it, if there is one."""
        why = {*change.why.split("+")} & (REPLACING | ENDING)
        if change.before_pool != "active" or not why:
            return ""
        old = _after(change)
        newer_id = successor_of(old.model_dump())
        newer = _after(found[newer_id]) if newer_id in found else None
        if self.learnt.pop(old.id, None):
            return ""
        if newer is None or not newer.polarity or why & ENDING:
            self.changed.pop(old.id, None)
            self.ended[old.id] = _ended(old, newer, min(why))
        else:
            self._replace(old, newer)
        return "" if "denied" in why else newer_id

    def _replace(self, old: Fact, newer: Fact) -> None:
        """Take in that one memory stands in the place of another; of several the one in the same slot is told."""
        earlier, exchange = self.changed.pop(old.id, None), _exchange(old, newer)
        if earlier is not None and earlier.label == exchange.label:
            exchange = replace(exchange, old=earlier.old, before=earlier.before)
        if newer.id not in self.changed or exchange.label:
            self.changed[newer.id] = exchange

    def to_row(self) -> dict[str, list[dict[str, str]]]:
        """The keys of `consolidate --json`; of what was learnt the weightiest first."""
        learnt = sorted(self.learnt.values(), key=lambda each: -each.importance)
        return {
            "learnt": [{"id": each.id, "text": short(each)} for each in learnt],
            "changed": [each.to_row(key) for key, each in self.changed.items()],
            "ended": [{"id": key, "text": text} for key, text in self.ended.items()],
        }


def _after(change: Change) -> Fact:
    return from_line(change.after or b"")


def _exchange(old: Fact, newer: Fact) -> _Exchange:
    """A new value in a slot, else the new words in the place of the old ones."""
    if not old.attribute or old.slot != newer.slot:
        return _Exchange(short(old), short(newer), short(old))
    whose = "" if old.subject == USER else f"{trust.shown(old.subject)}, "
    label = f"{whose}{label_of(old.attribute, _language(newer))}: "
    return _Exchange(trust.shown(old.value), trust.shown(newer.value), short(old), label)


def _ended(old: Fact, newer: Fact | None, why: str) -> str:
    """What holds no more, and the words that say so."""
    said = next((each.quote for each in newer.evidence if each.quote), "") if newer else ""
    quoted = f": “{trust.shown(' '.join(said.split()))}”" if said else ""
    return f"{short(old)} ({WORDS[_language(old)].get(why, why)}{quoted})"


def _language(record: Fact) -> str:
    return "zh" if record.lang == "zh" else "en"
