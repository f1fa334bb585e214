"""Whether what a model says was meant so: whose words it rests on, whether they were in earnest, what they deny, and
that an operation on a memory is of the same thing. Each check gives the reason of a fault, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

from memory_system import attributes, text
from memory_system.phases.basis import Basis, told
from memory_system.phases.extract import GRAVE_FROM
from memory_system.phases.portrait import label_of
from memory_system.phases.screen import FOREIGN, Judged
from memory_system.privacy.secrets import PLACEHOLDER, redact
from memory_system.privacy.trust import suspects
from memory_system.records import STOCK_NAMES, USER, Fact
from memory_system.rules import table
from memory_system.store.gist import gist_of, tells_not
from memory_system.text.traditional import simplified
from memory_system.understand import matters
from memory_system.understand.language import language, pattern

_OWNER_IS = re.compile("User (?!and )|用户(?![的和跟])")  # how a sentence begins that is about the owner
_WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]{2}")
DENIED = "denies what was said"


def safety(basis: Basis) -> str:
    said = told(basis.operation)
    if PLACEHOLDER.search(said) or redact(said)[1]:
        return "secret"
    return "an order to the agent" if suspects(said, owner=False) else ""


def whose(basis: Basis) -> str:
    """It is about the owner in the owner's words, or about somebody who was named."""
    own = basis.subject == USER
    if own and all(line.message.speaker for line in basis.named):
        return "another's words"
    if not own and text.fold(simplified(basis.subject)) not in basis.folded:
        return "nobody of that name"
    said_of = {_said_of(basis, said) for _, said in basis.meant} if _is_told_of_one(basis) else set()
    return "said of another" if said_of == {"other" if own else "me"} else ""


def _is_told_of_one(basis: Basis) -> bool:
    """Whether it fills a slot, but for those near (they are told of with "my"), or tells what is grave of the owner."""
    if basis.slot and not basis.operation.text:
        return attributes.about(basis.slot).get("value_type") not in ("person", "animal")
    return basis.is_grave and _OWNER_IS.match(basis.operation.text) is not None


def _said_of(basis: Basis, said: str) -> str:
    """Of whom a sentence says it: of "me" or an "other", by who is named last before it; empty where nobody is."""
    lang, plain = text.language(said), text.straight(said)
    before = plain[: _place(basis, plain)]
    others = (*language(lang).mention.finditer(before), *pattern("reading", lang, "other").finditer(before))
    found = [(each.end(), "other") for each in others]
    found += [(before.rfind(name) + len(name), "other") for name in basis.near if name in before]
    found += [(each.end(), "me") for each in pattern("reading", lang, "me").finditer(before)]
    return max(found, default=(0, ""))[1]


def _place(basis: Basis, said: str) -> int:
    """Where in a sentence it is said: where the value stands, else the first word that both have."""
    value = said.casefold().find(basis.operation.value.casefold()) if basis.operation.value else -1
    terms = {each for each in matters.terms_of(told(basis.operation)) if matters.tells(each)}
    shared = (each.start() for each in _WORD.finditer(said) if not terms.isdisjoint(matters.terms_of(each[0])))
    return value if value >= 0 else min(shared, default=len(said))


def target(basis: Basis) -> str:
    """An update or an end is of the thing that its lines speak of."""
    if basis.operation.op == "add":
        return ""
    if basis.target is None:
        return "no such memory"
    return "" if _is_same_thing(basis, basis.target) else "another thing"


def _is_same_thing(basis: Basis, record: Fact) -> bool:
    """Whether lines and memory share a slot, a name or a word that tells matters apart."""
    operation = basis.operation
    if (operation.slot or operation.value) and (basis.subject, basis.slot) == record.slot and record.attribute:
        return True
    lines = (part for line in basis.around for part in (line.before, line.words))
    parts = [text.fold(simplified(each)) for each in (told(operation), *lines)]
    named = {record.value, *record.entities, record.subject} - {*STOCK_NAMES, USER, ""}
    words = (*map(simplified, named), *(_nouns(record.attribute) if record.attribute else ()))
    if any(text.stands_in(text.fold(each), said) for each in words for said in parts):
        return True
    mine = {term for said in parts for term in matters.terms_of(said)}
    return any(matters.tells(each) for each in mine.intersection(matters.terms_of(record.content)))


@cache
def _nouns(attribute: str) -> tuple[str, ...]:
    """The words by which people call an attribute."""
    nouns: Iterable[str] = table("attributes", "nouns").get(attribute, ())
    return (*nouns, *(label_of(attribute, lang) for lang in ("en", "zh")))


def denial(basis: Basis) -> str:
    """What a new sentence denies was denied, or has changed; of what is grave also the other way round."""
    if not basis.operation.text or basis.operation.op != "add":
        return ""
    clauses = [each for _, said in basis.meant for each in _clauses(basis, said)]
    changes = any(each.segment.change for each, _ in basis.meant)
    if tells_not(gist_of(basis.operation.text)):
        return "" if changes or any(tells_not(gist_of(said)) for _, said in basis.meant) else DENIED
    return DENIED if basis.is_grave and all(tells_not(gist_of(each)) for each in clauses) else ""


def _clauses(basis: Basis, said: str) -> list[str]:
    """The clauses of a sentence that share a word with the operation, else all of it."""
    mine = {*matters.terms_of(told(basis.operation))}
    ends = [0, *(each.end() for each in language(text.language(said)).clause.finditer(said)), len(said)]
    found = [said[start:end] for start, end in pairwise(ends) if mine.intersection(matters.terms_of(said[start:end]))]
    return found or [said]


def earnest(basis: Basis) -> str:
    """Nothing of others' or unreal words is said of the owner, and what is grave needs words that were surely meant."""
    if all(_is_unreal(basis, said) for _, said in basis.meant):
        return "not in earnest"
    if all(_is_foreign(each) for each, _ in basis.meant):
        unreal = all(each.segment.stance == "unreal" for each, _ in basis.meant)
        if unreal or basis.subject == USER:
            return "not in earnest" if unreal else "others' words"
    if not basis.is_grave:
        return ""
    return "" if any(_is_sure(each, basis) for each, _ in basis.meant) else "grave and not surely meant"


def _is_unreal(basis: Basis, said: str) -> bool:
    """Whether a condition or a wish stands before it, of which the operation says nothing."""
    unreal, plain = pattern("reading", text.language(said), "unreal"), text.straight(said)
    return unreal.search(plain[: _place(basis, plain)]) is not None and not unreal.search(told(basis.operation))


def _is_foreign(judged: Judged) -> bool:
    """Whether the words are not the speaker's own, or not meant."""
    return judged.reason in FOREIGN or judged.segment.stance in FOREIGN


def _is_sure(judged: Judged, basis: Basis) -> bool:
    if _is_foreign(judged):
        return False
    if judged.segment.stance == "asserted":
        return judged.segment.earnest >= GRAVE_FROM
    if judged.segment.stance == "ask":  # "please always …" is a wish that lasts
        return judged.segment.keep == basis.operation.kind == "instruction"
    return judged.segment.stance == "hedged" and basis.operation.maybe
