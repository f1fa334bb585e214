"""Which attributes a sentence tells of, as far as its words sound like it: "can't have the adhesive, I come up in
blisters" tells of an allergy, whether or not a rule reads which. A quote is found by them; it fills no slot. A question
is asked in the same words, so that the same weights say what it asks for.
"""

from __future__ import annotations

from functools import cache

from memory_system.text.traditional import simplified
from memory_system.understand import features
from memory_system.understand.features import Seen
from memory_system.understand.weights import LANGUAGES, SCALE, Weights, installed

ATTRIBUTES = (
    "name", "age", "birthday", "hometown", "lives_in", "occupation", "works_at", "major", "partner", "child",
    "relative", "friend", "pet", "condition", "medication", "allergy", "diet", "likes", "dislikes", "language", "owns",
    "habit", "instruction",
)  # fmt: skip
IDENTITY = frozenset({"name", "age", "birthday", "hometown"})
FROM = -SCALE // 2  # log-odds times `SCALE`, from which an attribute is heard
ASKED_FROM = -SCALE // 3  # and in a question


def heard(seen: Seen, lang: str) -> tuple[str, ...]:
    """The attributes that a sentence in that language tells of, the surest first; none in a language not taught."""
    if not lang:
        return ()
    sums = zip(ATTRIBUTES, _weights(lang).sums(seen), strict=True)
    return tuple(name for name, weight in sorted(sums, key=lambda each: -each[1]) if weight >= FROM)


def asked(question: str, lang: str) -> frozenset[str]:
    """The attributes that a question asks for. How it stands in its message says nothing: only its words count."""
    if lang not in LANGUAGES:
        return frozenset()
    words = features.of_words(simplified(question), lang)
    sums = zip(ATTRIBUTES, _weights(lang).sums(words), strict=True)
    return frozenset(name for name, weight in sums if weight >= ASKED_FROM)


@cache
def _weights(lang: str) -> Weights:
    return installed(f"tells.{lang}", ATTRIBUTES)
