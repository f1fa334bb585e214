"""Linear models, learned from labelled talk (`corpus/`) by `scripts/train` and shipped as one text file a language.

Every feature has a small integer weight for each label; a label's sum is compared with thresholds that were calibrated
on people the weights had not seen. There is no floating point and no randomness: the same words always get the same
sums. The weights of one feature are packed into one integer, a lane of 16 bits for each label, so that adding a feature
is one addition, whatever the number of labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from struct import Struct
from typing import TypeVar

from memory_system.errors import DefectError
from memory_system.understand.features import PLACES, Seen, words_in

LANGUAGES = ("en", "zh")
SCALE = 32  # units of weight to one unit of log-odds

FORMAT, LINKS_FORMAT = "weights 1", "links 1"
THRESHOLDS = ("sure", "likely", "maybe")
_LANE = 16
_HALF = 1 << (_LANE - 1)
_LOWEST = ord("!")  # how a weight stands in the file: one printable sign, `N` for 0
ZERO = 45

Model = TypeVar("Model")


class Weights:
    """What every feature weighs for each of the labels. `start` are the sums without any feature."""

    def __init__(self, labels: Sequence[str], weights: dict[str, int], start: int) -> None:
        self.labels = tuple(labels)
        self._bias = sum(_HALF << (_LANE * number) for number in range(len(labels)))
        self._unpack = Struct(f"<{len(labels)}h")
        self._start = start
        self._places: list[dict[str, int]] = [{} if place else weights for place in PLACES]
        for name in [each for each in weights if each[1:2] == ":"]:
            if (place := name[:2]) in PLACES:
                self._places[PLACES.index(place)][name[2:]] = weights[name]
        # sums of words alone: several labels are asked of the same, and people say them again
        self._of_words = lru_cache(maxsize=64)(partial(_sum_of_words, self._places[0]))

    def beside(self, *others: Weights) -> Weights:
        """These labels and the others' as those of one: a feature is looked up once for all."""
        joined = Weights([label for each in (self, *others) for label in each.labels], {}, 0)
        shift = 0
        for each in (self, *others):
            joined._start += each._start << shift
            for into, weights in zip(joined._places, each._places, strict=True):
                into.update([(name, into.get(name, 0) + (weight << shift)) for name, weight in weights.items()])
            shift += _LANE * len(each.labels)
        return joined

    def __contains__(self, word: str) -> bool:
        """Whether the labelled talk has the word, or the two neighbours, often enough to weigh something."""
        return word in self._places[0]

    def sums(self, seen: Seen) -> tuple[int, ...]:
        """The sum of every label, in their order: log-odds times `SCALE`."""
        total = self._start
        if seen.lang:
            total += self._of_words(seen.words, seen.lang)
        for weights, found in zip(self._places, seen[: len(PLACES)], strict=True):
            if found:
                total += _sum(weights, found)
        return self._lanes(total)

    def words(self, seen: Seen, label: str) -> list[tuple[str, int]]:
        """The features that spoke for or against a label, the weightiest first: what `why` shows."""
        place = self.labels.index(label)
        rows = zip(self._places, seen.by_place(), strict=True)
        weighed = (
            (name + each, self._lanes(weights.get(each, 0))[place]) for weights, (name, found) in rows for each in found
        )
        return sorted((each for each in weighed if each[1]), key=lambda each: (-abs(each[1]), each[0]))

    def _lanes(self, packed: int) -> tuple[int, ...]:
        lanes = (packed + self._bias) ^ self._bias  # a lane no longer borrows from the next: each is a signed number
        return self._unpack.unpack(lanes.to_bytes(self._unpack.size, "little"))


def _sum(weights: Mapping[str, int], found: Iterable[str]) -> int:
    return sum(filter(None, map(weights.get, found)))


def _sum_of_words(weights: Mapping[str, int], words: str, lang: str) -> int:
    return _sum(weights, words_in(words, lang))


@dataclass(frozen=True, slots=True)
class Links:
    """The link between a memory and what was said later: does the newer make the older one outdated? A whole weight for
    every feature, the sum without any, and thresholds: from `sure` the older memory is outdated, from `likely` both
    stand, and the newer is shown beside the older, beside what is grave from `maybe`; from there all else is in doubt.
    Learned by `scripts/links`."""

    weights: Mapping[str, int]
    start: int
    sure: int
    likely: int
    maybe: int

    def sum_of(self, told: Iterable[str]) -> int:
        """The sum of the weights of what tells for and against a link."""
        return self.start + sum(self.weights.get(each, 0) for each in told)


def loaded(name: str, labels: tuple[str, ...]) -> Weights:
    """The weights that are installed under that name; DefectError when their file is missing or damaged."""
    return _installed(name, partial(read, labels=labels))


installed = cache(loaded)  # once for all who ask


@cache
def links() -> Links:
    """The links that are installed; DefectError likewise."""
    return _installed("links", read_links)


def _installed(name: str, read_it: Callable[[str], Model]) -> Model:
    path = Path(__file__).with_name(f"{name}.txt")
    try:
        return read_it(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DefectError(f"{path} is missing or damaged: {error}") from error


def _rows(written: str, head: str, besides: int = 0) -> list[str]:
    """The rows of such a file, those `besides` the ones that its end counts among them."""
    first, *rows, end = written.rstrip("\n").split("\n")
    if first != head:
        raise ValueError("it does not begin as a file of this version")
    if end != f"end {len(rows) - besides}":
        raise ValueError("it is not whole")
    return rows


def read_links(written: str) -> Links:
    """The links that a text holds; ValueError when it is no such file."""
    rows = {name: int(weight) for name, weight in (line.rsplit("\t", 1) for line in _rows(written, LINKS_FORMAT))}
    start, *thresholds = (rows.pop(name) for name in ("start", *THRESHOLDS))
    return Links(rows, start, *thresholds)


def written_links(model: Links) -> str:
    """The file of the links: one feature a line, in order."""
    named = {name: getattr(model, name) for name in (*THRESHOLDS, "start")}
    rows = {**named, **dict(sorted(model.weights.items()))}
    return _file(LINKS_FORMAT, [f"{name}\t{weight}" for name, weight in rows.items()], len(rows))


def read(written: str, labels: Sequence[str]) -> Weights:
    """The weights that a text holds; ValueError when it is no weights file of these labels."""
    sums, *lines = _rows(written, _head(labels), besides=1)
    starts = tuple(map(int, sums.split()))
    if len(starts) != len(labels):
        raise ValueError("it does not begin with a sum for each label")
    start = sum(each << (_LANE * place) for place, each in enumerate(starts))
    names, signs = [line[: ~len(labels)] for line in lines], "".join([line[~len(labels) :] for line in lines])
    if signs[:: len(labels) + 1].strip("\t"):
        raise ValueError("a feature has not one sign for each label")
    packed = _packed(signs.replace("\t", ""), len(labels))
    return Weights(labels, dict(zip(names, packed, strict=True)), start)


def _packed(signs: str, labels: int) -> list[int]:
    """The signs of all features, one for each label, as one integer a feature."""
    size, zeros = 2 * labels, sum((_LOWEST + ZERO) << (_LANE * number) for number in range(labels))
    wide = bytearray(2 * len(signs))
    wide[::2] = signs.encode("ascii")
    return [int.from_bytes(wide[at : at + size], "little") - zeros for at in range(0, len(wide), size)]


def written(labels: Sequence[str], weights: Mapping[str, Sequence[int]], starts: Sequence[int]) -> str:
    """The weights file: features in order, one a line, with a sign for the weight of each label."""
    rows = [f"{name}\t{''.join(chr(each + _LOWEST + ZERO) for each in weights[name])}" for name in sorted(weights)]
    return _file(_head(labels), [" ".join(map(str, starts)), *rows], len(rows))


def _file(head: str, rows: Iterable[str], count: int) -> str:
    return "\n".join((head, *rows, f"end {count}")) + "\n"


def _head(labels: Sequence[str]) -> str:
    return f"{FORMAT} {' '.join(labels)}"
