"""English words whose forms no stemmer brings together: go and went, child and children."""

from __future__ import annotations

from collections.abc import Iterator

_FORMS = """
become became|begin began begun|bend bent|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred
|bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|come came|deal dealt|dig dug
|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt
|fight fought|find found|flee fled|fly flew flown|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen
|get got gotten|give gave given|go went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept
|know knew known|lead led|learn learnt|leave left|lend lent|light lit|lose lost|make made|mean meant|meet met|pay paid
|ride rode ridden|ring rang rung|rise risen|run ran|say said|see saw seen|seek sought|sell sold|send sent
|shake shook shaken|shoot shot|show shown|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid
|speak spoke spoken|spend spent|spin spun|stand stood|steal stole stolen|stick stuck|strike struck
|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told
|think thought|throw threw thrown|undergo underwent undergone|understand understood|wake woke woken|wear wore worn
|weep wept|win won|withdraw withdrew withdrawn|write wrote written
|child children|man men|woman women|person people|foot feet|tooth teeth|mouse mice|goose geese|wife wives
|knife knives|wolf wolves|half halves|shelf shelves|allergy allergies allergic
"""
_OTHERS: dict[str, tuple[str, ...]] = {
    word: tuple(other for other in group.split() if other != word)
    for group in _FORMS.split("|")
    for word in group.split()
}
_ENDINGS = ("ing", "es", "s", "'s")


def other_forms(word: str) -> tuple[str, ...]:
    """The forms of the word (in lower case) that do not look like it; mostly none."""
    return next((_OTHERS[base] for base in _bases(word) if base in _OTHERS), ())


def _bases(word: str) -> Iterator[str]:
    """What the word may be a regular form of: going, goes, making, running."""
    yield word
    for ending in _ENDINGS:
        if word.endswith(ending):
            root = word.removesuffix(ending)
            yield root
            if ending == "ing":
                yield f"{root}e"
                yield root[:-1]
