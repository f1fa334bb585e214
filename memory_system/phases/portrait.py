"""The user by slots, and those near them, each under their own name: nothing of somebody else's stands as the
user's."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory_system import clock, dates
from memory_system.attributes import about
from memory_system.phases.sections import Line, told_later
from memory_system.phases.shortlist import LONGEST, Candidate
from memory_system.privacy import trust
from memory_system.records import ASSISTANT, QUOTE, USER, Fact
from memory_system.text import fold, stands_in
from memory_system.understand.language import kin_words

# The user's attributes, in the order in which they stand.
WHO = (
    "name", "nickname", "surname", "gender", "age", "birthday", "nationality", "lives_in", "address", "moves_to",
    "hometown", "occupation", "position", "works_at", "works_in", "studies_at", "studies_in", "major", "education",
    "marital_status",
)  # fmt: skip
NEAR = ("partner", "child", "parent", "sibling", "relative", "friend", "colleague", "relation", "pet")
HEALTH = ("allergy", "intolerance", "condition", "medication", "dose", "diet", "blood_type")
LANGUAGES = ("language",)
SLOTS = (*WHO, *NEAR, *HEALTH, *LANGUAGES)
OF_OTHERS = (*HEALTH, *WHO, *NEAR, *LANGUAGES)  # what is told of somebody near, the gravest first

STALE_DAYS = 180  # after which what changes by itself is told with the month in which it was said
BETWEEN = {"zh": "、", "en": ", "}
_NUMBER = re.compile(
    r"\d|[一二两三四五六七八九十半]|\b(?:half|one|two|three|four|five|doubled?|halved?)\b|[加减]", re.IGNORECASE
)


@dataclass(slots=True)
class _Person:
    """Somebody near the user: how they are called, what they are to the user, and what is known of them."""

    name: str
    kin: str
    known: list[Candidate] = field(default_factory=list)  # as what they are near
    facts: list[Candidate] = field(default_factory=list)


def portrait(found: Iterable[Candidate], lang: str, moment: datetime) -> tuple[list[Line], list[Line], list[Line]]:
    """What the stated slots among the candidates tell of the user: who they are, what matters for their health, and
    those near them."""
    found = list(found)
    quotes = [each.record for each in found if each.record.form == QUOTE]
    stated = [each for each in found if type(each.record) is Fact and each.record.attribute and each.record.value]
    slots: dict[str, list[Candidate]] = defaultdict(list)
    for each in stated:
        if each.record.subject == USER:
            slots[_head(each.record)].append(each)
    slots["moves_to"] = [each for each in slots["moves_to"] if _is_ahead(each.record, slots["lives_in"], moment)]
    medicines = [*slots.pop("medication", ()), *slots.pop("dose", ())]
    told = {
        name: Line(f"- {label_of(name, lang)}: {_values(name, held, lang, moment)}", tuple(held))
        for name, held in slots.items()
        if held
    } | {"medication": _medicines(medicines, quotes, lang, moment)}
    health = [line for name in (*HEALTH, *LANGUAGES) if (line := told.get(name))]
    who = [line for name in WHO if (line := told.get(name))]
    near = [each for name in NEAR for each in slots.get(name, ())]
    others = [each for each in stated if each.record.subject not in (USER, ASSISTANT)]
    return who, health, list(_near(near, others, lang, moment))


def _is_ahead(move: Fact, homes: list[Candidate], moment: datetime) -> bool:
    """Whether a move is still to come: its date is, or it has none and the home was not told since."""
    if move.event_time is not None:
        return move.event_time.end > moment.isoformat()
    return all(home.record.said_at <= move.said_at for home in homes)


def label_of(attribute: str, lang: str) -> str:
    """The name of an attribute for people; with what stands behind its dot: `dose (levothyroxine)`."""
    head, _, thing = attribute.partition(".")
    label = str(about(head).get("label", {}).get(lang, head.replace("_", " ")))
    return f"{label} ({thing})" if thing else label


def _head(record: Fact) -> str:
    return record.attribute.partition(".")[0]


def _value(record: Fact) -> str:
    return trust.shown(record.value)[:LONGEST]


def _values(attribute: str, held: list[Candidate], lang: str, moment: datetime) -> str:
    """The values of a slot, the newest first; where only one can be so and none has given way, all of them."""
    row = about(attribute)
    between = " / " if row.get("single") and not row.get("cued") else BETWEEN[lang]
    newest = sorted(held, key=lambda each: (each.record.said_at, each.record.id), reverse=True)
    values = {
        fold(each.record.value): _dated(each.record, moment) + told_later(each, moment) for each in reversed(newest)
    }
    return between.join(reversed(values.values()))


def _dated(record: Fact, moment: datetime) -> str:
    """The value, with its date where that matters: when a move is, when an age was true."""
    when, said = "", clock.parse_instant(record.said_at)
    if record.attribute == "moves_to" and record.event_time:
        when = dates.happens(record.event_time)
    elif about(record.attribute).get("changing") and said and clock.days_between(said, moment) > STALE_DAYS:
        when = record.said_at[:7]
    return f"{_value(record)} ({when})" if when else _value(record)


def _medicines(held: Sequence[Candidate], quotes: list[Fact], lang: str, moment: datetime) -> Line | None:
    """What the user takes, each medicine with the dose that was said last, and before what may have changed it; with no
    dose where later words name the medicine and a number, which may be another."""
    known = [(_medicine_of(each.record), each) for each in sorted(held, key=lambda each: each.record.said_at)]
    doses = {key: each.record for key, each in known if _head(each.record) == "dose"}
    called = {key: _value(each.record) for key, each in known if _head(each.record) != "dose"}
    later = {key: words for key, each in known if (words := told_later(each, moment))}
    names = {key: called.get(key, key) for key in (*called, *doses)}
    sure = {
        key: _value(dose) for key, dose in doses.items() if not any(_may_change(dose, key, each) for each in quotes)
    }
    told = ((f"{name} {sure[key]}" if key in sure else name) + later.get(key, "") for key, name in names.items())
    return Line(f"- {label_of('medication', lang)}: {BETWEEN[lang].join(told)}", tuple(held)) if held else None


def _medicine_of(record: Fact) -> str:
    """The medicine that a slot names, or whose dose it holds."""
    return fold(record.attribute.partition(".")[2] if _head(record) == "dose" else record.value)


def _may_change(dose: Fact, medicine: str, quote: Fact) -> bool:
    """Whether later words may tell another dose of the medicine."""
    return quote.said_at > dose.said_at and stands_in(medicine, quote.content) and bool(_NUMBER.search(quote.content))


def _near(near: list[Candidate], others: list[Candidate], lang: str, moment: datetime) -> Iterator[Line]:
    """Those near the user: a line each for those of whom something is known, and one for all others of a kind."""
    people = _people(near, lang)
    for each in others:
        if _head(each.record) in OF_OTHERS and (person := _whose(each.record, people)):
            person.facts.append(each)
    alike: dict[str, list[_Person]] = defaultdict(list)
    for person in people.values():
        if person.facts:
            yield _told(person, lang, moment)
        else:
            alike[person.kin].append(person)
    for kin, group in alike.items():
        named = [each for each in group if not _is_kin(each.known[0].record)] or group[:1]
        names = BETWEEN[lang].join(trust.shown(each.name) for each in named)
        yield Line(f"- {kin}: {names}", tuple(known for each in group for known in each.known))


def _is_kin(record: Fact) -> bool:
    """Whether all that is known of somebody is what they are: 猫, "a cat"."""
    return fold(record.value) in kin_words(record.lang or "en")


def _people(near: list[Candidate], lang: str) -> dict[str, _Person]:
    """Those whom the user's slots name, by their name."""
    people: dict[str, _Person] = {}
    named: dict[tuple[str, str], list[str]] = defaultdict(list)  # by the words that name them
    for each in near:
        named[_kind_and_words(each.record)].append(fold(each.record.value))
    for each in near:
        kin = kin_of(each.record, lang)
        if not _is_of_all(kin, named[_kind_and_words(each.record)], each.record):
            kin = label_of(each.record.attribute, lang)
        person = people.setdefault(fold(each.record.value), _Person(each.record.value, kin))
        person.known.append(each)
    return people


def _is_of_all(kin: str, names: Sequence[str], record: Fact) -> bool:
    """Whether the kin word is that of all whom the words name: before them ("my sons Bo and Al"), not of one of them
    ("Bo bites, Al is the parrot")."""
    words = fold(_kind_and_words(record)[1])
    return len(names) == 1 or words.find(fold(kin)) < min(words.find(name) for name in names)


def _kind_and_words(record: Fact) -> tuple[str, str]:
    return record.attribute, record.evidence[0].quote if record.evidence else record.id


def kin_of(record: Fact, lang: str) -> str:
    """What somebody is to the user in the user's own words ("sister"), else the attribute's label: so it is where the
    words name two ("mum is Bea, dad died"), and in another language than the snapshot's."""
    quote = record.evidence[0].quote.casefold() if record.evidence else ""
    words = kin_words(lang) if record.lang == lang and quote and not _is_kin(record) else {}
    said = [word for word, attribute in words.items() if attribute == record.attribute and stands_in(word, quote)]
    said = [word for word in said if not any(word != other and word in other for other in said)]
    return said[0] if len(said) == 1 else label_of(record.attribute, lang)


def _whose(record: Fact, people: dict[str, _Person]) -> _Person | None:
    """Whom the fact is about: somebody near whose name it has, or the only one of their kind; else somebody of whom
    nothing but the kin word is known, who is one from then on."""
    subject = fold(record.subject)
    if subject in people:
        return people[subject]
    if subject not in kin_words(record.lang or "en"):
        return None
    kind = [each for each in people.values() if fold(each.kin) == subject]
    if len(kind) == 1:
        return kind[0]
    return people.setdefault(subject, _Person(record.subject, ""))


def _told(person: _Person, lang: str, moment: datetime) -> Line:
    """Somebody near with what is known of them, the gravest first, as far as a line holds it."""
    name = trust.shown(person.name)
    line, told = f"- {name} ({person.kin}): " if person.kin else f"- {name}: ", list(person.known)
    parts: list[str] = []
    for attribute, held in _by_attribute(person.facts).items():
        part = f"{label_of(attribute, lang)}: {_values(attribute, held, lang, moment)}"
        if len("; ".join((line, *parts, part))) <= LONGEST:
            parts.append(part)
            told += held
    return Line(line + "; ".join(parts), tuple(told))


def _by_attribute(facts: list[Candidate]) -> dict[str, list[Candidate]]:
    """The facts by their attributes, in the order in which these are told of somebody near."""
    found: dict[str, list[Candidate]] = defaultdict(list)
    for each in sorted(facts, key=lambda each: (OF_OTHERS.index(_head(each.record)), each.record.id)):
        found[each.record.attribute].append(each)
    return found
