"""Phase 2: which segments are worth remembering. The judge decides once for each segment of a person's message; what it
keeps is kept on any night, however short or long. `screen.max_tokens` bounds only a flood, best first.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from types import MappingProxyType

from memory_system import text
from memory_system.attributes import importance_of
from memory_system.config import Config
from memory_system.phases import Night, fitting
from memory_system.privacy.secrets import is_only_secret
from memory_system.privacy.trust import Guard, is_owners_word
from memory_system.records import USER, USER_NAME
from memory_system.text import simplified
from memory_system.turns import Message, Segment, Turn
from memory_system.understand import claims, quotes
from memory_system.understand.features import Seen, Span, Talk, of_message
from memory_system.understand.judge import IDENTITY, Verdict, attributes_told, reader_of, verdict_of
from memory_system.understand.played import may_be_played
from memory_system.understand.roles import Roles
from memory_system.understand.subjects import Heard
from memory_system.understand.visits import REACH, Visits
from memory_system.understand.weights import LANGUAGES, SCALE, Weights
from memory_system.understand.whose import OTHERS, UNREAL, Owner, owners, to_be_remembered, was_joking
from memory_system.understand.withheld import BEFORE, SOON, WITHHELD, TakingBack, withheld

CATEGORIES = {
    "identity": "identity", "profile": "status", "health": "health", "relation": "relation", "preference": "preference",
    "instruction": "instruction", "plan": "plan", "event": "event", "project": "project",
}  # fmt: skip
LASTING = frozenset({"profile", "health", "relation", "preference", "instruction"})  # kinds of what lasts
REMARK = 0.6  # of its kind's importance, for what is of such a kind, and tells of nothing that lasts
# Margins of the judge, in log-odds times its `SCALE`.
KEPT_FROM = -3 * SCALE // 2  # from which a segment is worth keeping
NOTED_FROM = -5 * SCALE  # of a note, which was written down to be kept
CLAIMED_FROM = -5 * SCALE  # where a rule for claims fires besides: a slot is worth keeping however it is put
NEWS_FROM = 2 * SCALE  # of a question, which is kept only for the news that it brings
DOUBTED_FROM = 2 * SCALE  # between asserted and not, where the form of the message leaves open whose words they are
MEANT = 4 * SCALE  # of what the owner has written down, or asks to be remembered; what may be played is kept from it on
DOUBT = 4 * SCALE  # less, where others' or unreal words stand in the same message
UNSURE = -1  # of what its form leaves in doubt: it may be kept, and fills no slot
SHARES = ((2 * SCALE, 1.0), (SCALE, 0.9), (0, 0.7), (-SCALE, 0.5), (-(10**6), 0.3))  # of its kind's importance
FOREIGN = frozenset({"unreal", "others", "quoted", "quarantined"})
STORED = frozenset({"asserted", "hedged", "ask"})
IDLE = frozenset({"none", "ask"})  # reasons for which words are not worth keeping, and yet may stand in a quote
Names = Mapping[str, str]  # of those near the owner, each with what memories call them
NOBODY: Names = MappingProxyType({})
HELD = max(SOON, 6 * REACH)  # turns that may yet be taken back, or turn out to be a guest's: several answer one
FLOOD, ASSISTANT, SECRET = "flood", "assistant", "secret"  # reasons why a segment is dropped


@dataclass(frozen=True, slots=True)
class Judged:
    """A segment with what it is worth, and why it is dropped (empty where it is kept)."""

    segment: Segment
    worth: int
    reason: str = ""


Weighed = tuple[Turn, list[Judged]]


def run(
    turns: Iterable[Turn], night: Night, tally: Counter[str], guard: Guard | None = None, known: Names = NOBODY
) -> Iterator[Turn]:
    """The turns, changed to the segments that are kept, with what the judge makes of each. `guard` holds back what must
    not be believed, `known` are the names of those near the owner. Counts `segments.kept` and
    `segments.dropped.<reason>`."""
    found = list(_kept(in_order(turns, night.config, guard or Guard(), known), tally))
    numbers = _fitting(found, night.config.screen.max_tokens)
    number = 0
    for turn, kept in found:
        segments = []
        for each in kept:
            if number in numbers:
                segments.append(each.segment)
            number += 1
        tally["segments.kept"] += len(segments)
        tally[f"segments.dropped.{FLOOD}"] += len(kept) - len(segments)
        if segments:
            turn.segments = segments
            yield turn


def _fitting(found: Sequence[Weighed], most: int) -> Container[int]:
    """The numbers of the segments that a night may hold: the owner's before everybody else's, the best first."""
    costs = [text.estimate_tokens(turn.text_of(each.segment)) for turn, kept in found for each in kept]
    if sum(costs) <= most:
        return range(len(costs))
    ranks = [(is_owners_word(turn.message), each.worth) for turn, kept in found for each in kept]
    best = sorted(range(len(costs)), key=ranks.__getitem__, reverse=True)
    return {*fitting(best, most, costs.__getitem__)}


def _kept(judged: Iterable[Weighed], tally: Counter[str]) -> Iterator[Weighed]:
    """The turns of which something is kept; what is dropped is counted, and barred from quotes unless it is idle. What
    its speaker said before ends where others' words, or unreal ones, begin."""
    foreign: dict[str, int] = {}  # by the ref of a message, where such words begin in it
    for turn, each in judged:
        turn.earlier = turn.earlier[: foreign.get(turn.earlier_ref)]
        if unlike := [one.segment.start for one in each if one.reason in FOREIGN]:
            foreign[turn.message.ref] = min(unlike)
        for one in each:
            if one.reason:
                tally[f"segments.dropped.{one.reason}"] += 1
        if kept := [one for one in each if not one.reason]:
            barred = [one.segment for one in each if one.reason and one.reason not in IDLE]
            turn.barred = tuple((segment.start, segment.end) for segment in barred)
            yield turn, kept


def in_order(turns: Iterable[Turn], config: Config, guard: Guard, known: Names = NOBODY) -> Iterator[Weighed]:
    """Each turn with its segments judged, as soon as no wish can take it back, and no return of the owner show it to be
    a guest's."""
    waiting: deque[Weighed] = deque()
    visits, roles = Visits(guard.owner, known), Roles()
    unkept, unmeant = TakingBack[str](), TakingBack[str](lambda each: BEFORE if was_joking(each) else "")
    for turn in turns:
        visited, guests = visits.hear(turn.message)  # before the guard hears by what name somebody calls themselves
        played = not visited and roles.is_played(turn.message)
        found = judged(turn, config, guard, known)
        waiting.append(
            (turn, _barred(found, OTHERS) if visited else _in_play(found, turn, roles, config, played=played))
        )
        for guest in guests:
            waiting = deque(_without(guest, OTHERS, *each) for each in waiting)
        for taking_back, reason in ((unkept, WITHHELD), (unmeant, UNREAL)):
            for gone in taking_back.heard(turn.message, turn.message.ref):
                waiting = deque(_without(gone, reason, *each) for each in waiting)
        if len(waiting) > HELD:
            yield waiting.popleft()
    yield from waiting


def _in_play(found: list[Judged], turn: Turn, roles: Roles, config: Config, *, played: bool) -> list[Judged]:
    """The segments as the play that goes on leaves them: what gives out parts may be played already, and what only
    sounds meant within fills no slot."""
    if roles.begins(turn.message):
        return [_of_play(one, config) for one in found]
    if played and roles.leaves(turn, sum(one.segment.earnest for one in found)):
        return [replace(one, segment=_in_doubt(one.segment, config)) for one in found]
    return _barred(found, UNREAL) if played else found


def _barred(found: Iterable[Judged], reason: str) -> list[Judged]:
    return [replace(one, reason=one.reason or reason) for one in found]


def _without(gone: str, reason: str, turn: Turn, each: list[Judged]) -> Weighed:
    """The turn, with nothing of it kept where it is the one that is taken back."""
    return turn, [replace(one, reason=reason) for one in each] if turn.message.ref == gone else each


def judged(turn: Turn, config: Config, guard: Guard, known: Names = NOBODY) -> list[Judged]:
    """What becomes of each segment of a turn."""
    message = turn.message
    held = guard.stretches(message)
    if not message.is_first_hand:
        return [
            _assistants(each, turn, guard.held(message, held, each.start, each.end, idle=True))
            for each in turn.segments
        ]
    spans = [(each.start, each.end) for each in turn.segments]
    private, forms, asked = withheld(message), owners(message.text, spans), to_be_remembered(message.text, spans)
    seen = readings(message, spans, turn)
    found = []
    for segment, form, is_asked, (reader, features) in zip(turn.segments, forms, asked, seen, strict=True):
        sums = reader.sums(features)
        verdict = _as_wished(verdict_of(sums), message, asked=is_asked)
        reason = _reason(segment, turn, form, verdict, known)
        if private and any(start < segment.end and segment.start < end for start, end in private):
            reason = WITHHELD
        if held:
            reason = guard.held(message, held, segment.start, segment.end, idle=bool(reason)) or reason
        marked = _marked(segment, verdict, () if reason else attributes_told(sums), config)
        if form is not Owner.OWN and not message.is_noted:
            marked = _in_doubt(marked, config)
        found.append(Judged(marked, verdict.worth, reason))
    return _doubted(_handed_on(_of_a_piece(found, forms, message.text), turn))


def _of_play(judged: Judged, config: Config) -> Judged:
    """A segment of a message that gives out parts: it may be played already."""
    reason = UNREAL if judged.segment.earnest < MEANT else ""
    return replace(judged, segment=_in_doubt(judged.segment, config), reason=judged.reason or reason)


def _in_doubt(segment: Segment, config: Config) -> Segment:
    """A segment of which it is in doubt whose words it holds, or if they are played: it fills no slot, and an order
    is what a text says."""
    segment = replace(segment, earnest=min(segment.earnest, UNSURE))
    if segment.keep != "instruction":
        return segment
    return replace(segment, keep="event", importance=importance_of("event", config))


def _of_a_piece(found: Sequence[Judged], forms: Sequence[Owner], body: str) -> list[Judged]:
    """What is in doubt by its form is others', where something in its paragraph is: a text that was put in is not the
    owner's for one sentence."""
    if Owner.DOUBTFUL not in forms:
        return [*found]
    gaps = (body[one.segment.end : other.segment.start] for one, other in pairwise(found))
    paragraphs = [0, *accumulate("\n\n" in gap for gap in gaps)]
    numbered = list(zip(found, forms, paragraphs, strict=False))
    foreign = {number for each, _, number in numbered if each.reason in FOREIGN}
    return [
        replace(each, reason="others")
        if form is Owner.DOUBTFUL and number in foreign and each.reason in ("", *IDLE)
        else each
        for each, form, number in numbered
    ]


def _handed_on(found: list[Judged], turn: Turn) -> list[Judged]:
    """What is told to be wrong in one segment of a sentence is put right by the next."""
    for one, other in pairwise(found):
        if one.segment.change == "corrects" and turn.text_of(one.segment).rstrip().endswith(("，", ",")):
            other.segment.change = other.segment.change or one.segment.change
    return found


def _doubted(found: list[Judged]) -> list[Judged]:
    """What stands in one message with others' or unreal words may be of a piece with them: it is less surely meant."""
    if any(each.reason in FOREIGN for each in found):
        for each in found:
            each.segment.earnest -= DOUBT
    return found


def _assistants(segment: Segment, turn: Turn, held: str) -> Judged:
    """An assistant's words give nothing but what it promises."""
    words = turn.text_of(segment)
    if held or not quotes.promises(words, text.language(words)):
        return Judged(segment, 0, held or ASSISTANT)
    return Judged(replace(segment, keep="plan", stance="asserted", importance=0.5), 0)


def _as_wished(verdict: Verdict, message: Message, *, asked: bool) -> Verdict:
    """What the owner asks to be remembered is meant, and worth keeping; what they have noted is meant if it may be."""
    if not (asked or (message.is_noted and verdict.earnest > -DOUBTED_FROM)):
        return verdict
    stance = "hedged" if verdict.stance == "hedged" else "asserted"
    worth = max(verdict.worth, 2 * SCALE) if asked else verdict.worth
    return verdict._replace(stance=stance, worth=worth, earnest=max(verdict.earnest, MEANT))


def readings(message: Message, spans: Sequence[Span], turn: Turn) -> list[tuple[Weights, Seen]]:
    """For each segment the judge of its own language, and the segment as it sees it."""
    own = text.language(message.text)
    langs = [text.language_within(message.text[slice(*span)], own if own in LANGUAGES else "") for span in spans]
    # the judge has learnt Chinese in simplified characters
    talk = Talk(simplified(message.text), spans, simplified(turn.before), bool(message.speaker))
    found = {lang: list(of_message(talk, lang)) for lang in {*langs}}
    return [(reader_of(lang), found[lang][number]) for number, lang in enumerate(langs)]


def _reason(segment: Segment, turn: Turn, form: Owner, verdict: Verdict, known: Names) -> str:
    """Why the judge drops a segment; empty where it keeps it."""
    words = turn.text_of(segment)
    if form in (Owner.OTHERS, Owner.UNREAL):
        return form.name.lower()
    if verdict.stance not in STORED:
        return verdict.stance
    if form is Owner.DOUBTFUL and verdict.earnest < DOUBTED_FROM and not turn.message.is_noted:
        return "others"
    if verdict.worth < _least(turn, verdict) and not _may_claim(segment, turn, verdict, known):
        return "ask" if verdict.stance == "ask" else "none"
    if verdict.earnest < MEANT and may_be_played(turn.message.text) and not turn.message.is_noted:
        return "unreal"
    return SECRET if is_only_secret(words) else ""


def _may_claim(segment: Segment, turn: Turn, verdict: Verdict, known: Names) -> bool:
    """Whether words may fill a slot, however they are put."""
    if verdict.stance != "asserted" or verdict.worth < CLAIMED_FROM:
        return False
    words = turn.text_of(segment)
    return bool(claims.claims_of(words, text.language(words), heard_before(turn, segment, known)))


def heard_before(turn: Turn, segment: Segment, names: Mapping[str, str]) -> Heard:
    """What was said before a segment of a turn."""
    message = turn.message
    before, question = message.text[: segment.start], turn.before.rstrip()
    if message.is_noted:  # notes speak of the owner in the third person
        names = {**names, **dict.fromkeys(USER_NAME.values(), USER)}
    asked = question if question.endswith(("?", "？")) and not before.strip() else ""
    return Heard(asked=asked, before=before, names=names, speaker=message.speaker)


def _least(turn: Turn, verdict: Verdict) -> int:
    """What a segment must be worth to be kept."""
    if turn.message.is_noted:
        return NOTED_FROM
    # "please always …" is a wish that lasts, "can you forget the list" ends one
    asks = verdict.stance == "ask" and verdict.weighs != "instruction" and not verdict.change
    return NEWS_FROM if asks else KEPT_FROM


def _marked(segment: Segment, verdict: Verdict, told: tuple[str, ...], config: Config) -> Segment:
    """The segment with what the judge makes of it. Its importance is that of its kind, where that is sure, or it tells
    of something that lasts; less where it tells of nothing that lasts, or is in doubt to be worth keeping at all."""
    kind = verdict.likeliest
    weighs = kind if told else verdict.weighs
    share = next(share for least, share in SHARES if verdict.worth >= least)
    if weighs in LASTING and not told:
        share *= REMARK
    elif kind == "profile" and not IDENTITY.isdisjoint(told):
        kind = weighs = "identity"
    importance = round(share * importance_of(CATEGORIES[weighs], config), 2)
    return Segment(
        segment.start, segment.end, kind, verdict.stance, verdict.change, importance, verdict.earnest, told,
        verdict.changes,
    )  # fmt: skip
