"""Which slots a sentence fills for sure: typed rules (`rules/claims.<lang>.toml`), values checked by their type, and a
subject that is certain. Everything else is no claim; abstaining is the normal case.

A rule's pattern is a predicate with its value ("allergic to …"); whom it is about stands to its left and is read once
for all rules (`subjects`). Other named groups: `who` (a possessive, read in place of what stands to the left), `kin`
(the word that decides which relation it is), `dose`, `date` (the time of an appointment), and the name of an attribute
that the same words fill as well ("a nurse at …").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from memory_system import attributes, rules
from memory_system.records import USER
from memory_system.rules import Found, Rule, RuleSet
from memory_system.text import straight
from memory_system.text.traditional import simplified
from memory_system.understand.language import Language, language, word_list
from memory_system.understand.subjects import About, Heard, People
from memory_system.understand.values import Span, values_in

__all__ = ["ClaimRule", "Filled", "Heard", "claim_rules", "claims_of"]
KIN = "@kin"  # the attribute is what the kin word says
PET = "@pet"  # the same, for animals only
NOUN = "@noun"  # the attribute is what the noun `thing` says
BEFORE = "@before"  # the attribute is that of the claim which is put right
TIMED = frozenset({"appointment", "deadline", "moves_to"})
DENIABLE = frozenset(
    {"allergy", "language", "diet", "nationality", "name", "nickname", "blood_type", "birthday", "age"}
)
LONG = frozenset(
    {"appointment", "deadline", "instruction", "habit", "likes", "dislikes"}
)  # no single word puts them right
_NOWHERE = (-1, -1)


@dataclass(frozen=True, slots=True)
class ClaimRule:
    """One typed rule. `asked` is what a question must hold that the sentence answers."""

    id: str
    why: str
    pattern: str
    attribute: str
    polarity: bool = True
    type: str = ""  # of the value, where it is not the attribute's own
    asked: str = ""
    about: str = (
        ""  # where no `who` says it: empty, what stands to the left; `explicit`, the same unless it is left out;
    )
    # `another`, the same unless it is the speaker; `speaker`; `assistant`, the user who talks to one; `alone`, the speaker if nobody else was spoken of; `topic`, the
    # last subject, else the same; `plan`, the same among friends too; `near`, with whom the value begins; `asked`, whom the question is about


@dataclass(frozen=True, slots=True)
class Filled:
    """One slot that a sentence fills for sure."""

    subject: str  # USER, or the name, else the kin word, as the memory calls them
    attribute: str
    value: str  # as said, trimmed
    polarity: bool
    span: Span
    value_span: Span  # within the sentence
    rule: str
    date: str = ""  # words of a time that belong to it


@dataclass(slots=True)
class _Reading:
    """A sentence that is being read."""

    sentence: str
    plain: str
    language: Language
    heard: Heard
    people: People
    quotes: Sequence[Span]
    filled: list[Filled] = field(default_factory=list)


def claims_of(sentence: str, lang: str, heard: Heard) -> list[Filled]:
    """The slots that the sentence fills, in the order of their values. It must be one that was judged to be asserted."""
    plain = simplified(straight(sentence))
    fired = _fired(plain, lang, heard.asked)
    if not fired or len(plain) != len(sentence):
        return []
    grammar = language(lang)
    people = People(plain, grammar, heard)
    quotes = [found.span() for found in grammar.quoted.finditer(plain)]
    reading = _Reading(sentence, plain, grammar, heard, people, quotes)
    for rule, found in _matches(fired, plain):
        _read(reading, rule, found)
    return sorted(reading.filled, key=lambda each: each.value_span)


@cache
def claim_rules(lang: str) -> tuple[ClaimRule, ...]:
    """The rules of the language, in the order of the file: at one place the first wins."""
    return tuple(ClaimRule(**row) for row in rules.table(f"claims.{lang}", "claim"))


@dataclass(frozen=True, slots=True)
class _Gate:
    """The rules as one set, and what else must be there that one may fire."""

    patterns: RuleSet
    rules: Mapping[str, ClaimRule]
    asked: Mapping[str, Rule]  # what the question must hold, by the rule's id
    needed: Mapping[str, Rule]  # a word of which list, by the rule's id


@cache
def _gate(lang: str) -> _Gate:
    parts: dict[str, str] = rules.table(f"claims.{lang}", "parts")
    typed = claim_rules(lang)
    lists = {each.id: language(lang).types[kind_of(each)].words for each in typed}
    return _Gate(
        RuleSet(_rule(each.id, each.pattern, parts) for each in typed),
        {each.id: each for each in typed},
        {each.id: _rule(each.id, each.asked, parts) for each in typed if each.asked},
        {id_: _rule(name, word_list(name, lang), {}) for id_, name in lists.items() if name},
    )


def _rule(id_: str, pattern: str, parts: Mapping[str, str]) -> Rule:
    return Rule.from_row({"id": id_, "why": "", "pattern": pattern}, parts)


def kind_of(rule: ClaimRule) -> str:
    """The name of the type of the rule's values."""
    return rule.type or str(attributes.about(rule.attribute).get("type", "noun"))


def _fired(plain: str, lang: str, asked: str) -> list[tuple[ClaimRule, Rule]]:
    """The rules whose pattern is in the sentence, a word of their list too, and the question they answer before it."""
    gate = _gate(lang)
    fired = []
    held: dict[str, bool] = {}
    for rule in gate.patterns.firing(plain):
        question, needed = gate.asked.get(rule.id), gate.needed.get(rule.id)
        if question and not (asked and question.search(asked)):
            continue
        if needed and needed.id not in held:
            held[needed.id] = bool(needed.search(plain))
        if needed and not held[needed.id]:
            continue
        fired.append((gate.rules[rule.id], rule))
    return fired


def _matches(fired: Sequence[tuple[ClaimRule, Rule]], plain: str) -> list[tuple[ClaimRule, Found]]:
    """From left to right, so that a name comes before its pronoun; at one place in the order of the file."""
    matches = [(rule, found) for rule, pattern in fired for found in pattern.found(plain)]
    return sorted(matches, key=lambda each: each[1].places["value"][0])


def _read(reading: _Reading, rule: ClaimRule, found: Found) -> None:
    """What a match fills is added to the reading, if it surely fills something."""
    meant = _put_right(reading) if rule.attribute == BEFORE else None
    if rule.attribute == BEFORE and not meant:
        return
    kind = _kind_here(reading, rule, found, meant)
    spans = values_in(reading.plain, found.places["value"], kind, reading.language)
    if not spans or _is_unsaid(reading, found):
        return
    about = About(meant.subject) if meant else _about(reading, rule, found)
    if not about or (about.denied and not rule.polarity):
        return
    attribute = meant.attribute if meant else _attribute(rule, found, reading, about)
    if not attribute or (about.plural and attribute not in reading.language.shared):
        return
    if about.denied and attribute not in DENIABLE and not _has_ended(reading, found):
        return
    if rule.attribute == KIN and not found.parts.get("kin"):  # "her name is Annika"
        about = About(reading.people.speaker)
    for span in spans:
        _fill(reading, rule, found, attribute, about, span)


def _has_ended(reading: _Reading, found: Found) -> bool:
    """Whether what the match denies was so before."""
    start = _last_end(reading.language.clause, reading.plain, found.span[0])
    return bool(reading.language.ended.search(reading.plain, start))


def _kind_here(reading: _Reading, rule: ClaimRule, found: Found, meant: Filled | None) -> str:
    """The type of the value in that match: where a slip is put right, or a noun names the attribute, that one's."""
    if meant:
        return kind_of(_gate(reading.language.name).rules[meant.rule])
    if rule.attribute == NOUN:
        return str(attributes.about(attributes.named(found.parts["thing"].casefold())).get("type", "noun"))
    return kind_of(rule)


def _put_right(reading: _Reading) -> Filled | None:
    """The claim that a slip made in the message's last sentence: the only one there."""
    said = [each.strip() for each in reading.language.sentence.split(reading.heard.before) if each and each.strip()]
    if not said:
        return None
    made = claims_of(said[-1], reading.language.name, replace(reading.heard, before="", asked=""))
    return made[0] if len(made) == 1 and made[0].attribute not in LONG else None


def _fill(reading: _Reading, rule: ClaimRule, found: Found, attribute: str, about: About, span: Span) -> None:
    polarity = rule.polarity and not about.denied
    value = reading.sentence[slice(*span)]
    if value.casefold() == about.subject.casefold() or any(
        _overlaps(each, about.subject, span) for each in reading.filled
    ):
        return
    if reading.language.dropped and attribute not in TIMED and reading.people.begins_with_name(value):
        return  # whom it is about stands in it
    date = _date(reading, span) if attribute in TIMED else ""
    reading.filled.append(Filled(about.subject, attribute, value, polarity, found.span, span, rule.id, date))
    if attributes.about(attribute).get("value_type") in ("person", "animal"):
        own = about.subject == reading.people.speaker
        reading.people.learn(value, found.parts.get("kin", "") if own else "")
    for name, place in found.places.items():
        if place != _NOWHERE and name not in ("who", "value", "kin", "old", "thing"):
            _also(reading, rule, found, name, place, about, value)


def _date(reading: _Reading, span: Span) -> str:
    """The words of the time in that stretch, from the first to the last."""
    found = list(reading.language.when.finditer(reading.plain, *span))
    return reading.sentence[found[0].start() : found[-1].end()].strip() if found else ""


def _also(reading: _Reading, rule: ClaimRule, found: Found, name: str, place: Span, about: About, value: str) -> None:
    """Another slot that the same words fill."""
    attribute = f"dose.{value.casefold()}" if name == "dose" else name
    kind = "dose" if name == "dose" else str(attributes.about(name)["type"])
    for span in values_in(reading.plain, place, kind, reading.language)[:1]:
        said = reading.sentence[slice(*span)]
        polarity = rule.polarity and not about.denied
        reading.filled.append(Filled(about.subject, attribute, said, polarity, found.span, span, rule.id))


def _overlaps(other: Filled, subject: str, span: Span) -> bool:
    start, end = other.value_span
    return other.subject == subject and start < span[1] and span[0] < end


def _attribute(rule: ClaimRule, found: Found, reading: _Reading, about: About) -> str:
    """The attribute that the rule fills there; empty for a kin word that is none."""
    if rule.attribute == NOUN:
        return attributes.named(found.parts["thing"].casefold())
    if rule.attribute == PET:
        return "pet" if _kin(found.parts["kin"], reading.language) == "pet" else ""
    if rule.attribute == KIN:
        return _kin(found.parts.get("kin") or about.subject, reading.language)
    if "{thing}" in rule.attribute:
        thing = found.parts["thing"].casefold()
        return rule.attribute.format(thing=rules.table("attributes", "spellings").get(thing, thing))
    return rule.attribute


def _kin(words: str, grammar: Language) -> str:
    """The attribute of a kin word, also of several ("cats") or with a word before it ("best friend")."""
    last = words.casefold().split()[-1:]
    known = (grammar.kin.get(word) for each in last for word in (each, each.removesuffix("s")))
    return next(filter(None, known), "")


def _about(reading: _Reading, rule: ClaimRule, found: Found) -> About | None:
    """Whom the match is about; None where it is not certain."""
    people, start = reading.people, found.span[0]
    if who := found.parts.get("who", "").strip():
        return people.owner(who, found.places["who"][0])
    match rule.about or ("asked" if rule.asked else ""):
        case "speaker":
            return About(people.speaker)
        case "assistant":
            return About(people.speaker) if people.speaker == USER else None
        case "alone":
            return people.alone(start)
        case "topic":
            return people.before(start, "", explicit=True) or people.topic(found.places["value"][0])
        case "plan":
            return people.topic(found.places["value"][0], among_friends=True)
        case "asked":
            return people.asked_about()
        case "near":
            return people.near(found.places["value"][0])
        case "another":
            about = people.before(start, "", explicit=True)
            return about if about and about.subject != people.speaker else None
        case said:
            return people.before(start, reading.plain[start : found.span[1]], explicit=said == "explicit")


def _is_unsaid(reading: _Reading, found: Found) -> bool:
    """Whether what stands around the match takes it back: a condition, somebody else's words, doubt, a question, a
    quotation."""
    plain, grammar = reading.plain, reading.language
    start, end = found.span
    if any(opened <= start < closed for opened, closed in reading.quotes):
        return True
    first = _last_end(grammar.sentence, plain, start)
    if grammar.opened.search(plain, first, start + 1) or grammar.hedged.search(plain, first, found.places["value"][0]):
        return True
    if grammar.told.search(plain, max(first, _last_end(grammar.fresh, plain, start + 1)), start + 1):
        return True
    over = grammar.clause.search(plain, end)
    stop = grammar.sentence.search(plain, end)
    last = len(plain) if stop is None else stop.end()
    return bool(
        grammar.hedged.search(plain, start, over.end() if over else len(plain))
        or grammar.question.search(plain, end - 1, last)
    )


def _last_end(boundary: Any, plain: str, place: int) -> int:
    ends = [found.end() for found in boundary.finditer(plain, 0, place)]
    return ends[-1] if ends else 0
