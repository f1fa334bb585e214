"""Whether what a model says was meant so: whose words it rests on, whether they were in earnest, what they deny, and
that an operation on a memory is of the same thing. Each check gives the reason of a fault, or nothing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from memory_system import attributes, text
from memory_system.phases.basis import Basis
from memory_system.phases.extract import GRAVE_FROM
from memory_system.phases.operations import told
from memory_system.phases.portrait import label_of
from memory_system.phases.screen import FOREIGN, Judged
from memory_system.privacy.secrets import PLACEHOLDER, redact
from memory_system.privacy.trust import suspects
from memory_system.records import STOCK_NAMES, USER, Fact
from memory_system.rules import table
from memory_system.store.gist import gist_of, tells_not
from memory_system.text.traditional import simplified
from memory_system.understand import matters

GRAVE_KINDS = frozenset({"health", "instruction", "profile"})  # of a sentence that is new
DENIED = "denies what was said"


def safety(basis: Basis) -> str:
    said = told(basis.operation)
    if PLACEHOLDER.search(said) or redact(said)[1]:
        return "secret"
    return "an order to the agent" if suspects(said, owner=False) else ""


def whose(basis: Basis) -> str:
    """It is about the owner in the owner's words, or about somebody who was named."""
    if basis.subject == USER:
        return "" if any(not line.message.speaker for line in basis.named) else "another's words"
    return "" if text.fold(simplified(basis.subject)) in basis.folded else "nobody of that name"


def target(basis: Basis) -> str:
    """An update or an end is of the thing that its lines speak of."""
    if basis.operation.op == "add":
        return ""
    if basis.target is None:
        return "no such memory"
    return "" if _is_same_thing(basis, basis.target) else "another thing"


def _is_same_thing(basis: Basis, record: Fact) -> bool:
    """Whether lines and memory share a slot, a name or a word that tells matters apart."""
    if basis.operation.slot and (basis.subject, basis.operation.slot) == record.slot:
        return True
    lines = (part for line in basis.around for part in (line.before, line.words))
    said = text.fold(simplified("\n".join((told(basis.operation), *lines))))
    named = {record.value, *record.entities, record.subject} - {*STOCK_NAMES, USER, ""}
    words = (*map(simplified, named), *(_nouns(record.attribute) if record.attribute else ()))
    if any(text.stands_in(text.fold(each), said) for each in words):
        return True
    return any(matters.tells(each) for each in {*matters.terms_of(said)}.intersection(matters.terms_of(record.content)))


@cache
def _nouns(attribute: str) -> tuple[str, ...]:
    """The words by which people call an attribute."""
    nouns: Iterable[str] = table("attributes", "nouns").get(attribute, ())
    return (*nouns, *(label_of(attribute, lang) for lang in ("en", "zh")))


def denial(basis: Basis) -> str:
    """What a new sentence denies was denied, or has changed; of what is grave also the other way round."""
    if not basis.operation.text or basis.operation.op != "add":
        return ""
    denied = [tells_not(gist_of(said)) or bool(each.segment.change) for each, said in basis.meant]
    if tells_not(gist_of(basis.operation.text)):
        return "" if any(denied) else DENIED
    return DENIED if is_grave(basis) and all(tells_not(gist_of(said)) for _, said in basis.meant) else ""


def is_grave(basis: Basis) -> bool:
    """Whether it is of what must not be wrong: health, who somebody is, what the agent is told to do."""
    if basis.category:
        return basis.category in attributes.CERTAIN
    health = any(each.segment.keep == "health" for each, _ in basis.meant if not each.reason)
    return basis.operation.kind in GRAVE_KINDS or health


def earnest(basis: Basis) -> str:
    """Nothing of others' or unreal words is said of the owner, and what is grave needs words that were surely meant."""
    if all(_is_foreign(each) for each, _ in basis.meant):
        unreal = all(each.segment.stance == "unreal" for each, _ in basis.meant)
        if unreal or basis.subject == USER:
            return "not in earnest" if unreal else "others' words"
    if not is_grave(basis):
        return ""
    return "" if any(_is_sure(each, basis) for each, _ in basis.meant) else "grave and not surely meant"


def _is_foreign(judged: Judged) -> bool:
    """Whether the words are not the speaker's own, or not meant."""
    return judged.reason in FOREIGN or judged.segment.stance in FOREIGN


def _is_sure(judged: Judged, basis: Basis) -> bool:
    if _is_foreign(judged):
        return False
    if judged.segment.stance == "asserted":
        return judged.segment.earnest >= GRAVE_FROM
    return judged.segment.stance == "hedged" and basis.operation.maybe


CHECKS = (safety, whose, target, denial, earnest)
