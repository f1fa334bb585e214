"""Whether what a model says was meant so: whose words it rests on, whether they were in earnest, what they deny, and
that an operation on a memory is of the same thing. Each check gives the reason of a fault, or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memory_system import attributes, text
from memory_system.phases.basis import Basis, bare, telling_of, told
from memory_system.phases.screen import FOREIGN, Judged
from memory_system.privacy.secrets import PLACEHOLDER, redact
from memory_system.privacy.trust import suspects
from memory_system.records import STOCK_NAMES, USER, Fact
from memory_system.store.gist import gist_of, tells_not
from memory_system.text import simplified
from memory_system.understand import matters
from memory_system.understand.language import language, pattern
from memory_system.understand.played import may_be_played
from memory_system.understand.weights import SCALE

_OWNER_IS = re.compile("User (?!and )|用户(?![的和跟])")  # how a sentence begins that is about the owner
_WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]{2}")
_GIVEN = 2  # characters of a Chinese given name
LONG = 80  # characters of a clause, above which it says too much to be denied as a whole
DENIED = "denies what was said"
MEANT_FROM, ENDS_FROM = -3 * SCALE, -2 * SCALE  # of the judge's margins: below, nothing grave was meant, nothing ended


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
    if not own and not _is_spoken_of(basis):
        return "nobody of that name"
    said_of = {_said_of(basis, said) for _, said in basis.meant} if _is_told_of_one(basis) else set()
    return "said of another" if said_of == {"other" if own else "me"} else ""


def _is_spoken_of(basis: Basis) -> bool:
    """Whether whom it is about was named, in Chinese also without the family name."""
    name = text.fold(simplified(basis.subject))
    return name in basis.folded or (text.has_cjk(name) and len(name) > _GIVEN and name[-_GIVEN:] in basis.folded)


def _is_told_of_one(basis: Basis) -> bool:
    """Whether it fills a slot, but for those near (they are told of with "my"), or tells what is grave of the owner."""
    if basis.slot and not basis.operation.text:
        return attributes.about(basis.slot).get("value_type") not in ("person", "animal")
    if basis.operation.kind == "instruction":
        return False
    return basis.is_grave and _OWNER_IS.match(basis.operation.text) is not None


def _said_of(basis: Basis, said: str) -> str:
    """Of whom a sentence says it: of "me" or an "other", by who is named last before it; empty where nobody is."""
    lang, plain = text.language(said), text.straight(said)
    before = plain[: _place(basis, plain)]
    others = (*language(lang).mention.finditer(before), *pattern("reading", lang, "other").finditer(before))
    found = [(each.end(), "other") for each in others]
    named = basis.near if basis.subject == USER else {*basis.near, basis.subject}
    found += [(before.rfind(name) + len(name), "other") for name in named if name in before]
    found += [(each.end(), "me") for each in pattern("reading", lang, "me").finditer(before)]
    return max(found, default=(0, ""))[1]


def _place(basis: Basis, said: str) -> int:
    """Where in a sentence it is said: where the value stands, else the first word that both have."""
    value = said.casefold().find(basis.operation.value.casefold()) if basis.operation.value else -1
    terms = {*matters.telling(told(basis.operation))}
    shared = (each.start() for each in _WORD.finditer(said) if not terms.isdisjoint(matters.terms_of(each[0])))
    return value if value >= 0 else min(shared, default=len(said))


def target(basis: Basis) -> str:
    """An update or an end is of the thing that its lines speak of."""
    if basis.operation.op == "add":
        return ""
    if basis.target is None:
        return "no such memory"
    ends_what_is_past = basis.operation.op == "end" and _is_past(basis.target, basis)
    return "" if ends_what_is_past or _is_same_thing(basis, basis.target) else "another thing"


def _is_past(record: Fact, basis: Basis) -> bool:
    """Whether what it tells of was over when the lines were said."""
    event = record.event_time
    return event is not None and bare(datetime.fromisoformat(event.end)) <= bare(basis.named[-1].moment(basis.zone))


def _is_same_thing(basis: Basis, record: Fact) -> bool:
    """Whether it is of the memory's slot, or shares with it a word that tells matters apart, as may what the answer
    tells of the same lines."""
    operation = basis.operation
    if (operation.slot or operation.value) and (basis.subject, basis.slot) == record.slot and record.attribute:
        return True
    said = "\n".join((told(operation), basis.also, *(line.words for line in basis.named)))
    return not telling_of(said).isdisjoint(telling_of(record.content))


def denial(basis: Basis) -> str:
    """What is grave ends where something was said to change, and denies what was denied, and nothing else: of the rest
    the check would refuse as much that holds as that does not."""
    if not basis.is_grave or basis.operation.op == "update":
        return ""
    if basis.operation.op == "end":
        return "" if _is_over(basis) else "not said to be over"
    lines = [each for line in basis.named for each in matters.clauses(line.words) if len(each) <= LONG]
    if not basis.operation.text:
        return DENIED if any(_denies(each, basis) for each in lines) else ""
    agreed = [_agree(clause, lines) for clause in matters.clauses(basis.operation.text)]
    return DENIED if False in agreed and True not in agreed else ""


def _denies(clause: str, basis: Basis) -> bool:
    """Whether a clause says all that the slot would, and denies it."""
    said = basis.slot_told(basis.operation.value.strip(), text.language(clause))
    words = {*gist_of(said).words} - {*gist_of(" ".join(STOCK_NAMES)).words}
    heard = gist_of(clause)
    return words.issubset(heard.words) and tells_not(heard) != tells_not(gist_of(said))


def _is_over(basis: Basis) -> bool:
    """Whether the memory's time is past, or the lines sound as if something changed."""
    if basis.target is not None and _is_past(basis.target, basis):
        return True
    return max((change for each, _ in basis.meant for change in each.segment.changes), default=0) >= ENDS_FROM


def _agree(clause: str, lines: Sequence[str]) -> bool | None:
    """Whether what a clause denies was denied anywhere, and what it does not deny is not denied by the clause most like
    it; None where none is like it."""
    if tells_not(gist_of(clause)):
        return any(tells_not(gist_of(each)) for each in lines)
    terms = telling_of(clause)
    shared = [(len(terms & telling_of(each)), each) for each in lines]
    most, nearest = max(shared, key=lambda each: each[0], default=(0, ""))
    return not (2 * most > len(terms) and tells_not(gist_of(nearest))) if most else None


def earnest(basis: Basis) -> str:
    """Nothing of others' or unreal words fills a slot of the owner; what is grave sounds as if it was meant, or changes
    what is known: there the old state would stand as if nothing had been said."""
    if all(_is_unreal(basis, said) for _, said in basis.meant):
        return "not in earnest"
    if basis.subject == USER and basis.operation.slot:
        if all(may_be_played(line.message.text) for line in basis.named):
            return "not in earnest"
        if all(_is_foreign(each) for each, _ in basis.meant):
            unreal = all(each.segment.stance == "unreal" for each, _ in basis.meant)
            return "not in earnest" if unreal else "others' words"
    sure = max((each.segment.earnest for each, _ in basis.meant), default=0) >= MEANT_FROM
    return "grave and not surely meant" if basis.is_grave and not sure and basis.target is None else ""


def _is_unreal(basis: Basis, said: str) -> bool:
    """Whether a condition or a wish stands before it, of which the operation says nothing."""
    unreal, plain = pattern("reading", text.language(said), "unreal"), text.straight(said)
    return unreal.search(plain[: _place(basis, plain)]) is not None and not unreal.search(told(basis.operation))


def _is_foreign(judged: Judged) -> bool:
    """Whether the words are not the speaker's own, or not meant."""
    return judged.reason in FOREIGN or judged.segment.stance in FOREIGN
