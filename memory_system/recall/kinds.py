"""What stands for the word for it: who asks for her flowers is answered by lilies, 哪个城市 by 杭州.

A kind is named by a rule for how it is asked for (`rules/asking.toml`), or by a word by which people ask for others, as
those were labelled (`corpus/related.*.jsonl`), behind its language: `en:flowers`. `related.<lang>.txt`, which
`scripts/related.py` writes, has a line for each word that asks, in its plainest form, with those that it asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

from memory_system.recall import terms
from memory_system.rules import load, table
from memory_system.store.gist import gist_of
from memory_system.text import is_cjk

PLACES = ("place", "city")  # kinds of which the gazetteer knows more, by the last part of their ids
LONGEST = 6  # characters of a Chinese word that asks
MOST_ASKING = 4  # words that ask, of one question: a long one is full of them


def kinds_of(folded: str) -> tuple[str, ...]:
    """The kinds that a question (in lower case) speaks of."""
    return (*(rule.id for rule in load("asking")["kinds"].firing(folded)), *asked_by_words(folded))


def asked_by_words(folded: str, most: int = MOST_ASKING) -> tuple[str, ...]:
    """Those that words of the question ask for, as they were labelled: the first, each once in whatever form."""
    found: dict[tuple[str, str], str] = {}
    for kind in _asking(folded):
        found.setdefault((kind[:2], plainest(word_of(kind))), kind)
    return tuple(islice(found.values(), most))


def word_of(kind: str) -> str:
    """The word that asks for the kind; empty where a rule names it."""
    return kind.partition(":")[2]


def words_of(kind: str) -> list[str]:
    """What is of the kind."""
    if word := word_of(kind):
        return _related(kind[:2])[plainest(word)].split("|")
    [rule] = [each for each in load("asking")["kinds"].rules if each.id == kind]
    known = [name for name in rule.data["names"].split("|") if name]
    return known + [name for row in table("gazetteer", "same") for name in row] * kind.endswith(PLACES)


@cache
def match(kind: str) -> str:
    """The FTS5 expression for all that is of the kind."""
    matches = (f"({' AND '.join(map(terms.match, terms.asked(word)))})" for word in words_of(kind))
    return " OR ".join(dict.fromkeys(matches))


def _asking(folded: str) -> Iterator[str]:
    words = [*terms.pieces(folded)]
    latin = [word for word in words if not is_cjk(word)]
    for word in (*map(" ".join, pairwise(latin)), *latin):
        if plainest(word) in _related("en"):
            yield f"en:{word}"
    for piece in filter(is_cjk, words):
        yield from (f"zh:{word}" for word in _longest(piece))


def _longest(piece: str) -> Iterator[str]:
    """The words that ask in a Chinese piece, the longest that begins at each place."""
    related, at = _related("zh"), 0
    while at < len(piece):
        begun = (piece[at:end] for end in range(min(len(piece), at + LONGEST), at, -1))
        word = next((each for each in begun if each in related), "")
        if word:
            yield word
        at += len(word) or 1


def plainest(word: str) -> str:
    """A word as `related.<lang>.txt` has it."""
    return word if is_cjk(word) else " ".join(gist_of(word).words)


@cache
def _related(lang: str) -> dict[str, str]:
    """The words that each word asks for, parted by bars."""
    lines = Path(__file__).with_name(f"related.{lang}.txt").read_text("utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines)
