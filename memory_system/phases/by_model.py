"""Phase 3 where a model is asked: it reads the night's talk, as much as the budget holds, and its supported operations
decide what is kept of that. What it has not read goes by rules, and so do the lines of operations that are not
supported, and what the owner asked to be remembered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

import orjson

from memory_system import clock, text
from memory_system.llm import AskError, Prompt, cost_of, template, whole_of
from memory_system.llm.asking import Asker
from memory_system.llm.batches import Queued
from memory_system.phases import Night, extract, meaning, shown, support
from memory_system.phases.basis import GRAVE_KINDS, Basis, Operations, Spot, told_of_lines
from memory_system.phases.screen import MEANT, Judged, Weighed
from memory_system.phases.shown import Known, Line
from memory_system.phases.taken import claim_of
from memory_system.records import QUOTE, Belief, Fact, memory_id
from memory_system.store.store import Memories
from memory_system.turns import Claim, Segment, Turn
from memory_system.understand.language import pattern

READ = "read"  # the question's name
LEFT_OUT = "kept.without_claim.left out"  # by a model, of what it has read
CHUNK = 6_000  # tokens of the lines of one question
USUAL = 60  # tokens of an answer beside what it tells of the lines
SHARE = 0.9  # tokens of it for one of the lines: what is reckoned with
MOST = 3  # the same, and so many times the usual, where there is room
WORTH = 0.5  # of importance: what is of health and in doubt to be worth keeping has less
_FRAME = "<known>\n{}\n</known>\n<talk>\n{}\n</talk>"
CHECKS = (
    meaning.safety, support.form, meaning.target, support.names, support.numbers, support.content, meaning.whose,
    meaning.earnest, meaning.denial,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """Lines that a model is asked about, and what it is told shown."""

    lines: Sequence[Line]
    known: Known
    lang: str = ""  # of the prompt
    spare: int = 0  # tokens that the answer may have beyond the usual

    def to_rows(self) -> list[dict[str, object]]:
        """The lines and what was known, as they wait for a late answer."""
        told = {name: (record.id, record.content) for name, record in self.known.records.items()}
        return [{"known": told}, *(line.to_row() for line in self.lines)]


class Reading(NamedTuple):
    """An answer, what was asked, the method of what it makes, and the lines that it decides."""

    answer: Operations
    asked: Asked
    method: str
    decides: Sequence[Line]


def run(
    kept: Iterable[Turn], heard: Iterable[Weighed], memories: Memories, night: Night, asker: Asker, tally: Counter[str],
    names: Mapping[str, str],
) -> Iterator[Claim]:  # fmt: skip
    """The claims, statements and quotes of the turns. `heard` are all turns of the night as they were judged, `kept`
    those of which something is worth keeping."""
    answered = asker.answered(Operations)
    late = [each for asked, answer in answered for each in _late(asked, answer, memories, night, tally, names)]
    extract.count(late, tally)
    yield from late
    decided: dict[Spot, bool] = {}
    lines = list(shown.lines_of(heard))
    read = 0
    for asked in _questions(lines, memories, night):
        for reading in _answers(asked, asker, night):
            read += len(reading.decides)
            found = list(_taken(reading, night, tally, names, decided))
            extract.count(found, tally)
            yield from found
    tally.update({"reading.read": read, "reading.left": len(lines) - read})
    asker.read += read
    asker.left_to_rules += len(lines) - read
    yield from extract.run(_left(kept, decided, tally), night, tally, names)


def _questions(lines: Sequence[Line], memories: Memories, night: Night) -> Iterator[Asked]:
    """What is asked: about as many lines as the budget of the night holds, in parts."""
    fixed = max(cost_of(template(READ, lang), Operations) for lang in ("en", "zh")) + USUAL
    room = night.config.budget.tokens_per_night - fixed
    most_told = min(shown.MOST, int(shown.SHARE * max(0, room)))
    told = min(most_told, text.estimate_tokens(shown.known(lines, memories, night, most_told).text))
    parts = list(chunks(fitting(lines, room - told)))
    needed = sum(fixed + told + reckoned(sum(line.tokens for line in part)) for part in parts)
    for part in parts:
        lang = "zh" if 2 * sum(text.language(line.words) == "zh" for line in part) > len(part) else "en"
        spare = max(0, (room + fixed - needed) // len(parts))
        more = max(0, min(shown.MOST - told, spare // 2))
        yield Asked(part, shown.known(part, memories, night, told + more), lang, spare - more)


def _answers(asked: Asked, asker: Asker, night: Night) -> Iterator[Reading]:
    """The answers about the lines: one, or none where it failed. Of one that was cut off what is whole, and then, where
    the budget holds them, those about the lines that nothing whole names; where nothing is, about each half."""
    prompt = _prompt(asked, night)
    try:
        yield Reading(asker.ask(prompt, Operations, asked.to_rows()), asked, prompt.method, asked.lines)
    except AskError as error:
        if error.kind != "truncated":
            return
        whole = whole_of(error.said, Operations) or Operations(operations=[])
        named = {number for each in whole.operations for number in each.lines}
        decides = [line for number, line in enumerate(asked.lines, 1) if number in named]
        yield Reading(whole, asked, prompt.method, decides)
        rest = [line for number, line in enumerate(asked.lines, 1) if number not in named]
        left = night.config.budget.tokens_per_night - _most_of(prompt)
        yield from _again(replace(asked, lines=rest), asker, night, left, halved=not decides)


def _again(rest: Asked, asker: Asker, night: Night, left: int, *, halved: bool) -> Iterator[Reading]:
    """The answers about lines of which an answer that was cut off says nothing, together or in halves, as far as so
    many tokens hold them."""
    half = len(rest.lines) // 2 if halved else 0
    parts = [replace(rest, lines=lines) for lines in (rest.lines[:half], rest.lines[half:]) if lines]
    if halved and len(parts) < 2:  # one line, about which no answer fits
        return
    for part in parts:
        if (cost := _most_of(_prompt(part, night))) <= left:
            left -= cost
            yield from _answers(part, asker, night)


def _most_of(prompt: Prompt) -> int:
    """The tokens that a question takes at most, with its answer."""
    return cost_of(prompt, Operations) + prompt.most


def _prompt(asked: Asked, night: Night) -> Prompt:
    about = _FRAME.format(asked.known.text, shown.talk(asked.lines, night.zone, asked.lang))
    longest = most(sum(line.tokens for line in asked.lines), asked.spare)
    return replace(template(READ, asked.lang), input=about, most=longest)


def _taken(
    reading: Reading, night: Night, tally: Counter[str], names: Iterable[str], decided: dict[Spot, bool]
) -> Iterator[Claim]:
    """What the supported operations give. `decided` takes in the segments of the lines that are decided, and whether
    they are told; those on which only operations rest that are not supported stay undecided."""
    asked = reading.asked
    refused: list[Basis] = []
    said: set[Spot] = set()
    near, answer = frozenset(names), reading.answer
    operations = [(each, told_of_lines(each, answer)) for each in answer.operations]
    given = (Basis(each, asked.lines, asked.known, near, night.zone, also) for each, also in operations)
    for basis in (kept for each in given for kept in support.as_kept(each)):
        reason = fault(basis)
        tally["reading.operations"] += 1
        if reason:
            tally[f"reading.refused.{reason}"] += 1
            refused.append(basis)
        else:
            said |= basis.spots
            yield claim_of(basis, reading.method, night)
    left = {spot for basis in refused for spot in _untold(basis, said)}
    decided |= {spot: spot in said for line in reading.decides for spot in _spots(line) if spot not in left}


def _untold(basis: Basis, said: Collection[Spot]) -> Iterator[Spot]:
    """What a refused operation leaves to the rules: of its lines that nothing else tells all, of others what it rests
    on, and of what is grave also what others tell in part."""
    for line in basis.named:
        spots = {*_spots(line)}
        rests_on = basis.spots & spots
        yield from spots if spots.isdisjoint(said) else rests_on if basis.is_grave else rests_on.difference(said)


def fault(basis: Basis) -> str:
    """Why an operation is not supported; empty where it is."""
    if not basis.numbers:
        return "no such line"
    return next(filter(None, (check(basis) for check in CHECKS)), "")


def _spots(line: Line) -> Iterator[Spot]:
    return ((line.message.ref, each.start) for each in line.segments)


def _left(kept: Iterable[Turn], decided: Mapping[Spot, bool], tally: Counter[str]) -> Iterator[Turn]:
    """What goes by rules: what was not read, what is undecided, what the owner asked to be remembered, and what is
    grave."""
    for turn in kept:
        left = []
        for segment in turn.segments:
            told = decided.get((turn.message.ref, segment.start))
            if told:
                tally["kept.with_claim"] += 1
            elif told is None or is_asked_for(turn.message.text) or _is_grave(segment):
                left.append(segment)
            else:
                tally[LEFT_OUT] += 1
        if left:
            yield replace(turn, segments=left)


def _is_grave(segment: Segment) -> bool:
    """Whether it is of health or of how to answer, worth keeping and surely meant: that is kept though a model has left
    it out."""
    return segment.keep in GRAVE_KINDS and segment.importance >= WORTH and segment.earnest >= MEANT


def is_asked_for(words: str) -> bool:
    """Whether the words ask that something be remembered."""
    return pattern("reading", text.language(words), "asked").search(words) is not None


def _late(
    late: Queued, answer: Operations, memories: Memories, night: Night, tally: Counter[str], names: Iterable[str]
) -> Iterator[Claim]:
    """What a batch has answered about the lines of an earlier night, of which the rules have kept quotes meanwhile."""
    head, *rows = late.rows
    lines = [_line_of(row) for row in rows]
    named = ((name, said, memories.get(key)) for name, (key, said) in head["known"].items())
    asked = Asked(lines, Known({name: record for name, said, record in named if record and record.content == said}))
    day = night.local(late.night).date()
    kept = {spot: key for line in lines for spot, key in _quotes(line, day, night)}
    for operation in answer.operations:
        alone = Reading(Operations(operations=[operation]), asked, f"llm:{late.prompt}", ())
        found = list(_taken(alone, night, tally, names, {}))
        spots = (spot for n in operation.lines for line in lines[n - 1 : n] for spot in _spots(line))
        instead = dict.fromkeys(kept[spot] for spot in spots if spot in kept)
        if not instead or any(memories.pool_of(each) != "archive" for each in instead):  # else it was put away since
            yield from (replace(each, instead=tuple(instead)) for each in found)


def _quotes(line: Line, day: date, night: Night) -> Iterator[tuple[Spot, str]]:
    """The ids of the quotes that the rules have made of a line, by the segments that they tell."""
    turn = line.kept
    for claim in extract.read(turn, night, extract.Listening({})):
        if claim.form == QUOTE:
            key = memory_id(Belief if claim.confidence < 1 else Fact, day, claim.origin, claim.content)
            inside = (each for each in turn.segments if claim.span[0] <= each.start < claim.span[1])
            yield from (((line.message.ref, each.start), key) for each in inside)


def _line_of(row: Mapping[str, Any]) -> Line:
    turn = Turn.staged(orjson.loads(row["turn"]))
    judged = [Judged(segment, *each) for segment, each in zip(turn.segments, row["why"], strict=True)]
    return Line(turn.message, judged, turn.before)


def fitting(lines: Sequence[Line], room: int) -> list[Line]:
    """The lines that so many tokens hold, with an answer: all, else the best with their neighbours, in order."""
    costs = [reckoned(each.tokens) for each in lines]
    if sum(costs) <= room:
        return list(lines)
    chosen: set[int] = set()
    for number in sorted(range(len(lines)), key=lambda each: lines[each].worth, reverse=True):
        wanted = {each for each in (number - 1, number, number + 1) if _beside(lines, number, each)} - chosen
        for group in (wanted, {number} - chosen):
            if sum(costs[each] for each in group) <= room:
                room -= sum(costs[each] for each in group)
                chosen |= group
                break
    return [line for number, line in enumerate(lines) if number in chosen]


def _beside(lines: Sequence[Line], number: int, other: int) -> bool:
    return 0 <= other < len(lines) and lines[other].message.session == lines[number].message.session


def chunks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines in parts that a question holds, cut between sessions, or where the talk paused longest."""
    left, size = list(lines), 0
    for number, line in enumerate(left):
        size += line.tokens
        if size > CHUNK and number:
            cut = _pause(left[: number + 1])
            yield left[:cut]
            yield from chunks(left[cut:])
            return
    if left:
        yield left


def _pause(lines: Sequence[Line]) -> int:
    """Where to cut: in the second half, at the end of a session, else at the longest pause."""
    first = max(1, len(lines) // 2)
    return max(range(first, len(lines)), key=lambda at: (_gap(lines[at - 1], lines[at]), at))


def _gap(one: Line, other: Line) -> float:
    if one.message.session != other.message.session:
        return float("inf")
    return (clock.read_stamp(other.message.said_at) - clock.read_stamp(one.message.said_at)).total_seconds()


def reckoned(lines: int) -> int:
    """The tokens that lines of so many take with an answer."""
    return int((1 + SHARE) * lines)


def most(lines: int, spare: int) -> int:
    """The most tokens that an answer about lines of so many tokens may take, with so many to spare."""
    return min(USUAL + int(SHARE * lines) + spare, MOST * (USUAL + lines))
