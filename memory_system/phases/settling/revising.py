"""Which memories a claim takes back where no slot tells: what it says has ended ("no longer", 不再), what it puts
another time, number or name in the place of ("moved to Friday", 改到), what it left for something else ("from one to
another"). Without such a cue nothing is ever taken back, and without the same words neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from memory_system import rules
from memory_system.phases.settling import styles
from memory_system.phases.settling.alike import same_subject
from memory_system.phases.settling.rearranging import corrected_value, displaced
from memory_system.records import Fact
from memory_system.store.gist import gist_of, is_time, tells_not
from memory_system.store.store import Memories
from memory_system.turns import Claim

_MOST = 6  # memories with such a word that are looked at, newest first
_SUSPECTS = 2  # of them that may be what a claim takes back
_RAREST = 2  # words of a claim by which they are looked for
_CLAUSE = re.compile(r"[,，;；。]| and | but ")
_LEAST = {"en": 2, "zh": 3}  # words (Chinese: characters) that a frame must share when more than a time changed
_LONGEST = {"en": 3, "zh": 6}  # words that may change places in it
_SPEAKERS = ("User", "用户")
_PUT_RIGHT = frozenset({"corrected", "found_out"})
_PRONOUNS = frozenset(("i", "my", "we", "our", "me", "我", "们"))
_SAID = re.compile(r"^(?:说|says )")


def cues(claim: Claim) -> frozenset[str]:
    """How the claim says that something is otherwise now: ended, changed, corrected, replaced; empty for most."""
    found = _cues(claim.heard, claim.lang)
    found |= {"changed"} if claim.correction else frozenset()
    if claim.correction and not claim.polarity:
        found |= _cues(claim.content, claim.lang) & {"ended"}  # the question before it says what: "No, I left"
    return found | {"restyled"} if claim.attribute == styles.WISH else found


def _cues(words: str, lang: str) -> frozenset[str]:
    return frozenset(str(rule.data["cue"]) for rule in rules.load(lang)["revision"].firing(words))


def taken_back(claim: Claim, said: frozenset[str], memories: Memories) -> list[Fact]:
    """The active facts that are over with the claim, by its cues."""
    found: dict[str, Fact] = {}
    for clause in _CLAUSE.split(claim.content) if said & {"ended", *_PUT_RIGHT} else ():
        if "ended" in _cues(clause, claim.lang) or (said & _PUT_RIGHT and tells_not(gist_of(clause))):
            core = _words(clause, claim)
            found |= {each.id: each for each in _near(core, claim, memories) if _is_ended(core, each)}
    if "replaced" in said and (left := _left(claim)):
        words = set(_words(claim.content, claim))
        found |= {each.id: each for each in _near(left, claim, memories) if _is_left(left, words, each, claim)}
    if not found and said & {"changed", *_PUT_RIGHT}:
        mine = _words(claim.content, claim)
        near = (each for each in _near(mine, claim, memories) if claim.attribute in ("", each.attribute))
        newest = next((each for each in near if _is_replaced(mine, _words(each.content, each), claim, said)), None)
        found |= {newest.id: newest} if newest else {}
    found |= {each.id: each for each in (*displaced(claim, memories), *styles.outdated(claim, memories))}
    if "corrected" in said:
        found |= {each.id: each for each in corrected_value(claim, memories)}
    return list(found.values())


def suspects(claim: Claim, memories: Memories) -> list[Fact]:
    """The newest facts about the same matter as a claim that takes something back, where the rules do not see what: the
    claim has half of their words at least."""
    mine = _words(claim.content, claim)
    near = ((set(_words(each.content, each)), each) for each in _near(mine, claim, memories))
    return [each for theirs, each in near if len(theirs & set(mine)) >= max(_LEAST[claim.lang], len(theirs) / 2)][
        :_SUSPECTS
    ]


def _near(words: Sequence[str], claim: Claim, memories: Memories) -> list[Fact]:
    """Facts of the same subject that share a rare word with the claim, newest first."""
    rarest = sorted(memories.find_alike(dict.fromkeys(words)).values())[:_RAREST]
    ids = dict.fromkeys(each for _, ids in rarest for each in ids[-_MOST:])
    found = (memories.get(each) for each in ids)
    facts = [each for each in found if type(each) is Fact and same_subject(claim, each)]
    return sorted((each for each in facts if each.said_at < claim.said_at), key=lambda each: each.said_at, reverse=True)


def _words(sentence: str, of: Claim | Fact) -> tuple[str, ...]:
    """The words of the sentence without the one it is about and without the words that only cue a revision."""
    for name in (*of.entities, of.subject, *_SPEAKERS):
        sentence = sentence.removeprefix(name).removeprefix("'s")
    for name in _SPEAKERS:
        sentence = sentence.replace(name, "")
    sentence = _cue_words(of.lang).sub(" ", _SAID.sub("", sentence.strip()))
    return gist_of(sentence).words


@cache
def _cue_words(lang: str) -> re.Pattern[str]:
    words = "|".join(sorted(rules.table("alike", lang)["cues"], key=len, reverse=True))
    return re.compile(words if lang == "zh" else rf"\b(?:{words})\b|n't\b", re.IGNORECASE)


def _is_ended(core: Sequence[str], fact: Fact) -> bool:
    """Whether what ended is what the fact says, give or take how it was meant ("planning to go")."""
    if not core or not fact.polarity or tells_not(gist_of(fact.content)):
        return False
    mine, value = set(core), set(gist_of(fact.value).words)
    for theirs in _tellings(fact):
        if value and value <= mine <= theirs | value | set(gist_of(fact.attribute).words):
            return True
        if theirs and (mine == theirs or (mine < theirs and theirs - mine <= _intentions(fact.lang))):
            return True
    return False


def _tellings(fact: Fact) -> Iterator[set[str]]:
    """The words of the fact as it is told, and as it was said at first."""
    yield set(_words(fact.content, fact))
    for said in fact.evidence[:1]:
        yield set(_words(said.quote, fact)) - _PRONOUNS


@cache
def _intentions(lang: str) -> frozenset[str]:
    return frozenset(word for said in rules.table("alike", lang)["intentions"] for word in gist_of(said).words)


def _left(claim: Claim) -> tuple[str, ...]:
    """The words for what was left: X in "from X to Y"."""
    heard = claim.heard
    for rule in rules.load(claim.lang)["revision"].firing(heard):
        for found in rule.found(heard) if rule.data["cue"] == "replaced" else ():
            return gist_of(found.parts["old"] or found.parts["gone"]).words
    return ()


def _is_left(left: Sequence[str], mine: set[str], fact: Fact, claim: Claim) -> bool:
    """Whether the fact is about what was left, in the same slot or in the same matter."""
    if not fact.polarity or tells_not(gist_of(fact.content)):
        return False
    value = set(gist_of(fact.value).words)
    if set(left) <= value and claim.attribute in ("", fact.attribute) and len(value) <= len(left) + _LEAST[claim.lang]:
        return True
    theirs = set(_words(fact.content, fact))
    return set(left) < theirs and len(theirs - mine) <= 1 and bool(theirs & mine - set(left))


def _is_replaced(mine: Sequence[str], theirs: Sequence[str], claim: Claim, said: frozenset[str]) -> bool:
    """Whether both say the same of the same with another time, number or (after an outright correction, or where there
    can be one only) name in it."""
    start = _shared(mine, theirs)
    end = _shared(mine[start:][::-1], theirs[start:][::-1])
    new, old = mine[start : len(mine) - end], theirs[start : len(theirs) - end]
    frame = (*mine[:start], *mine[len(mine) - end :])
    content = [word for word in frame if not is_time(word)]
    if not (new and old and content):
        return False
    if all(map(is_time, (*new, *old))):
        return len(content) >= (1 if "corrected" in said or claim.lang == "en" else 2)
    if max(len(new), len(old)) > _LONGEST[claim.lang] or len(content) < 2:
        return False
    single = any(one in claim.content.lower() for one in rules.table("alike", claim.lang)["one"])
    # what only ends alike is another matter: somebody does another thing in the same place
    return single or ("corrected" in said and start > 0 and len(content) >= _LEAST[claim.lang])


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(one), len(other)))


def over(facts: Iterable[Fact], rivals: Iterable[Fact]) -> list[Fact]:
    """Both, each once."""
    return list({each.id: each for each in (*rivals, *facts)}.values())
