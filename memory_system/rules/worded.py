"""Rules that are told in classes of words instead of patterns. The table `words` of a file names the classes, each a
list of words and phrases of both languages (`*` stands for any ending); `forms` are classes that only a pattern tells.

A rule `says` which classes must stand in one sentence, in which order: `"ignore earlier 24 order"`. A number is how
many bytes at most may stand between its neighbours (a Han character has three); without one it is `GAP`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from memory_system.rules import Rule, RuleSet, table
from memory_system.text import simplified

GAP = 48
_END = re.compile(r"[.!?](?=\s|$)|[。！？\n]")  # of a sentence

Span = tuple[int, int]


class Way(NamedTuple):
    """One way to say it: a class, and the classes after it, each with the bytes that may stand before it."""

    first: str
    rest: tuple[tuple[int, str], ...]

    @classmethod
    def told(cls, says: str) -> Way:
        pieces = says.split()
        gaps = ((int(before) if before.isdecimal() else GAP, word) for before, word in pairwise(pieces))
        return cls(pieces[0], tuple((gap, word) for gap, word in gaps if not word.isdecimal()))

    def classes(self) -> frozenset[str]:
        return frozenset((self.first, *(word for _, word in self.rest)))


class _Placed(NamedTuple):
    """A way of a rule: its place among all, in the order in which they are told; and its classes but the rarest."""

    place: int
    rule: Rule
    way: Way
    others: Sequence[str]


class Worded:
    """The rules of a group that are told in words. What a rule says stands only where its rarest class does (`common`
    are those that much talk has, the commonest first): one small automaton looks for the rarest, and finds hardly any;
    the others are then looked for one by one."""

    def __init__(self, classes: Sequence[Rule], rows: Sequence[Any], common: Sequence[str] = ()) -> None:
        self.rules = tuple(Rule.from_row({"pattern": "", **row}, {}) for row in rows)
        ways = [(rule, Way.told(each)) for rule in self.rules for each in rule.data["says"]]
        needed = frozenset().union(*(way.classes() for _, way in ways))
        self._classes = {each.id: each for each in classes if each.id in needed}
        rarity = {name: place for place, name in enumerate((*common, *sorted(needed - {*common})))}
        order = [*self._classes]
        self._ways: dict[str, list[_Placed]] = defaultdict(list)  # by their rarest class
        for place, (rule, way) in enumerate(sorted(ways, key=lambda each: order.index(each[1].first))):
            rarest, *others = sorted(way.classes(), key=rarity.__getitem__, reverse=True)
            self._ways[rarest].append(_Placed(place, rule, way, others))
        self.rarest = RuleSet((each for name, each in self._classes.items() if name in self._ways), short=True)

    def found(self, text: str) -> Iterator[tuple[Rule, Span]]:
        """Every stretch of a text that says what a rule is about."""
        return self.said(text, self.rarest.firing(text))

    def said(self, text: str, rarest: Iterable[Rule]) -> Iterator[tuple[Rule, Span]]:
        """The same, of a text in which those of the rarest classes stand."""
        if not rarest:
            return
        data = simplified(text).encode()
        possible = (each for rare in rarest for each in self._ways[rare.id])
        ways = [each for each in possible if all(self._classes[name].stands_in(data) for name in each.others)]
        needed = frozenset().union(*(each.way.classes() for each in ways))
        places = {name: [match.span() for match in self._classes[name].matches(text)] for name in needed}
        ends = [match.start() for match in _END.finditer(text)] if ways else []
        for each in sorted(ways, key=attrgetter("place")):
            for span in _said(each.way, places, ends, text):
                yield each.rule, span


def _said(way: Way, places: dict[str, list[Span]], ends: list[int], text: str) -> list[Span]:
    """Where the classes of a way stand in its order; of what ends at one place the shortest."""
    spans = places[way.first]
    for gap, name in way.rest:
        nearest = {end: start for start, end in _continued(spans, places[name], gap, ends, text)}
        spans = [(start, end) for end, start in nearest.items()]
    return spans


def _continued(spans: list[Span], after: list[Span], gap: int, ends: list[int], text: str) -> Iterator[Span]:
    """The spans in order, to the end of what stands behind them, no further than the gap and in the same sentence."""
    for start, stop in spans:
        for place in range(bisect_left(after, (stop, stop)), len(after)):
            begin, end = after[place]
            if begin - stop > gap or len(text[stop:begin].encode()) > gap:
                break
            if bisect_left(ends, stop) == bisect_left(ends, begin):
                yield start, end


@cache
def load(name: str, group: str, *, examples: bool = False) -> Worded:
    """A group of `<name>.toml` whose rules are told in words."""
    return Worded(_classes(name), table(name, group, examples=examples), table(name, "classes")["common"].split(", "))


@cache
def _classes(name: str) -> tuple[Rule, ...]:
    lists = {word: _any_of(words.split(", ")) for word, words in table(name, "words").items()}
    return tuple(
        Rule.from_row({"id": word, "why": "", "pattern": pattern}, {})
        for word, pattern in {**lists, **table(name, "forms")}.items()
    )


def _any_of(words: list[str]) -> str:
    """A pattern for any of the words, the longest first."""
    ordered = sorted(words, key=len, reverse=True)
    english = "|".join(re.escape(each).replace(r"\*", r"\w*") for each in ordered if each.isascii())
    han = "|".join(each for each in ordered if not each.isascii())
    return "|".join((*((rf"\b(?:{english})\b",) if english else ()), *((han,) if han else ())))
