"""Words that nobody has written, and what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable

SHORTEST = 4  # letters: shorter words are too near to too many others
LONG = 7  # from so many letters on, two of them may be wrong
HEAD = 1  # letters that must be right: they decide what is compared
MEANT = 2  # words at most that are taken for one
# Indexed words have lost theirs.
_ENDINGS = "s es d ed ing e ly al ic ation ion ions ment ments er ers ness ive ous"
ENDINGS = tuple(_ENDINGS.split())


def can_be_misspelt(word: str) -> bool:
    return len(word) >= SHORTEST and word.isalpha()


def near(word: str, known: Iterable[str]) -> list[str]:
    """The stems that the word is a misspelling of, nearest first: one letter wrong, missing, too many or in the wrong
    place, in a long word two."""
    from rapidfuzz.distance import OSA

    most = 1 + (len(word) >= LONG)
    forms = [word, *(word.removesuffix(ending) for ending in ENDINGS if word.endswith(ending))]
    forms += [f"{word[:-1]}i"] * word.endswith("y")
    found = []
    for stem in known:
        if len(stem) >= SHORTEST - 1 and len(word) - len(stem) <= most + 2:
            distance = min(OSA.distance(form, stem, score_cutoff=most) for form in forms)
            if distance <= most:
                found.append((distance, stem))
    return [stem for _, stem in sorted(found)[:MEANT]]
