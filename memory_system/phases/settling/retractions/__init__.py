"""What a claim says is not so after all, by its very words: a diagnosis or a way of eating that was wrong, a medicine
that was exchanged, who does not come, a number that is another. The older memory is found by saying just that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from memory_system.phases.settling import styles
from memory_system.phases.settling.retractions import denials, medicines, visits, years
from memory_system.privacy.trust import is_told
from memory_system.records import Fact
from memory_system.store.gist import gist_of
from memory_system.store.store import Memories
from memory_system.turns import Claim

Kind = TypeVar("Kind", bound=Fact)
Fits = Callable[[dict[str, str], Fact, Claim | Fact], bool]

DENIED, EXCHANGED, STAYS_AWAY, RECOUNTED = "denied", "exchanged", "stays_away", "recounted"
SUPPOSED_TOO = frozenset({DENIED, STAYS_AWAY})  # cues that put an end to what was only supposed as well

_MOST = 12  # memories with such a word that are looked at, newest first
_ARTICLE = re.compile(r"^(?:(?:an?|the|my)(?: |$)|一?[辆台部只款](?=.))")  # before the name of a thing
_ENDS = " .!。！，,了啦"


def taken_back(
    cue: str, given: dict[str, str], claim: Claim | Fact, memories: Memories, kind: type[Kind]
) -> Kind | None:
    """The newest memory of the kind that says what the claim takes back; none where nobody is named and it is said of
    several."""
    named = parts(given)
    fitting = [
        each
        for each in _naming(f"{named['who']} {named['what']}", claim, memories, kind)
        if _FITS[cue](named, each, claim)
    ]
    if cue in (DENIED, EXCHANGED) and len({each.subject for each in fitting}) > 1:
        return None
    return max(fitting, key=lambda each: (each.said_at, each.id), default=None)


def parts(given: dict[str, str]) -> dict[str, str]:
    """What is taken back and what stands in its place (`to`, empty where nothing does), and of whom it is told."""
    names = {"what": ("what", "thing", "other", "wrong"), "to": ("to", "until", "right"), "who": ("who", "name")}
    found = {part: next((given[each] for each in each_of if given.get(each)), "") for part, each_of in names.items()}
    return {part: said.strip(_ENDS) for part, said in found.items()}


def inherited(cue: str, given: dict[str, str], claim: Claim, old: Fact) -> Claim:
    """The claim in the slot of the memory whose place it takes: the medicine it was exchanged for; what was told before
    with the right number in it."""
    named = parts(given)
    put = _ARTICLE.sub("", named["to"])
    if cue == EXCHANGED and not claim.attribute and old.attribute and put:
        return replace(
            claim, subject=old.subject, attribute=old.attribute, value=put, category=old.category,
            importance=max(claim.importance, old.importance),
        )  # fmt: skip
    if cue == RECOUNTED and not claim.attribute:
        return replace(
            claim, content=years.renumbered(old, named), subject=old.subject, attribute=old.attribute,
            value=years.revalued(old, named), category=old.category, event_time=old.event_time,
            entities=old.entities, importance=max(claim.importance, old.importance),
        )  # fmt: skip
    return claim


def _naming(what: str, claim: Claim | Fact, memories: Memories, kind: type[Kind]) -> Iterator[Kind]:
    """The older memories of the kind, told by people, that share a word with what is named."""
    found = memories.find_alike(dict.fromkeys(gist_of(what).words))
    ids = dict.fromkeys(each for _, ids in found.values() for each in ids[-_MOST:])
    earlier = (each for each in map(memories.get, ids) if type(each) is kind and each.said_at < claim.said_at)
    for each in earlier:
        told = each.polarity and is_told(each.evidence) and each.lang == claim.lang
        if told and each.attribute != styles.WISH:
            yield each


_FITS: dict[str, Fits] = {
    DENIED: denials.is_denied,
    EXCHANGED: medicines.is_exchanged,
    STAYS_AWAY: visits.is_coming,
    RECOUNTED: years.is_numbered,
}
CUES = frozenset(_FITS)
