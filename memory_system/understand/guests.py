"""Whether a message is somebody else's than the owner's, who types on the owner's device: a guest, a child, a carer.
Weights have learned it from labelled talk (`corpus/guests.*.jsonl`): from how the message begins, whose names it has,
how they stand there, and whom the assistant greets in answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from memory_system import rules
from memory_system.rules import Rule
from memory_system.text import has_cjk, language, simplified, straight
from memory_system.understand import features, judge
from memory_system.understand.hearing import LABELS, sums_of
from memory_system.understand.weights import LANGUAGES

GUEST = LABELS["guests"]
FROM = 0  # log-odds times `SCALE`, from which a guest types
SURELY_NOT = -10_000
HEAD, WORDS = 90, 60  # characters in which somebody says who they are, and of which the words are heard
OWN, NEAR = "QQO", "QQN"  # what stands in a message for a name of the owner, and for one of somebody near
_GREETED = 30  # characters of an answer in which somebody is greeted
SHORT = 2  # letters of what is no name by itself
_PARTICLES = frozenset({"van", "von", "der", "den", "del", "dela", "bin", "binti", "called", "the"})
_THIRD = re.compile(r"\b(?:s?he|her|him|his)\b|[他她]", re.IGNORECASE)


class Names(NamedTuple):
    """What the owner is called, and those near them."""

    own: frozenset[str]
    near: frozenset[str]


def sum_of(words: str, names: Names, *, opens: bool, answer: str = "") -> int:
    """How much it sounds as if somebody else typed the words, which open a session or not, as far as the names that are
    known and the answer tell it: log-odds times `SCALE`."""
    lang = language(words)
    if lang not in LANGUAGES or OWN in _presented(_marked(words, names)[:HEAD]):
        return SURELY_NOT
    return sums_of("guests", lang, seen(words, lang, names, opens=opens, answer=answer))[0]


def shows_whom(words: str, names: Names, answer: str) -> bool:
    """Whether an answer says something of who typed the words: it has a name of theirs."""
    return any(_answered(answer, _presented(_marked(words, names)[:HEAD]), names))


def _answered(answer: str, presented: Iterable[str], names: Names) -> Iterator[str]:
    """Whose name the beginning of the answer has."""
    reply = _marked(answer[: 2 * _GREETED], names)[:_GREETED]
    yield from (f"#answered {name}" for name in (OWN, NEAR) if name in reply)
    if any(name != OWN and name in reply for name in presented):
        yield "#answered by name"


def seen(words: str, lang: str, names: Names, *, opens: bool, answer: str) -> features.Seen:
    """What is seen of a message and of the answer to it."""
    marked = _marked(words, names)
    presented = _presented(marked[:HEAD])
    signs = {*_signs(marked, presented, lang, knows=bool(names.own))}
    signs |= {f"{one} {other}" for one, other in combinations(sorted(signs), 2)}
    signs.update(_answered(answer, presented, names) if answer else ())
    signs.add("#opens" if opens else "#inside")
    signs.update(features.beginnings_of(marked, lang))
    return features.of_words(marked[:WORDS], lang, signs)


@lru_cache(maxsize=8)  # of one message it is asked twice, and again when it is answered
def _presented(head: str) -> tuple[str, ...]:
    """The names that are given for who types, or the marks for them."""
    found = (each for rule in _heads(head).get("presents", ()) for each in rule.found(head))
    return tuple(name for each in found for name in each.parts.values() if name)


@lru_cache(maxsize=8)  # likewise
def _heads(head: str) -> Mapping[str, Sequence[Rule]]:
    """The rules that fire of whom the head of a message presents, by their group."""
    return rules.together("frames", "presents", "presents_kin").by_group(head)


def _signs(marked: str, presented: Collection[str], lang: str, *, knows: bool) -> Iterator[str]:
    """Who is presented as the one who types, and who is spoken of; `knows`: some name of the owner's is known."""
    head, owned = marked[:HEAD], OWN in marked and OWN not in presented
    for name in presented:
        if name in (OWN, NEAR):
            yield f"#presents {name}"
        elif name.lower() not in judge.judge_of(lang):
            yield f"#presents another {knows}"
    if "presents_kin" in _heads(head):
        yield "#presents kin"
    yield from ["#names owner"] if owned else []
    yield from ["#names near"] if NEAR in marked else []
    yield from ["#device"] if rules.load("frames")["device"].fires(marked[:WORDS]) else []
    yield from ["#third"] if _THIRD.search(head) else []


@lru_cache(maxsize=8)  # likewise
def _marked(words: str, names: Names) -> str:
    """The words with marks for the names that are known."""
    plain = simplified(straight(words))
    for mark, group in ((OWN, names.own), (NEAR, names.near)):
        if pattern := _pattern(group):
            plain = pattern.sub(mark, plain)
    return plain


@lru_cache(maxsize=64)
def _pattern(names: Collection[str]) -> re.Pattern[str] | None:
    """What finds one of the names, or a part of one, as a word."""
    found = sorted({part for name in names for part in _parts(name)}, key=lambda part: (-len(part), part))
    parts = (re.escape(part) if has_cjk(part) else rf"\b{re.escape(part)}\b" for part in found)
    return re.compile("|".join(parts), re.IGNORECASE) if found else None


def _parts(name: str) -> Iterator[str]:
    """A name and what somebody may be called of it: one of its words, in Chinese what stands behind the family's."""
    yield name
    if has_cjk(name):
        yield from [name[1:]] * (len(name) > 2)
    else:
        yield from (word for word in name.split() if len(word) > SHORT and word.lower() not in _PARTICLES)
