"""Rule sets as data. A TOML file holds rules in named groups; every rule has an id, a `why`, a pattern, and examples
that it must match (`yes`) and must not (`no`), which the tests run and nothing else reads: they are half of a file.
What else a rule needs stands beside as plain keys.

All patterns of a group are matched in one pass by RE2, which is linear in the text whatever the pattern. What several
patterns share stands once in the table `parts` of the file; `%name%` in a pattern, or in what voids it, stands for the
part of that name.
Patterns for Chinese are in simplified characters and read traditional ones as those; what they find is as written.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import re2

from memory_system.text import simplified

FOLDER = Path(__file__).parent
_PART = re.compile(r"%([a-z_]+)%")
_SECOND = frozenset({"unless", "unless_before", "until"})  # patterns as well
_UNMARKED = re.compile(  # what many type without its apostrophe (im, dont) is read like what has it
    r"(?<=[i(|:])'(?=m\b)|'(?=ve\b)|(?<=n)'(?=t\b)|(?<=\bhe)'(?=s\b)|(?<=\bshe)'(?=s\b)|(?<=that)'(?=s\b)"
)
# A list stands on one line, or its lines stand between the brackets'.
_EXAMPLES = re.compile(r"^(?:yes|no) = (?:\[\n(?:(?!\]\n).*\n)*\]|.*)\n", re.MULTILINE)
_FEW = 12  # rules that one automaton holds well
_MEMORY = 64 << 20  # bytes RE2 may use for a group's automaton; a set that runs out of it matches nothing


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `data` holds the keys that only its `group` knows (weight, attribute, template, …)."""

    id: str
    why: str
    pattern: str
    data: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""

    @classmethod
    def from_row(cls, row: Mapping[str, Any], parts: Mapping[str, str], group: str = "") -> Rule:
        own = ("id", "why", "pattern")
        rest = {
            key: with_parts(value, parts) if key in _SECOND else value for key, value in row.items() if key not in own
        }
        return cls(row["id"], row["why"], _UNMARKED.sub("'?", with_parts(row["pattern"], parts)), rest, group)

    def search(self, text: str) -> Any:
        """The first match of the pattern (as `re` would give it), or None."""
        return _compiled(self.pattern).search(simplified(text))

    def stands_in(self, data: bytes) -> bool:
        """Whether the pattern is in a text, given as RE2 sees it: simplified, in UTF-8."""
        return _compiled(self.pattern).search(data) is not None

    def matches(self, text: str) -> Iterable[Any]:
        """Every match of the pattern."""
        found: Iterable[Any] = _compiled(self.pattern).finditer(simplified(text))
        return found

    def found(self, text: str) -> Iterator[Found]:
        """Every match with its named groups. One may begin in what ends the one before it: the words behind the last
        group only show where that is over."""
        names, pattern = _names(self.pattern), _compiled(self.pattern)
        data = simplified(text).encode()  # RE2 sees bytes, and only places that are asked for are counted
        at = 0
        while at <= len(data) and (match := pattern.search(data, at)):
            span, *spans = match.span(), *(match.span(number) for _, number in names)
            at = max(span[0] + 1, max((end for _, end in spans), default=span[1]))
            if len(data) > len(text):
                span, *spans = ((_sign(data, start), _sign(data, end)) for start, end in (span, *spans))
            places = {name: place for (name, _), place in zip(names, spans, strict=True)}
            yield Found(span, {name: text[start:end] for name, (start, end) in places.items()}, places)


class Found(NamedTuple):
    """A match: its span, the words of each named group and where they stand; a group that took no part is empty and
    stands at (-1, -1)."""

    span: tuple[int, int]
    parts: Mapping[str, str]
    places: Mapping[str, tuple[int, int]]

    def given(self) -> dict[str, str]:
        """The words of the groups that took part."""
        return {name: words for name, words in self.parts.items() if self.places[name][0] >= 0}


def _sign(data: bytes, place: int) -> int:
    """The number of the sign that begins at that byte."""
    return len(data[:place].decode()) if place > 0 else place


class RuleSet:
    """Rules that are tried together. Many of them are tried by the words they need (a Filter): one automaton for all
    would be too large to be built while the text goes by, unless they are `short` patterns."""

    def __init__(self, rules: Iterable[Rule], *, short: bool = False) -> None:
        self.rules = tuple(rules)
        self._short = short

    @cached_property  # many a group is only ever tried together with others
    def _set(self) -> Any:
        few = self._short or len(self.rules) <= _FEW
        matcher = re2.Set.SearchSet(_options()) if few else re2.Filter()
        for rule in self.rules:
            matcher.Add(*((rule.pattern,) if few else (rule.pattern, _options())))
        matcher.Compile()
        return matcher

    def firing(self, text: str) -> list[Rule]:
        """The rules whose pattern is in the text, in the order of the file."""
        return [self.rules[number] for number in sorted(self._set.Match(simplified(text)) or ())]

    def by_group(self, text: str) -> dict[str, list[Rule]]:
        """The same by group; a group without any is left out."""
        fired: dict[str, list[Rule]] = {}
        for rule in self.firing(text):
            fired.setdefault(rule.group, []).append(rule)
        return fired

    def fires(self, text: str) -> bool:
        return bool(self._set.Match(simplified(text)))

    @cached_property
    def _needed(self) -> Any:
        needed = re2.Filter()
        for rule in self.rules:
            needed.Add(rule.pattern, _options())
        needed.Compile()
        return needed

    def may_fire(self, text: str) -> bool:
        """Whether the text has the words that some rule needs: where it has not, none fires in any part of it."""
        return bool(self._needed.Match(simplified(text), potential=True))

    def found(self, text: str) -> Iterator[Found]:
        """Every match of each rule, in the order of the file."""
        for rule in self.firing(text):
            yield from rule.found(text)


@cache
def together(name: str, *groups: str) -> RuleSet:
    """Those groups of `<name>.toml` as one, tried in one pass."""
    return RuleSet(rule for group in groups for rule in load(name)[group].rules)


@cache
def load(name: str, *, examples: bool = False) -> Mapping[str, RuleSet]:
    """The groups of `<name>.toml`; KeyError for a group that the file lacks. Tables that are no lists of rules are
    reached through `table`."""
    document = _document(name, examples=examples)
    parts = document.get("parts", {})
    return {
        group: RuleSet(Rule.from_row(row, parts, group) for row in rows)
        for group, rows in document.items()
        if isinstance(rows, list) and rows and "pattern" in rows[0]
    }


@cache
def table(name: str, key: str, *, examples: bool = False) -> Any:
    """A plain value of `<name>.toml`: word lists, attribute tables."""
    return _document(name, examples=examples)[key]


@cache
def _document(name: str, *, examples: bool = False) -> dict[str, Any]:
    written = (FOLDER / f"{name}.toml").read_text("utf-8")
    return tomllib.loads(written if examples else _EXAMPLES.sub("", written))


def with_parts(pattern: str, parts: Mapping[str, str]) -> str:
    """The pattern with its parts put in; parts may hold parts. KeyError for a part that the file lacks."""
    while "%" in pattern and (name := _PART.search(pattern)):
        pattern = pattern.replace(name[0], f"(?:{parts[name[1]]})")
    return pattern


def caseless(pattern: str) -> re.Pattern[str]:
    """A pattern of `re` in which case does not matter. Each sign of a class is folded for that when it is made: not
    the 20,000 of Chinese, which have no case."""
    for han in ("[一-鿿]", r"[\u4e00-\u9fff]"):
        pattern = pattern.replace(han, f"(?-i:{han})")
    return re.compile(pattern, re.IGNORECASE)


@cache
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern, _options())


@cache
def _names(pattern: str) -> tuple[tuple[str, int], ...]:
    return tuple(_compiled(pattern).groupindex.items())


@cache
def _options() -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = _MEMORY
    return options
