"""Linear models, learned from labelled talk (`corpus/`) by `scripts/train` and shipped as one text file a language.

Every feature has a small integer weight for each label; a label's sum is compared with thresholds that were calibrated
on people the weights had not seen. There is no floating point and no randomness: the same words always get the same
sums. The weights of one feature are packed into one integer, a lane of 16 bits for each label, so that adding a feature
is one addition, whatever the number of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from struct import Struct

from memory_system.errors import DefectError
from memory_system.understand.features import PLACES, Seen

LANGUAGES = ("en", "zh")
SCALE = 32  # units of weight to one unit of log-odds

FORMAT = "weights 1"
_LANE = 16
_HALF = 1 << (_LANE - 1)
_LOWEST = ord("!")  # how a weight stands in the file: one printable sign, `N` for 0
ZERO = 45


class Weights:
    """What every feature weighs for each of the labels. `start` are the sums without any feature."""

    def __init__(self, labels: Sequence[str], weights: Mapping[str, int], start: int) -> None:
        self.labels = tuple(labels)
        self._bias = sum(_HALF << (_LANE * number) for number in range(len(labels)))
        self._unpack = Struct(f"<{len(labels)}H")
        self._start = start
        self._places: list[dict[str, int]] = [{} if place else dict(weights) for place in PLACES]
        for name, weight in weights.items():
            if name[1:2] == ":" and (place := name[:2]) in PLACES:
                self._places[PLACES.index(place)][name[2:]] = weight

    def sums(self, seen: Seen) -> tuple[int, ...]:
        """The sum of every label, in their order: log-odds times `SCALE`."""
        total = self._start
        for weights, found in zip(self._places, seen, strict=True):
            if found:
                total += sum(filter(None, map(weights.get, found)))
        return self._lanes(total)

    def words(self, seen: Seen, label: str) -> list[tuple[str, int]]:
        """The features that spoke for or against a label, the weightiest first: what `why` shows."""
        place = self.labels.index(label)
        rows = zip(PLACES, self._places, seen, strict=True)
        weighed = (
            (name + each, self._lanes(weights.get(each, 0))[place]) for name, weights, found in rows for each in found
        )
        return sorted((each for each in weighed if each[1]), key=lambda each: (-abs(each[1]), each[0]))

    def _lanes(self, packed: int) -> tuple[int, ...]:
        lanes: tuple[int, ...] = self._unpack.unpack((packed + self._bias).to_bytes(self._unpack.size, "little"))
        return tuple(each - _HALF for each in lanes)


def installed(name: str, labels: Sequence[str]) -> Weights:
    """The weights that are installed under that name; DefectError when their file is missing or damaged."""
    path = Path(__file__).with_name(f"{name}.txt")
    try:
        return read(path.read_text("utf-8"), labels)
    except (OSError, ValueError) as error:
        raise DefectError(f"{path} is missing or damaged: {error}") from error


def read(written: str, labels: Sequence[str]) -> Weights:
    """The weights that a text holds; ValueError when it is no weights file of these labels."""
    head, *lines = written.rstrip("\n").split("\n")
    if head != _head(labels):
        raise ValueError("it does not begin as a weights file of this version")
    if not lines or lines[-1] != f"end {len(lines) - 2}":
        raise ValueError("it is not whole")
    starts = tuple(map(int, lines[0].split()))
    if len(starts) != len(labels):
        raise ValueError("it does not begin with a sum for each label")
    start = sum(each << (_LANE * place) for place, each in enumerate(starts))
    zeros = sum((_LOWEST + ZERO) << (_LANE * number) for number in range(len(labels)))
    rows = (line.rsplit("\t", 1) for line in lines[1:-1])
    return Weights(labels, {name: _packed(signs) - zeros for name, signs in rows}, start)


def _packed(signs: str) -> int:
    """The signs of one feature, one for each label, as one integer."""
    wide = bytearray(2 * len(signs))
    wide[::2] = signs.encode("ascii")
    return int.from_bytes(wide, "little")


def written(labels: Sequence[str], weights: Mapping[str, Sequence[int]], starts: Sequence[int]) -> str:
    """The weights file: features in order, one a line, with a sign for the weight of each label."""
    rows = [f"{name}\t{''.join(chr(each + _LOWEST + ZERO) for each in weights[name])}" for name in sorted(weights)]
    return "\n".join((_head(labels), " ".join(map(str, starts)), *rows, f"end {len(rows)}")) + "\n"


def _head(labels: Sequence[str]) -> str:
    return f"{FORMAT} {' '.join(labels)}"
