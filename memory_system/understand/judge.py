"""The judge: is a sentence worth keeping, how is it meant, and does it change what was said before?

A linear model, learned from labelled talk (`corpus/`) by `scripts/train` and shipped as one text file a language. Every
feature has a small integer weight for each label; a label's sum is compared with thresholds that were calibrated on
people the weights had not seen. There is no floating point and no randomness: the same words always get the same
verdict.

The weights of one feature are packed into one integer, a lane of 16 bits for each label, so that adding a feature is
one addition, whatever the number of labels.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_system.errors import DefectError
from memory_system.understand import features
from memory_system.understand.features import PLACES, Seen, Talk

KINDS = ("profile", "health", "relation", "preference", "instruction", "plan", "event", "project")
STANCES = ("asserted", "hedged", "unreal", "others", "ask")
PASSING = ("plan", "event")  # kinds that weigh little: what a sentence is kept as where its kind is in doubt
CHANGES = ("corrects", "ends", "moves", "cancels")
LABELS = ("keep", *KINDS, *STANCES, *CHANGES)
LANGUAGES = ("en", "zh")
SCALE = 32  # units of weight to one unit of log-odds

FORMAT = "judge 1"
CHANGE_FROM = 2 * SCALE  # from which a change is believed: a wrong one hides what is still so
SURELY = 3 * SCALE // 2  # by which a kind must lead: a remark that is kept as health never fades
_LANE = 16
_HALF = 1 << (_LANE - 1)
_BIAS = sum(_HALF << (_LANE * number) for number in range(len(LABELS)))
_UNPACK = struct.Struct(f"<{len(LABELS)}H")
_LOWEST = ord("!")  # how a weight stands in the file: one printable sign, `N` for 0
ZERO = 45
_OFFSET = sum((_LOWEST + ZERO) << (_LANE * number) for number in range(len(LABELS)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge makes of a sentence. `keep` is `none` or the kind that it is worth keeping as; `change` is empty
    or what it does to something said before. The margins are log-odds times `SCALE`: `worth` for being kept at all,
    `earnest` for being asserted, `changes` for each of `CHANGES`."""

    keep: str
    stance: str
    change: str
    worth: int
    earnest: int
    changes: tuple[int, ...]
    likeliest: str  # the kind, were it kept


class Judge:
    """The weights of one language."""

    def __init__(self, weights: Mapping[str, int], start: int, lang: str) -> None:
        self._start, self._lang = start, lang
        self._places: list[dict[str, int]] = [{} if place else dict(weights) for place in PLACES]
        for name, weight in weights.items():
            if name[1:2] == ":" and (place := name[:2]) in PLACES:
                self._places[PLACES.index(place)][name[2:]] = weight

    def verdicts(self, talk: Talk) -> list[Verdict]:
        """What it makes of each sentence of a message."""
        return [verdict_of(self.sums(found)) for found in features.of_message(talk, self._lang)]

    def sums(self, seen: Seen) -> tuple[int, ...]:
        """The sum of every label, in the order of `LABELS`."""
        total = self._start + _BIAS
        for weights, found in zip(self._places, seen, strict=True):
            if found:
                total += sum(filter(None, map(weights.get, found)))
        return tuple(lane - _HALF for lane in _UNPACK.unpack(total.to_bytes(_UNPACK.size, "little")))

    def words(self, seen: Seen, label: str) -> list[tuple[str, int]]:
        """The features that spoke for or against a label, the weightiest first: what `why` shows."""
        place = LABELS.index(label)
        rows = zip(PLACES, self._places, seen, strict=True)
        weighed = ((name + each, _lane(weights.get(each, 0), place)) for name, weights, found in rows for each in found)
        return sorted((each for each in weighed if each[1]), key=lambda each: (-abs(each[1]), each[0]))


def _lane(packed: int, place: int) -> int:
    """The weight of one label among those that are packed."""
    lanes: tuple[int, ...] = _UNPACK.unpack((packed + _BIAS).to_bytes(_UNPACK.size, "little"))
    return lanes[place] - _HALF


def verdict_of(sums: Sequence[int]) -> Verdict:
    """The verdict that the sums of the labels make."""
    kinds, stances = sums[1 : 1 + len(KINDS)], sums[1 + len(KINDS) : -len(CHANGES)]
    changes = tuple(sums[-len(CHANGES) :])
    kind = _kind(dict(zip(KINDS, kinds, strict=True)))
    stance = max(range(len(STANCES)), key=stances.__getitem__)
    change = max(range(len(CHANGES)), key=changes.__getitem__)
    return Verdict(
        keep=kind if sums[0] > 0 else "none",
        stance=STANCES[stance],
        change=CHANGES[change] if changes[change] > CHANGE_FROM else "",
        worth=sums[0],
        earnest=stances[0] - max(stances[2:]),
        changes=changes,
        likeliest=kind,
    )


def _kind(sums: Mapping[str, int]) -> str:
    """The likeliest kind, where it is surely that; else what passes: a plan or an event."""
    first, second, *_ = sorted(sums, key=lambda each: -sums[each])
    return first if sums[first] - sums[second] >= SURELY else max(PASSING, key=sums.__getitem__)


@cache
def judge_of(lang: str) -> Judge:
    """The judge of a language; of one that it was not taught (`""`), the English weights of what has no language.
    DefectError when the file that is installed with the program is missing or damaged."""
    path = Path(__file__).with_name(f"judge.{lang or 'en'}.txt")
    try:
        weights, start = read(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DefectError(f"{path} is missing or damaged: {error}") from error
    return Judge(weights, start, lang)


def read(written: str) -> tuple[dict[str, int], int]:
    """The packed weights by feature, and the sums without any feature; ValueError when the text is no weights file."""
    head, *lines = written.rstrip("\n").split("\n")
    if head != f"{FORMAT} {' '.join(LABELS)}":
        raise ValueError("it does not begin as a weights file of this version")
    if not lines or lines[-1] != f"end {len(lines) - 2}":
        raise ValueError("it is not whole")
    starts = tuple(map(int, lines[0].split()))
    if len(starts) != len(LABELS):
        raise ValueError("it does not begin with a sum for each label")
    start = sum(each << (_LANE * place) for place, each in enumerate(starts))
    rows = (line.rsplit("\t", 1) for line in lines[1:-1])
    return {name: _packed(signs) for name, signs in rows}, start


def _packed(signs: str) -> int:
    """The weights of one feature, a sign for each label, as one integer."""
    wide = bytearray(2 * len(LABELS))
    wide[::2] = signs.encode("ascii")
    return int.from_bytes(wide, "little") - _OFFSET


def written(weights: Mapping[str, Sequence[int]], starts: Sequence[int]) -> str:
    """The weights file: features in order, one a line, with a sign for the weight of each label."""
    rows = [f"{name}\t{''.join(chr(each + _LOWEST + ZERO) for each in weights[name])}" for name in sorted(weights)]
    head = f"{FORMAT} {' '.join(LABELS)}"
    return "\n".join((head, " ".join(map(str, starts)), *rows, f"end {len(rows)}")) + "\n"
