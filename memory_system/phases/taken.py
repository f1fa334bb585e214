"""What a supported operation gives: a claim in a slot, a statement, or a quote that ends something."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from memory_system import attributes, clock, dates, text
from memory_system.phases import Night, extract
from memory_system.phases.basis import Basis, Operation, bare
from memory_system.phases.evidence import evidence_of
from memory_system.phases.screen import CATEGORIES
from memory_system.phases.shown import Line
from memory_system.phases.support import fits, interval, is_meant, without
from memory_system.privacy.secrets import redact
from memory_system.records import CLAIM, ISO_DAY, QUOTE, STATEMENT, USER, USER_NAME, EventTime, Fact
from memory_system.text import simplified
from memory_system.turns import Claim, Segment
from memory_system.understand import features
from memory_system.understand.claims import Filled
from memory_system.understand.judge import attributes_told, reader_of
from memory_system.understand.quotes import Quoted

PASSING = "temporary"  # words that end something matter by what they end
LONGEST_ASK = 120  # characters of a question by which somebody may ask for it
MOST_WORDS, LONGEST_WORD = 3, 24  # more words by which they may, and the characters of one
_USERS = re.compile(r"\buser['’]s\b", re.IGNORECASE)
_USER_DOES = re.compile(r"\buser (?P<verb>\w+)", re.IGNORECASE)
_VERBS = {"is": "am", "has": "have", "does": "do", "was": "was", "always": "always"}


def claim_of(basis: Basis, method: str, night: Night) -> Claim:
    """What the operation gives."""
    operation, lines, target = basis.operation, basis.named, basis.target
    made = _slot(basis, night) or _statement(basis, night) or _ending(basis, night)
    also = tuple(
        evidence_of(extract.base_of(each.turn, each.span, _segment(each), made.lang))
        for each in lines
        if each.message.ref != made.ref
    )
    until = _until(basis, night) or made.expires
    asked_by = _asked_by(operation)
    made = replace(made, method=method, also=also, stance="asserted", expires=until, asked_by=asked_by)
    if target is not None:
        made = replace(made, target=target.id, change=_change(basis, target, made, night))
    if operation.maybe or all(each.segment.stance == "hedged" for each, _ in basis.meant):
        made = replace(made, confidence=extract.HEDGED, basis=extract.HEDGED_BASIS[made.lang])
    return made


def _asked_by(operation: Operation) -> tuple[str, ...]:
    """The question and the words by which somebody may ask for it: short ones that hold no secret."""
    asked = [each.strip() for each in (operation.ask, *operation.words)]
    short = [each for each in asked[:1] if len(each) <= LONGEST_ASK] + [x for x in asked[1:] if len(x) <= LONGEST_WORD]
    return tuple([each for each in dict.fromkeys(short) if each and not redact(each)[1]][: MOST_WORDS + 1])


def _slot(basis: Basis, night: Night) -> Claim | None:
    """The claim of a slot; None where the operation fills none. What ends denies the value there was."""
    operation, target = basis.operation, basis.target
    line = next((each for each in reversed(basis.named) if operation.value in each.words), basis.named[-1])
    ends = operation.op == "end"
    if ends and (target is None or target.form == QUOTE or not target.attribute):
        return None
    if not ends and not fits(basis):
        return None
    value = target.value if ends and target is not None else operation.value.strip()
    place = max(0, line.words.find(value))
    span = (place, place + len(value))
    filled = Filled(basis.subject, basis.slot, value, not ends, span, span, "")
    made = extract.claim_of(filled, _segment(line), line.turn, night)
    event = _event(basis)
    return replace(
        made, form=CLAIM, event_time=event, expires=extract.expires(made.category, event, made.said_at, night)
    )


def _statement(basis: Basis, night: Night) -> Claim | None:
    words = " ".join(basis.operation.text.split())
    if not words:
        return None
    line, subject = basis.named[-1], basis.subject
    lang = text.language(words)
    category = basis.category or CATEGORIES[basis.operation.kind]
    event = _event(basis)
    own = extract.own_name(line.message, lang)
    who = subject if subject != USER else own
    named = sorted(
        (each for each in basis.names if text.stands_in(each, words)), key=lambda each: (words.find(each), each)
    )
    return replace(
        extract.base_of(line.turn, line.span, _segment(line), lang),
        content=words,
        category=category,
        subject=line.message.speaker or subject if subject == USER else subject,
        importance=attributes.importance_of(category, night.config),
        entities=tuple(dict.fromkeys((who, *named))),
        event_time=event,
        expires=extract.expires(category, event, line.message.said_at, night),
        form=STATEMENT,
        tells=_tells(words, lang, basis),
    )


def _tells(sentence: str, lang: str, basis: Basis) -> tuple[str, ...]:
    """The attributes that a sentence tells of: that of the slot whose value it is, and what its words sound like."""
    slot = basis.slot.partition(".")[0]
    spoken = _as_said(sentence, lang, basis.named[-1].moment(basis.zone))
    heard = attributes_told(reader_of(lang).sums(features.of_words(spoken, lang)))
    return tuple(dict.fromkeys((*filter(None, [slot]), *heard)))


def _as_said(sentence: str, lang: str, anchor: datetime) -> str:
    """A sentence about the user nearly as they would say it, without its dates: so it is told what it tells of."""
    plain = simplified(sentence)
    bare_words = without(plain, list(dates.find(plain, anchor)))
    if lang == "zh":
        return bare_words.replace(USER_NAME["zh"], "我")
    return _USERS.sub("my", _USER_DOES.sub(_i_do, bare_words))


def _i_do(found: re.Match[str]) -> str:
    verb = found["verb"]
    return f"I {_VERBS.get(verb, verb if verb.endswith('ss') else verb.removesuffix('s'))}"


def _ending(basis: Basis, night: Night) -> Claim:
    """The words that end something, as they were said."""
    line, meant = basis.named[-1], [each for each, _ in basis.meant]
    found = [each.segment for each in line.judged if any(each is one for one in meant)] or line.segments
    first, last = line.segments.index(found[0]), line.segments.index(found[-1])
    quoted = Quoted(line.turn, tuple(line.segments[first : last + 1]))
    quote = extract.quote_of(quoted, night, extract.Listening({}))
    return replace(quote, category=PASSING, importance=attributes.importance_of(PASSING, night.config), event_time=None)


def _segment(line: Line) -> Segment:
    """The line as one segment: meant as the surest of it."""
    surest = max(line.segments, key=lambda each: each.earnest)
    return replace(surest, start=line.span[0], end=line.span[1], stance="asserted", change="")


def _change(basis: Basis, target: Fact, made: Claim, night: Night) -> str:
    """What becomes of the memory that is updated or ended."""
    ahead = target.event_time is not None and target.event_time.end > night.local(made.said_at).isoformat()
    if basis.operation.op == "end":
        return "cancels" if ahead else "ends"
    if ahead and target.event_time and made.event_time and made.event_time.start != target.event_time.start:
        return "moves"
    return "corrects"


def _event(basis: Basis) -> EventTime | None:
    """When what it tells of happens: as the operation says, else as its sentence does."""
    operation = basis.operation
    span = interval(operation.when)
    if span is None or not is_meant(*span, basis):
        anchor = basis.named[-1].moment(basis.zone)
        whens = list(dates.find(operation.text, anchor))
        return dates.to_event(whens[0]) if whens else None
    start, end = (each.isoformat(timespec="minutes") for each in span)
    shape = "hour" if len(operation.when.partition("/")[0]) > ISO_DAY else "day"
    return EventTime(start=start, end=end, granularity=shape, text=operation.when)


def _until(basis: Basis, night: Night) -> str | None:
    """After which it no longer matters; None where the operation does not say, or speaks of what is past."""
    span = interval(basis.operation.until)
    if span is None or span[0] <= bare(basis.named[-1].moment(basis.zone)) or basis.operation.op == "end":
        return None
    return clock.stamp(datetime.fromisoformat(span[1].isoformat()).replace(tzinfo=night.zone))
