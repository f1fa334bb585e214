"""Words in another spelling: the British or American one, and what is probably meant by words that nobody has
written."""

from __future__ import annotations

import re
from collections.abc import Collection

from memory_system.text import is_cjk

SHORTEST = 4  # letters: shorter words are too near to too many others
LONG = 7  # from so many letters on, two of them may be wrong, and how the word ends
HEAD = 1  # letters that must be right: they decide what is compared
APART = 0.5  # doubt about two characters that do not stand side by side
MEANT = 2  # words at most that are taken for one
# Indexed words have lost theirs.
_ENDINGS = "s es d ed ing e ly al ic ation ion ions ment ments er ers ness ive ous"
ENDINGS = tuple(_ENDINGS.split())


# What words begin with, as the British and as Americans write it.
_TWO = """
aeroplane airplane|ageing aging|aluminium aluminum|anaem anem|anaesth anesth|armour armor|behaviour behavior
|catalogue catalog|centred centered|centring centering|centre center|colour color|cosy cozy|defence defense
|dialogue dialog|diarrhoea diarrhea|doughnut donut|endeavour endeavor|favour favor|fibre fiber|flavour flavor
|grey gray|harbour harbor|honour honor|humour humor|jewellery jewelry|labour labor|licence license|litre liter
|manoeuvre maneuver|metre meter|mould mold|moustache mustache|mum mom|neighbour neighbor|odour odor
|offence offense|orthopaedic orthopedic|paediatr pediatr|parlour parlor|plough plow|practis practic
|programme program|pyjamas pajamas|rumour rumor|sceptic skeptic|theatre theater|tumour tumor|yoghurt yogurt
"""
_PAIRS: dict[str, list[tuple[str, str]]] = {}  # by the first letter, which they share
for _pair in _TWO.split("|"):
    _british, _american = _pair.split()
    _PAIRS.setdefault(_british[0], []).append((_british, _american))
_ISE = re.compile(r"(?<=[a-z]{3})(i|y)([sz])(?=(?:e[drs]?|ing|ations?)$)")
_LETTER = {"s": "z", "z": "s"}


def otherwise_spelt(word: str) -> str:
    """The word (in lower case) as it is written on the other side of the Atlantic; empty where that is the same."""
    for british, american in _PAIRS.get(word[:1], ()):
        if word.startswith(british):
            return american + word.removeprefix(british)
        if word.startswith(american):
            return british + word.removeprefix(american)
    other = _ISE.sub(lambda found: found[1] + _LETTER[found[2]], word)
    return other if other != word else ""


def can_be_misspelt(word: str) -> bool:
    return len(word) >= SHORTEST and word.isalpha()


def doubt_of(word: str) -> float:
    """How doubtful it is that what was found for the word is meant, from 0 to 1: a long word with a wrong letter is
    known, a short one may well be another; so may two characters that stand apart."""
    return APART if is_cjk(word) else min(1.0, SHORTEST / len(word))


def near(word: str, known: Collection[str]) -> list[str]:
    """The stems that the word is a misspelling of, nearest first: one letter wrong, missing, too many or in the wrong
    place, in a long word two."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    most = 1 + (len(word) >= LONG)
    forms = [word, *(word.removesuffix(ending) for ending in ENDINGS if word.endswith(ending))]
    forms += [f"{word[:-1]}i"] * word.endswith("y")
    shortest, longest = max(SHORTEST, len(word) - most - 2), len(word) + most
    stems = [stem for stem in known if shortest <= len(stem) <= longest]
    found = {stem: most + 1 for stem in stems if len(stem) >= LONG and word.startswith(stem)}
    found |= dict.fromkeys({*known}.intersection(forms), 0)
    for form in forms:
        for stem, distance, _ in extract(form, stems, scorer=OSA.distance, score_cutoff=most, limit=None):
            if distance < 2 or min(len(form), len(stem)) >= LONG - 1:  # what is left may be short: "wedd" is no "week"
                found[stem] = min(distance, found.get(stem, distance))
    return sorted(found, key=lambda stem: (found[stem], stem))[:MEANT]
