"""The judge: is a sentence worth keeping, how is it meant, and does it change what was said before? And of which
attributes does it tell, as far as its words sound like it: "can't have the adhesive, I come up in blisters" tells of an
allergy, whether or not a rule reads which. A quote is found by them; it fills no slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from memory_system.text import simplified
from memory_system.understand import features
from memory_system.understand.weights import LANGUAGES, SCALE, Weights, installed

KINDS = ("profile", "health", "relation", "preference", "instruction", "plan", "event", "project")
STANCES = ("asserted", "hedged", "unreal", "others", "ask")
PASSING = ("plan", "event")  # kinds that weigh little: as these a sentence weighs whose kind is in doubt
CHANGES = ("corrects", "ends", "moves", "cancels")
LABELS = ("keep", *KINDS, *STANCES, *CHANGES)
_KINDS, _STANCES, _CHANGES = slice(1, 9), slice(9, 14), slice(14, 18)  # where they stand among the labels
_PASSING = [KINDS.index(each) for each in PASSING]

CHANGE_FROM = 5 * SCALE // 4  # from which a change is believed: a wrong one hides what is still so
KIND_FROM = -SCALE  # from which a sentence is of its likeliest kind; else it is of what passes
SURELY = 3 * SCALE // 2  # by which a kind must lead: a remark that is kept as health never fades
ORDER = "instruction"  # a kind that is believed only where it leads so: an assistant obeys it every morning
ATTRIBUTES = (
    "name", "age", "birthday", "hometown", "lives_in", "occupation", "works_at", "major", "partner", "child",
    "relative", "friend", "pet", "condition", "medication", "allergy", "diet", "likes", "dislikes", "language", "owns",
    "habit", "instruction",
)  # fmt: skip
IDENTITY = frozenset({"name", "age", "birthday", "hometown"})
TOLD_FROM = -SCALE // 2  # log-odds times `SCALE`, from which an attribute is heard
FILLS_FROM = 0  # and from which it may fill a slot
ASKED_FROM = -SCALE // 2  # and from which a question asks for it
HINTED_FROM = -3 * SCALE // 2  # and from which words may tell of it: they are looked at where it is asked for


class Verdict(NamedTuple):
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
    weighs: str  # the kind that its importance is of: the likeliest where that leads surely, else what passes


def verdict_of(sums: Sequence[int]) -> Verdict:
    """The verdict that the sums of the labels make."""
    worth, kinds, stances, changes = sums[0], sums[_KINDS], sums[_STANCES], tuple(sums[_CHANGES])
    passing = KINDS[max(_PASSING, key=kinds.__getitem__)]
    *_, second, first = sorted(kinds)
    kind = KINDS[kinds.index(first)] if first >= KIND_FROM else passing
    if kind == ORDER and first - second < SURELY:
        kind = KINDS[kinds.index(second)]
    surest = max(changes)
    return Verdict(
        keep=kind if worth > 0 else "none",
        stance=STANCES[stances.index(max(stances))],
        change=CHANGES[changes.index(surest)] if surest > CHANGE_FROM else "",
        worth=worth,
        earnest=stances[0] - max(stances[2:]),
        changes=changes,
        likeliest=kind,
        weighs=kind if kinds[KINDS.index(kind)] - second >= SURELY else passing,
    )


def judge_of(lang: str) -> Weights:
    """The weights of a language; of one that the judge was not taught (`""`), the English ones of what has no language.
    DefectError when the file that is installed with the program is missing or damaged."""
    return installed(f"judge.{lang or 'en'}", LABELS)


def is_taught(words: str, lang: str) -> bool:
    """Whether the labelled talk of that language has at least half of the words."""
    found, known = [each for each in features.tokens_of(words, lang) if each.isalpha()], judge_of(lang)
    return bool(found) and 2 * sum(each in known for each in found) >= len(found)


@cache
def reader_of(lang: str) -> Weights:
    """The judge of a language and what tells of attributes as one; the judge alone of a language not taught."""
    return judge_of(lang).beside(installed(f"tells.{lang}", ATTRIBUTES)) if lang else judge_of(lang)


def attributes_told(sums: Sequence[int]) -> tuple[str, ...]:
    """The attributes that a sentence tells of, by the sums of all labels, the surest first."""
    heard = sums[len(LABELS) :]
    if max(heard, default=TOLD_FROM) < TOLD_FROM:
        return ()
    told = [(-each, place) for place, each in enumerate(heard) if each >= TOLD_FROM]
    return tuple([ATTRIBUTES[place] for _, place in sorted(told)])


def attributes_asked(question: str, lang: str) -> frozenset[str]:
    """The attributes of the user that a question asks for."""
    return _heard("asks", question, lang, ASKED_FROM)


def attributes_heard(words: str, lang: str) -> frozenset[str]:
    """The attributes that words may fill, whatever stood around them."""
    return _heard("tells", words, lang, FILLS_FROM)


def attributes_hinted(words: str, lang: str) -> frozenset[str]:
    """The attributes of which words may tell, unsurely."""
    return _heard("tells", words, lang, HINTED_FROM)


def _heard(which: str, words: str, lang: str, least: int) -> frozenset[str]:
    if lang not in LANGUAGES:
        return frozenset()
    sums = installed(f"{which}.{lang}", ATTRIBUTES).sums(features.of_words(simplified(words), lang))
    return frozenset(name for name, weight in zip(ATTRIBUTES, sums, strict=True) if weight >= least)
