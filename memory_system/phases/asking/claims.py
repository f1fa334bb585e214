"""The question of phase 3: what segments say that the rules could tell nothing of, or only with words like "it" and
"there" in them. A claim of the model's enters when its quote stands in the segment, its subject in the conversation,
and everything it says in the words it rests on; else it is counted as rejected.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import orjson
from pydantic import BaseModel

from memory_system import attributes, dates, text
from memory_system.llm.asking import Asker
from memory_system.phases.asking import lines
from memory_system.phases.asking.support import covers, fault, is_quoted
from memory_system.phases.understanding.passage import Passage
from memory_system.phases.understanding.replying import alone
from memory_system.text import estimate_tokens
from memory_system.turns import Claim, Message

NAME = "extract"
_BEFORE = 100  # characters before a segment that are shown with it
_MANY = 120  # segments that wait to be asked about; the most important
_CLAIMS = 3  # taken of one segment
_FORM = 34  # tokens of a claim beside its words
_SUPPOSED = 0.6  # confidence where the model is not sure
_UNCLEAR = {
    "en": re.compile(r"\b(?:it|that|this|there|they|them|those|these|one|he|she|him|her)\b", re.IGNORECASE),
    "zh": re.compile(r"[它这那他她]"),
}
Reject = Callable[[str], None]  # counts a claim that does not enter, by its reason
_GUARDED = frozenset({"identity", "health", "safety", "instruction", "contact", "schedule", "reminder", "todo"})


class _Said(BaseModel):
    """A claim as the model gives it."""

    n: int
    quote: str
    about: str
    text: str
    attribute: str
    value: str
    sure: bool


class Claims(BaseModel):
    claims: list[_Said]


@dataclass(slots=True)
class Open:
    """A segment to ask about. `claim` is what the rules make of it (empty content: nothing), whose everything but its
    words a claim of the model's takes over; `told` says whether the rules made it."""

    claim: Claim
    told: bool
    before: str
    speaker: str
    names: tuple[str, ...]
    anchor: datetime
    segments: int
    reason: str

    @property
    def line(self) -> str:
        before = f" [{lines.quoted(self.before, _BEFORE)}]" if self.before else ""
        return f"{self.speaker}{before}: {lines.quoted(self.claim.quote)}"


@dataclass
class Waiting:
    """The segments of a night that the rules leave open, up to the most important. Counts as phase 3 does."""

    asker: Asker
    tally: Counter[str]
    _found: list[tuple[float, int, Open]] = field(default_factory=list)
    _count: int = 0
    _last: Message | None = None  # the message of the latest segment, and how the one before it ended
    _earlier: str = ""

    def put(self, passage: Passage, claims: Sequence[Claim], blank: Claim, segments: int, reason: str) -> bool:
        """Whether the segment is taken; then its claims come with the others at the end."""
        before = self._before(passage)
        if not _is_open(passage, claims):
            return False
        self._count += 1
        scene = passage.scene
        open_ = Open(
            claims[0] if claims else blank, bool(claims), before, scene.voices.speaker,
            (scene.voices.speaker, scene.voices.other), scene.anchor, segments, reason,
        )  # fmt: skip
        heapq.heappush(self._found, (blank.importance, -self._count, open_))
        return True

    def _before(self, passage: Passage) -> str:
        """What stands before the segment in its message, else the question it may answer, else the end of the message
        before."""
        message = passage.turn.message
        if (last := self._last) is None or last.ref != message.ref:
            same = last is not None and last.session == message.session
            self._earlier, self._last = last.text[-_BEFORE:] if last and same else "", message
        told = message.text[max(0, passage.segment.start - _BEFORE) : passage.segment.start].strip()
        return told or passage.turn.asked or self._earlier

    def overdue(self) -> Iterator[Claim]:
        """What the rules made of segments that are too many to be asked about."""
        while len(self._found) > _MANY:
            self.asker.left_to_rules += 1
            yield from self._settled(heapq.heappop(self._found)[2], [], "")

    def answered(self) -> Iterator[Claim]:
        """The claims of all that waited: the model's where it gave any that can be verified, else the rules'."""
        waiting = [each for *_, each in sorted(self._found, key=lambda each: (-each[0], -each[1]))]
        form, told = _form(waiting), [each.line for each in waiting]
        count = form.fitting(self.asker, told, self.asker.room(NAME))
        rows = [_row(each) for each in waiting[:count]] if self.asker.queue is not None else ()
        answers: list[list[_Said]] = [[] for _ in waiting]
        for places, answer in form.ask(self.asker, told[:count], rows):
            for place, said in _by_place(answer, places, self._reject):
                answers[place].append(said)
        for open_, said_of_it in zip(waiting, answers, strict=True):
            yield from self._settled(open_, said_of_it, form.template.method)

    def answered_late(self) -> Iterator[Claim]:
        """The claims of segments of an earlier night of which the rules could tell nothing."""
        for open_, claim in late(self.asker, self._reject):
            if not open_.told:
                self.tally["claims"] += 1
                yield claim

    def _settled(self, open_: Open, said: list[_Said], method: str) -> list[Claim]:
        """The claims of one segment, counted."""
        made: list[Claim] = []
        for each in said:
            if why := _fault(each, open_, len(made)):
                self._reject(why)
            else:
                made.append(_claim(each, open_, method))
        if open_.told and not any(covers(each.content, alone(open_.claim.content)) for each in made):
            for _ in made:
                self._reject("says less than the rules")
            made = [open_.claim]
        self.tally["kept.with_claim" if made else f"kept.without_claim.{open_.reason}"] += open_.segments
        self.tally["claims"] += len(made)
        return made

    def _reject(self, reason: str) -> None:
        self.tally["claims"] += 1
        self.tally[f"claims.rejected.{reason}"] += 1


def late(asker: Asker, reject: Reject = lambda _: None) -> Iterator[tuple[Open, Claim]]:
    """The segments of an earlier night that a batch has answered, with the claims that can be verified: of a segment
    that the rules had told, one that says at least as much."""
    for rows, answer, method in asker.answered(NAME, Claims):
        opens, taken = [_open(row) for row in rows], Counter[int]()
        for place, said in _by_place(answer, range(len(rows)), reject):
            if why := _fault(said, opens[place], taken[place]):
                reject(why)
                continue
            claim = _claim(said, opens[place], method)
            if opens[place].told and not covers(claim.content, alone(opens[place].claim.content)):
                reject("says less than the rules")
                continue
            taken[place] += 1
            yield opens[place], claim


def _by_place(answer: Claims, places: range, reject: Reject) -> Iterator[tuple[int, _Said]]:
    """The claims of an answer about these places, each with the place of its line."""
    for said in answer.claims:
        if 0 < said.n <= len(places):
            yield places[said.n - 1], said
        else:
            reject("answers no question")


def _row(open_: Open) -> dict[str, Any]:
    """The segment as it waits for a late answer."""
    fields = {name: getattr(open_, name) for name in ("told", "before", "speaker", "names", "segments", "reason")}
    return {**fields, "anchor": open_.anchor.isoformat(), "claim": orjson.loads(open_.claim.to_line())}


def _open(row: Mapping[str, Any]) -> Open:
    claim, anchor = Claim.from_row(row["claim"]), datetime.fromisoformat(row["anchor"])
    return Open(**{**row, "claim": claim, "anchor": anchor, "names": tuple(row["names"])})


def _is_open(passage: Passage, claims: Sequence[Claim]) -> bool:
    """Whether a person said something that the rules left open."""
    if passage.mood.drop or not passage.scene.first_hand or passage.segment.kind == "question" or passage.noted:
        return False
    if not claims:
        return True
    start, end = next(text.sentences(passage.plain), (0, 0))  # what stands later may mean what is said before it
    general = len(claims) == 1 and not claims[0].attribute
    return general and bool(_UNCLEAR[passage.scene.lang].search(passage.plain, start, end))


def _form(opens: Sequence[Open]) -> lines.Form[Claims]:
    return lines.form(NAME, (each.claim.lang for each in opens), Claims, _expected)


def _expected(line: str) -> int:
    """Tokens that the claim of a line takes: its words as the quote, and again as the sentence."""
    return _FORM + 2 * estimate_tokens(line.rpartition("]")[2])


def _fault(said: _Said, open_: Open, taken: int) -> str:
    """Why a claim does not enter beside so many of its segment that were taken; empty where it does."""
    if taken >= _CLAIMS:
        return "too many of one segment"
    if not is_quoted(said.quote, open_.claim.quote):
        return "quote not in the source"
    if not _is_known(said.about, open_):
        return "subject not in the conversation"
    if estimate_tokens(said.text) > 3 * estimate_tokens(open_.claim.quote) + _FORM or not said.text.strip():
        return "too long or empty"
    return fault(said.text, said.quote, open_.before, open_.names)


def _is_known(about: str, open_: Open) -> bool:
    """Whether the subject is the speaker or is named in what was shown."""
    if _is_speaker(about, open_):
        return True
    return text.fold(about) in text.fold(f"{open_.claim.quote} {open_.before}")


def _is_speaker(about: str, open_: Open) -> bool:
    return about.strip().lower() in ("", "user", "用户", open_.speaker.lower())


def _claim(said: _Said, open_: Open, method: str) -> Claim:
    """The claim as phase 4 takes it: the model's words, with the rules' category and importance."""
    words, lang = " ".join(said.text.split()), open_.claim.lang
    told, whens = dates.resolve(words, open_.anchor, lang)
    speaker = _is_speaker(said.about, open_)
    attribute, value = _slot(said, speaker=speaker)
    names = (*open_.claim.entities, *([] if speaker else [said.about]))
    sure = min(open_.claim.confidence, 1.0 if said.sure else _SUPPOSED)
    return replace(
        open_.claim,
        content=told,
        quote=open_.claim.quote,
        subject=open_.claim.subject if speaker else said.about,
        attribute=attribute,
        value=value,
        entities=tuple(dict.fromkeys(names)),
        event_time=dates.event_in(words, whens, lang) or open_.claim.event_time,
        confidence=sure,
        basis=open_.claim.basis or ("" if sure == 1.0 else "not certain"),
        modality=open_.claim.modality if sure == open_.claim.confidence else "hedged",
        method=method,
    )


def _slot(said: _Said, *, speaker: bool) -> tuple[str, str]:
    """Attribute and value, where a wrong one could do no harm: of many values, with nothing it would speak against, and
    with the value in the quote."""
    row = attributes.about(said.attribute)
    harmless = bool(row) and not row.get("single") and not row.get("opposite") and row.get("category") not in _GUARDED
    if speaker and harmless and is_quoted(said.value, said.quote):
        return said.attribute, said.value.strip()
    return "", ""
