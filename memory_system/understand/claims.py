"""Which slots a sentence fills for sure: typed rules (`rules/claims.<lang>.toml`), values checked by their type, and a
subject that is certain, where nothing takes it back. Everything else is no claim; abstaining is the normal case.

A rule's pattern is a predicate with its value ("allergic to …"); whom it is about stands to its left and is read once
for all rules (`subjects`). Other named groups: `who` (a possessive, read in place of what stands to the left), `kin`
(the word that decides which relation it is), `thing` (the noun that decides the attribute), `dose`, and the name of an
attribute that the same words fill as well ("a nurse at …").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory_system import attributes, rules
from memory_system.records import ASSISTANT, ASSISTANT_NAME, USER, USER_NAME
from memory_system.rules import Found
from memory_system.text import simplified, straight
from memory_system.understand.language import (
    ClaimRule,
    Language,
    claim_rule,
    language,
    matches,
    type_of,
    type_of_attribute,
)
from memory_system.understand.subjects import About, Heard, People
from memory_system.understand.values import Span, values_in

KIN = "@kin"  # the attribute is what the kin word says
NOUN = "@noun"  # the attribute is what the noun `thing` says
BEFORE = "@before"  # the attribute is that of the claim which is put right
TIMED = frozenset({"moves_to"})  # what happens on its day
# What may be denied that never was so; anything else is denied only where it has ended.
MEDICATION = "medication"
DENIABLE = frozenset(
    {"allergy", "language", "diet", "nationality", "name", "nickname", "blood_type", "birthday", "age"}
)
LONG = frozenset({"instruction", "likes", "dislikes"})  # no one word puts them right
_OWN_GROUPS = frozenset({"who", "value", "kin", "thing"})  # the others name what is filled as well
_NOWHERE = (-1, -1)


@dataclass(frozen=True, slots=True)
class Filled:
    """One slot that a sentence fills for sure."""

    subject: str  # USER, or the name, else the kin word, as the memory calls them
    attribute: str
    value: str  # as said, trimmed
    polarity: bool
    span: Span  # of what it tells
    value_span: Span  # within the sentence
    rule: str
    instead: str = ""  # the value of the same slot that it puts right, a slip of the tongue


@dataclass(slots=True)
class _Reading:
    """A sentence that is being read."""

    sentence: str
    plain: str
    language: Language
    heard: Heard
    people: People
    filled: list[Filled] = field(default_factory=list)


def claims_of(sentence: str, lang: str, heard: Heard) -> list[Filled]:
    """The slots that the sentence fills, in the order of their values. It must be one that was judged asserted."""
    plain = simplified(straight(sentence))
    found = matches(plain, lang, heard.asked)
    if not found or len(plain) != len(sentence):
        return []
    grammar = language(lang)
    if (behind := _put_right(sentence, grammar, heard)) is not None:
        return behind
    reading = _Reading(sentence, plain, grammar, heard, People(plain, grammar, heard))
    for rule, match in found:
        _read(reading, rule, match)
    return sorted(reading.filled, key=lambda each: each.value_span)


def _put_right(sentence: str, grammar: Language, heard: Heard) -> list[Filled] | None:
    """What holds of a sentence that puts right what it has just told: only what stands behind that."""
    slip = grammar.slip.search(sentence)
    if not slip or not claims_of(sentence[: slip.start()], grammar.name, heard):
        return None
    place = slip.end()
    heard = replace(heard, before=heard.before + sentence[: slip.start()])
    return [_moved(each, place) for each in claims_of(sentence[place:], grammar.name, heard)]


def _moved(filled: Filled, by: int) -> Filled:
    (start, end), (first, last) = filled.span, filled.value_span
    return replace(filled, span=(start + by, end + by), value_span=(first + by, last + by))


def _read(reading: _Reading, rule: ClaimRule, found: Found) -> None:
    """What a match fills is added to the reading, if it surely fills something."""
    meant = _slip(reading) if rule.attribute == BEFORE else None
    if rule.attribute == BEFORE and not meant:
        return
    kind = _type_here(rule, found, reading.language.name, meant)
    spans = values_in(reading.plain, found.places["value"], kind, reading.language)
    if spans and reading.language.types[kind].anywhere:
        for span in spans:
            _read_value(reading, rule, found._replace(span=span), [span], meant)
    elif spans:
        _read_value(reading, rule, found, spans, meant)


def _read_value(reading: _Reading, rule: ClaimRule, found: Found, spans: Sequence[Span], meant: Filled | None) -> None:
    """What these values of a match fill is added to the reading."""
    told = spans[0][0] if rule.polarity else found.span[0]  # what a rule denies it may deny by "quit"
    if is_unsaid(reading.plain, found.span, told, reading.language):
        return
    about = About(meant.subject) if meant else _about(reading.people, rule, found, reading.plain[slice(*spans[0])])
    attribute = meant.attribute if meant else about and _attribute(rule, found, reading, about)
    if not about or not attribute or not _may_fill(reading, rule, found, about, attribute):
        return
    if rule.attribute == KIN and not found.parts.get("kin"):  # "her name is Annika"
        about = About(reading.people.speaker)
    for span in spans:
        _fill(reading, rule, found, attribute, about, span, meant.value if meant else "")


def _may_fill(reading: _Reading, rule: ClaimRule, found: Found, about: About, attribute: str) -> bool:
    """Whether the slot can be filled of those that it is about: "we" have only what is shared, what is not denied needs
    a subject that is named, and what is denied must be such as one denies, or have ended."""
    if about.plural and attribute not in reading.language.shared:
        return False
    if about.implied and (rule.polarity or attribute == MEDICATION):  # what is stopped may be the dog's
        return False
    if not about.denied:
        return True
    clause = last_end(reading.language.clause, reading.plain, found.span[0])
    return rule.polarity and (attribute in DENIABLE or bool(reading.language.ended.search(reading.plain, clause)))


def _type_here(rule: ClaimRule, found: Found, lang: str, meant: Filled | None) -> str:
    """The type of the value in that match: where a slip is put right, or a noun names the attribute, that one's."""
    if meant:
        return type_of(claim_rule(meant.rule, lang))
    if rule.attribute == NOUN:
        return type_of_attribute(attributes.named(found.parts["thing"].casefold()))
    return type_of(rule)


def _slip(reading: _Reading) -> Filled | None:
    """The claim of the message's last sentence that is put right: the only one there."""
    heard = replace(reading.heard, before="", asked="")
    made = claims_of(reading.people.sentence_before.strip(), reading.language.name, heard)
    return made[0] if len(made) == 1 and made[0].attribute not in LONG else None


def _fill(
    reading: _Reading, rule: ClaimRule, found: Found, attribute: str, about: About, span: Span, instead: str
) -> None:
    """The slot with that value is added, and what the same words fill as well, unless the words are already read."""
    value = reading.sentence[slice(*span)]
    if value.casefold() == about.subject.casefold() or _is_read(reading, about.subject, attribute, span):
        return
    if reading.language.dropped and reading.people.begins_with_name(value):
        return  # whom it is about stands in it
    if _is_named(reading, found, attribute):
        return
    polarity = rule.polarity and not about.denied
    reading.filled.append(
        Filled(about.subject, attribute, value, polarity, _told(reading.plain, found, span), span, rule.id, instead)
    )
    if attributes.is_somebody(attribute):
        own = about.subject == reading.people.speaker
        reading.people.learn(value, found.parts.get("kin", "") if own else "")
    for name, place in found.places.items():
        if place != _NOWHERE and name not in _OWN_GROUPS:
            _fill_also(reading, reading.filled[-1], name, place)


def _is_named(reading: _Reading, found: Found, attribute: str) -> bool:
    """Whether the one whom a kin word means has a name already, by another rule: "Lorna is my sister, Truro"."""
    kin, (start, end) = found.parts.get("kin", ""), found.span
    same = (each for each in reading.filled if each.attribute == attribute and each.span != found.span)
    return bool(kin) and any(each.span[0] < end and start < each.span[1] for each in same)


def _told(plain: str, found: Found, value: Span) -> Span:
    """The words of a match that the value tells: not those that were cut off its end, before which no other stand."""
    start, end = found.span
    behind = plain[found.places["value"][1] : end]
    return (start, end) if any(map(str.isalnum, behind)) else (start, value[1])


def _fill_also(reading: _Reading, claim: Filled, name: str, place: Span) -> None:
    """The slot that a group of the same match fills: a dose that of its medicine, others the attribute they name."""
    attribute = f"dose.{claim.value.casefold()}" if name == "dose" else name
    for span in values_in(reading.plain, place, type_of_attribute(name), reading.language)[:1]:
        also = replace(claim, attribute=attribute, value=reading.sentence[slice(*span)], value_span=span)
        reading.filled.append(also)


def _is_read(reading: _Reading, subject: str, attribute: str, span: Span) -> bool:
    """Whether these words have filled a slot of the same one; who is named in a clause that fills one is not read."""
    shorter = (each for each in reading.filled if not (attributes.is_somebody(attribute) and each.attribute in LONG))
    return any(
        each.subject == subject and each.value_span[0] < span[1] and span[0] < each.value_span[1] for each in shorter
    )


def _attribute(rule: ClaimRule, found: Found, reading: _Reading, about: About) -> str:
    """The attribute that the rule fills there; empty for a kin word that is none."""
    grammar = reading.language
    thing = found.parts.get("thing", "").casefold()
    match rule.attribute:
        case "@noun":
            return attributes.named(thing)
        case "@pet":  # of animals only
            return "pet" if _kin(found.parts["kin"], grammar) == "pet" else ""
        case "@kin":
            return _kin(found.parts.get("kin") or about.subject, grammar)
    return rule.attribute.format(thing=rules.table("attributes", "spellings").get(thing, thing))


def _kin(words: str, grammar: Language) -> str:
    """The attribute of a kin word, also of several ("cats") or with a word before it ("best friend")."""
    last = words.casefold().split()[-1:]
    known = (grammar.kin.get(word) for each in last for word in (each, each.removesuffix("s")))
    return next(filter(None, known), "")


def _about(people: People, rule: ClaimRule, found: Found, told: str) -> About | None:
    """Whom the match is about that tells the value; None where it is not certain."""
    start, value = found.span[0], found.places["value"][0]
    if who := found.parts.get("who", "").strip():
        return people.owner(who, found.places["who"][0])
    if rule.attribute == MEDICATION and not rule.polarity and (taker := people.taker(told, value)):
        return None if any(map(str.isdigit, found.parts["value"])) else taker  # "dropped to 5 mg": it goes on
    match rule.about or _about_whom(rule):
        case "speaker":
            return About(people.speaker)
        case "assistant":
            return About(people.speaker) if people.speaker == USER else None
        case "you":
            return About(ASSISTANT) if people.speaker == USER else None
        case "taker":
            return people.taker(told, value)
        case "topic":
            return people.before(start, start, explicit=True) or people.topic(value, start)
        case "asked":
            return people.asked_about()
        case said:
            return people.before(*found.span, explicit=said == "explicit")


def _about_whom(rule: ClaimRule) -> str:
    """Whom a rule is about that does not say it: an answer those whom the question is about, an instruction the user
    who gives it."""
    return "asked" if rule.asked else "assistant" if rule.attribute == "instruction" else ""


def is_unsaid(plain: str, span: Span, value: int, grammar: Language) -> bool:
    """Whether what stands around the match, whose value begins there, takes it back."""
    start, end = span
    if any(quote.start() <= start < quote.end() for quote in grammar.quoted.finditer(plain)):
        return True
    if any(grammar.refused.search(plain[:place]) for place in (start, value)):
        return True
    first = last_end(grammar.sentence, plain, start)
    fresh = max(first, last_end(grammar.fresh, plain, start + 1))
    return bool(
        grammar.opened.search(plain, first, start + 1)
        or grammar.told.search(plain, fresh, start + 1)
        or grammar.hedged.search(plain, first, value)
        or grammar.hedged.search(plain, start, _next_end(grammar.clause, plain, end))
        or grammar.question.search(plain, end - 1, _next_end(grammar.sentence, plain, end))
    )


def last_end(boundary: re.Pattern[str], plain: str, place: int) -> int:
    """Where the last boundary before that place ends; 0 if there is none."""
    return max((found.end() for found in boundary.finditer(plain, 0, place)), default=0)


def _next_end(boundary: re.Pattern[str], plain: str, place: int) -> int:
    found = boundary.search(plain, place)
    return found.end() if found else len(plain)


def content_of(claim: Filled, lang: str, speaker: str = "") -> str:
    """The memory's sentence, by the template of the attribute. `speaker` is what the memory calls the user."""
    affirmed, denied = attributes.about(claim.attribute)["template"][lang]
    template = affirmed if claim.polarity else denied
    subject = {USER: speaker or USER_NAME[lang], ASSISTANT: ASSISTANT_NAME[lang]}.get(claim.subject, claim.subject)
    value = claim.value.removesuffix(template.partition("{value}")[2])  # 十二岁岁 and "seven years old years old"
    told: str = template.format(subject=subject, value=value, of=claim.attribute.partition(".")[2])
    return told[:1].upper() + told[1:]
