"""Phase 3: kept segments become claims where a slot is surely filled, and quotes where that does not tell all.

A claim needs a rule, a value of the attribute's type, certainty whom it is about, and the owner's (or a named person's)
own earnest words. Everything else is kept as it was said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory_system import attributes, clock, dates, text
from memory_system.phases import Night
from memory_system.phases.screen import CATEGORIES, NOBODY, Names, heard_before
from memory_system.phases.segment import cut
from memory_system.privacy.tombstones import blanked
from memory_system.privacy.trust import is_owners
from memory_system.readers import notes
from memory_system.records import ASSISTANT, ASSISTANT_NAME, CAPTURED, CLAIM, QUOTE, USER, USER_NAME, EventTime, Fact
from memory_system.turns import Claim, Message, Segment, Turn
from memory_system.understand import claims, matters
from memory_system.understand.claims import Filled
from memory_system.understand.judge import ATTRIBUTES, attributes_heard, judge_of
from memory_system.understand.played import may_be_played
from memory_system.understand.quotes import Quoted, context_of, quotes_of, words_at
from memory_system.understand.values import Span
from memory_system.understand.weights import SCALE
from memory_system.understand.whose import is_reminder

CERTAIN = 100 * SCALE  # of what the owner has written down by hand
EARNEST_FROM = SCALE  # between asserted and not, in log-odds times `SCALE`, from which a claim is made
HEDGED = 0.6  # the confidence of what was said with a maybe
MOST_SURE = 0.99  # of an opinion
HEDGED_BASIS = {"en": "hedged by the speaker", "zh": "说话人有所保留"}
AGENTS = 0.71  # the confidence of what an agent notes: twice, independently, is just enough for a fact
MEDICATION, INSTRUCTION, CORRECTS = "medication", "instruction", "corrects"
AGENTS_BASIS = {"en": "noted by an agent", "zh": "智能体所记"}
AGENT_ROLES = frozenset({ASSISTANT, "agent"})  # of messages in which no person speaks, where they name none
BESIDE = 12  # characters between a claim and a time that belongs to it: "I have", "in", 起在
_PAUSE = re.compile(r"[,.;:!?，。；：！？\n]|\band\b|\bbut\b")
MOST_BESIDE = {"en": 3, "zh": 5}  # words, in Chinese characters, that a claim may leave untold
DAY = timedelta(days=1)
Captured = tuple[Fact, list[Claim]]  # what was captured by hand, and what it states


def run(
    turns: Iterable[Turn], night: Night, tally: Counter[str], known: Names, takers: Names = NOBODY
) -> Iterator[Claim]:
    """The claims and quotes of the turns. `known` are the names of those near the owner, each with what memories call
    them, `takers` who takes which medicine. Counts `claims`, `quotes`, `kept.with_claim` and
    `kept.without_claim.<reason>`."""
    listening = Listening(known, takers)
    for turn in turns:
        found = list(read(turn, night, listening))
        told = {place for each in found for place in range(*each.span)}
        for segment in turn.segments:
            has = segment.start in told
            tally["kept.with_claim" if has else "kept.without_claim.nothing told"] += 1
        count(found, tally)
        yield from found


def count(found: Iterable[Claim], tally: Counter[str]) -> None:
    """Count what was made, in all and by its form."""
    for each in found:
        tally["claims"] += 1
        tally[f"made.{each.form}"] += 1


class Listening:
    """What is known while a night is read: the names that were introduced, and who takes which medicine, "" where
    several do."""

    def __init__(self, known: Names, takers: Names = NOBODY) -> None:
        self.names, self.takers = dict(known), dict(takers)

    def hear(self, filled: Filled) -> None:
        """Take in whom the claim names."""
        if attributes.about(filled.attribute).get("value_type") in ("person", "animal", "project") and filled.polarity:
            self.names[filled.value] = filled.value
        if filled.attribute == MEDICATION and filled.polarity:
            medicine = filled.value.casefold()
            self.takers[medicine] = filled.subject * (self.takers.get(medicine, filled.subject) == filled.subject)

    def within(self, words: str) -> Iterator[str]:
        """The known ones that the words name."""
        yield from dict.fromkeys(canonical for name, canonical in self.names.items() if text.stands_in(name, words))


def read(turn: Turn, night: Night, listening: Listening) -> Iterator[Claim]:
    """The claims and quotes of one turn, in the order of its words."""
    filled = {segment.start: _filled(turn, segment, listening) for segment in turn.segments}
    slips = {(each.subject, each.attribute, each.instead) for found in filled.values() for each in found}
    for segment in turn.segments:
        for each in filled[segment.start]:
            if (each.subject, each.attribute, each.value) not in slips:
                yield claim_of(each, segment, turn, night)
    left = [each for each in turn.segments if not _tells_all(filled[each.start], turn.text_of(each))]
    for quoted in quotes_of(turn, left):
        yield quote_of(quoted, night, listening)


def _filled(turn: Turn, segment: Segment, listening: Listening) -> list[Filled]:
    """The slots that a segment surely fills."""
    message = turn.message
    is_meant = segment.stance == "asserted" and segment.earnest >= EARNEST_FROM
    if not is_meant or not message.is_first_hand or _opinion(message) is not None:
        return []
    words = turn.text_of(segment)
    lang = _language(turn, words)
    heard = replace(heard_before(turn, segment, listening.names), takers=listening.takers)
    found = claims.claims_of(words, lang, heard)
    if not (message.is_noted or segment.change == CORRECTS or _tells_all(found, words)):
        found = [each for each in found if _is_heard(each, words, lang)]
    if segment.keep != INSTRUCTION:  # "he told me he is a doctor"
        found = [each for each in found if each.attribute != INSTRUCTION or each.subject == ASSISTANT]
    if not found or may_be_played(message.text):
        return []
    for each in found:
        listening.hear(each)
    return found


def _is_heard(filled: Filled, words: str, lang: str) -> bool:
    """Whether the judge hears the attribute in the words as well: a rule alone takes a trade for a name."""
    if filled.subject == ASSISTANT:  # how it is called is for the owner to say, in whatever words
        return True
    if filled.value.islower() and attributes.is_somebody(filled.attribute) and filled.value in judge_of("en"):
        return False  # a word that people use: "my cat, orange"
    name = attributes.heard_as(filled.attribute)
    return name in (attributes_heard(words, lang) | {INSTRUCTION}) or name not in ATTRIBUTES


def _language(turn: Turn, words: str) -> str:
    return text.language_within(words, text.language(turn.message.text))


def _tells_all(filled: list[Filled], words: str) -> bool:
    """Whether the claims leave nothing of the words untold."""
    if not filled:
        return False
    if any(map(str.isdigit, blanked(words, (each.value_span for each in filled)))):
        return False  # since when, how much
    rest = blanked(words, (each.span for each in filled))
    lang = text.language(words)
    if lang == "zh" and any(map(matters.tells, matters.terms_of(rest))):
        return False
    parts = rest.split() if lang == "en" else rest
    return sum(any(map(str.isalnum, each)) for each in parts) <= MOST_BESIDE[lang]


def claim_of(filled: Filled, segment: Segment, turn: Turn, night: Night) -> Claim:
    """The claim of one filled slot."""
    words = turn.text_of(segment)
    lang = _language(turn, words)
    subject = turn.message.speaker or filled.subject if filled.subject == USER else filled.subject
    row = attributes.about(filled.attribute)
    category = str(row.get("category", "general"))
    timed = filled.attribute in claims.TIMED
    event = _event(filled, words, turn.message, night)
    base = base_of(turn, (segment.start, segment.end), segment, lang)
    own = turn.message.speaker or USER_NAME[lang]
    others = [ASSISTANT_NAME[lang] if subject == ASSISTANT else subject] if subject not in (USER, own) else []
    value = [filled.value] if row.get("value_type") in ("person", "animal", "organisation", "place", "project") else []
    return replace(
        base,
        content=claims.content_of(replace(filled, subject=USER if subject == own else subject), lang, own),
        category=category,
        subject=subject,
        importance=attributes.importance_of(category, night.config),
        method=f"rule:{filled.rule}",
        attribute=filled.attribute,
        value=filled.value,
        polarity=filled.polarity,
        entities=(own, *others, *value) if subject in (USER, own) else (*others, *value),
        event_time=event,
        expires=expires(category, event, turn.message.said_at, night),
        form="claim",
        change=segment.change or ("cancels" if timed and not filled.polarity else ""),
        changes=segment.changes,
        beside=words_at(context_of(Quoted(turn, (segment,))), turn) if segment.change else "",
    )


def quote_of(quoted: Quoted, night: Night, listening: Listening) -> Claim:
    """What is kept word by word."""
    turn, segment, words = quoted.turn, quoted.weightiest, quoted.words
    lang = _language(turn, words)
    around = "\n".join((turn.before, turn.earlier, turn.message.text))
    anchor = night.local(turn.message.said_at)
    marked = dates.marked(words, anchor, lang, around)
    event = _told_time(words, marked.whens, anchor)
    category = "reminder" if is_reminder(words) else CATEGORIES.get(segment.keep, "general")
    own = own_name(turn.message, lang)
    change = next((each.change for each in quoted.segments if each.change), "")
    context = context_of(quoted)
    return replace(
        base_of(turn, quoted.span, segment, lang),
        content=marked.text,
        category=category,
        subject=turn.message.speaker or (ASSISTANT if turn.message.role in AGENT_ROLES else USER),
        importance=segment.importance,
        method="judge",
        entities=tuple(dict.fromkeys((own, *listening.within(words)))),
        event_time=event,
        expires=expires(category, event, turn.message.said_at, night),
        form=QUOTE,
        stance="" if segment.stance == "asserted" else segment.stance,
        change=change,
        changes=tuple(map(max, zip(*(each.changes for each in quoted.segments if each.changes), strict=True))),
        context=context,
        beside=words_at(context, turn),
        tells=tuple(dict.fromkeys(name for each in quoted.segments for name in each.tells)),
    )


def base_of(turn: Turn, span: tuple[int, int], segment: Segment, lang: str) -> Claim:
    """What claims and quotes have in common."""
    message = turn.message
    confidence, basis = _doubt(message, segment)
    return Claim(
        content="", category="", subject="", importance=segment.importance, lang=lang,
        quote=message.text[span[0] : span[1]], ref=message.ref, span=span, said_at=message.said_at, role=message.role,
        method="", chat=message.chat, speaker=message.speaker,
        trust="person" if message.speaker and message.role == ASSISTANT else "",
        confidence=confidence, basis=basis[lang] if basis else "",
    )  # fmt: skip


def _doubt(message: Message, segment: Segment) -> tuple[float, Mapping[str, str]]:
    """How sure the words are, and in each language why they are not: empty where they are stated."""
    sure = _opinion(message)
    if segment.stance == "hedged" or sure is not None:
        return min(sure or HEDGED, AGENTS if message.role == "agent" else MOST_SURE), HEDGED_BASIS
    return (AGENTS, AGENTS_BASIS) if message.role == "agent" else (1.0, {})


def _opinion(message: Message) -> float | None:
    """How sure a note is of an opinion that it gives as one."""
    return notes.sureness(message.text, HEDGED) if message.is_noted else None


def own_name(message: Message, lang: str) -> str:
    """How a quote calls its speaker."""
    return message.speaker or (ASSISTANT_NAME if message.role in AGENT_ROLES else USER_NAME)[lang]


def _event(filled: Filled, words: str, message: Message, night: Night) -> EventTime | None:
    """When what a claim tells of happens, or since when a state has lasted: by the time in its value, else by the one
    right beside its words."""
    timed = filled.attribute in claims.TIMED
    if not timed and not attributes.lasts(filled.attribute):
        return None
    anchor = night.local(message.said_at)
    whens = dates.standing(words, dates.find(words, anchor), text.language(words))
    first, last = filled.value_span
    for when in sorted(whens, key=lambda each: max(each.span[0] - last, first - each.span[1], 0)):
        if _is_beside(when.span, filled, words) and (timed or when.start.replace(tzinfo=anchor.tzinfo) <= anchor):
            return dates.to_event(when)
    return None


def _told_time(words: str, whens: Sequence[dates.When], anchor: datetime) -> EventTime | None:
    """The time that a quote is filed by: a day ahead to which something was put, else the latest, for what is off comes
    before what is on ("monday is gone, wednesday 20th"), else the first that stands."""
    lang = text.language(words)
    whens = dates.standing(words, whens, lang)
    now = anchor.replace(tzinfo=None)
    ahead = [each for each in whens if each.granularity in dates.DAILY and each.end > now]
    put = [each for each in ahead if dates.is_put(words, each.span, lang)]
    ahead.sort(key=lambda each: each.end)
    found = [*put[:1], *([dates.last_in_one(words, ahead, lang)] if ahead else []), *whens]
    return dates.to_event(found[0]) if found else None


def _is_beside(span: Span, filled: Filled, words: str) -> bool:
    """Whether what stands there belongs to the words of a claim: nothing but a few words of the clause are between."""
    start, end = min(filled.span[0], filled.value_span[0]), max(filled.span[1], filled.value_span[1])
    between = words[span[1] : start] or words[end : span[0]]
    return len(between) <= BESIDE and not _PAUSE.search(between)


def expires(category: str, event: EventTime | None, said_at: str, night: Night) -> str | None:
    """When a memory of that category is over: so many days after what it speaks of, if that lay ahead when it was said.
    "Remind me of the EpiPen, I booked the trip yesterday" is not over tomorrow."""
    days = vars(night.config.expiry).get(category)
    if days is None or event is None:
        return None
    end = datetime.fromisoformat(event.end).replace(tzinfo=night.zone)
    return clock.stamp(end + days * DAY) if end > night.local(said_at) else None


def of_captures(captures: Iterable[Fact], night: Night, known: Mapping[str, str]) -> Iterator[Captured]:
    """Each capture with what it states, by the rules that read the owner's notes: "User moved to Boston" is about where
    they live. An agent's words and what was captured as a belief state nothing."""
    for capture in captures:
        states = type(capture) is Fact and not capture.attribute and is_owners(capture.evidence)
        yield capture, _stated_by(capture, night, known) if states else []


def _stated_by(capture: Fact, night: Night, known: Mapping[str, str]) -> list[Claim]:
    said, message = capture.evidence[0], Message(CAPTURED, capture.id, "note", "", capture.said_at, capture.content)
    meant = [replace(each, stance="asserted", earnest=CERTAIN) for each in cut(message)]
    found = run([Turn(message, meant)], night, Counter(), known)
    return [replace(each, ref=said.ref, role=said.role) for each in found if each.form == CLAIM]
