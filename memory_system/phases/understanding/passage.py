"""A kept segment with all that extraction knows of it before it reads it: its words, its mood, the rules that fire in
it, what it would be worth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from memory_system import attributes, clock, dates, rules
from memory_system.config import Config
from memory_system.phases import JUDGED, REPEATED, REPEATED_WEIGHT
from memory_system.phases.understanding.dating import dated
from memory_system.phases.understanding.mood import Mood, as_stated, mood_of, without_marks
from memory_system.phases.understanding.pictures import shown
from memory_system.phases.understanding.scene import Scene, as_rules_see, fired_in
from memory_system.phases.understanding.subjects import Subject, with_pronoun
from memory_system.records import USER, EventTime
from memory_system.turns import Segment, Turn

Place = tuple[Turn, Segment, Scene]

_AHEAD = 24  # characters after a segment in which it may be taken back
_BEHIND = 160  # and before it in which a month may be named
_SAID = re.compile(r"\b(?:[Ii] (?:said|thought|told|wrote|mentioned|believed))\b|[说讲]|以为")
_OFTEN = re.compile(r"\b(?:every|each|daily|weekly|monthly|whenever|always)\b|每|天天|经常|定期", re.IGNORECASE)
_DIRECT = re.compile(r"[，,：:\"“]|\b(?:go|goes|went|like)\b", re.IGNORECASE)
_OWNER = re.compile(  # as the subject of a sentence
    r"(?:^|(?<=[.!?;。！？；\n•*-] )|(?<=[。！？；]))(?:(?:[Tt]he )?[Uu]ser(?:'s)?(?= )|用户(?!们))"
)
_GRAVEST = ("safety", "health")
_DECIDING = (*_GRAVEST, "relation", "status")
_MOODS = ("intrinsic", "modality")


@dataclass(slots=True)
class Passage:
    """`quote` is the segment's text; `plain` the same as rules see it, as long; `named` whom a known name in it means;
    `offset` where a label before the words ends; `words` what is to be told, its dates written out, and `whens` those
    dates. `picture` is what a described picture shows, told; else empty. `event` is when the thing spoken of happens:
    the first time that is named."""

    turn: Turn
    segment: Segment
    scene: Scene
    config: Config
    mood: Mood
    quote: str
    plain: str
    named: Subject | None
    offset: int
    words: str
    whens: tuple[dates.When, ...]
    fired: dict[str, list[rules.Rule]]
    picture: str
    event: EventTime | None

    @property
    def noted(self) -> bool:
        """Whether the words were written down: they are told as they stand."""
        return self.turn.message.is_noted or bool(self.scene.prefix)

    @property
    def why_nothing(self) -> str:
        """Why nothing came of it, where nothing did."""
        if self.mood.drop:
            return self.mood.drop
        return "question" if self.segment.kind == "question" else "fragment"

    @property
    def is_outdated(self) -> bool:
        """Whether a name that was introduced since the passage was looked at makes another one of it."""
        return _seen(self.turn, self.segment, self.scene) != (self.plain, self.named)

    @property
    def is_misspoken(self) -> bool:
        """Whether it says what the speaker takes back in the same breath: it fills no slot."""
        words = self.turn.message.text[self.segment.start : self.segment.end + _AHEAD]
        if not _SAID.search(words):
            return False
        return any(rule.data.get("misspoken") for rule in self.scene.groups["modality"].firing(words))

    def is_found_out(self, start: int) -> bool:
        """Whether the words right before that place of `plain` say that a test has an answer."""
        before = _said_before(self.turn, self.segment) + self.plain[:start]
        form = rules.table(self.scene.lang, "words")["result_is_in"]
        return bool(before) and re.search(form, before, re.IGNORECASE) is not None

    @property
    def made_up_from(self) -> int | None:
        """Where in `plain` what is made up, played or dreamt begins; None where the words are meant."""
        opening = (rule for rule in self.fired.get("modality", ()) if rule.data.get("fiction"))
        return min((next(rule.found(self.plain)).span[0] for rule in opening), default=None)

    def is_unmeant(self, start: int, end: int) -> bool:
        """Whether the stretch of `plain` says nothing of anybody's life: it stands in what is made up, or right before
        the words that say so, or in a figure of speech."""
        begins = self.made_up_from
        if begins is not None and (start >= begins or 0 <= begins - end <= 1):
            return True
        return self._stands_in("figure", start, end)

    def is_attributed(self, start: int, end: int) -> bool:
        """Whether the stretch of `plain` stands in what others say of the speaker."""
        return self._stands_in("attributed", start, end)

    def is_others_own(self, start: int, end: int) -> bool:
        """Whether the stretch of `plain` stands in what others say of themselves, word for word: "Leo goes, I'm …"."""
        said = (at for at in self._unmeant("attributed") if at[0] < end and start < at[1])
        return any(_DIRECT.search(self.plain, at, max(at, start + 1)) for at, _ in said)

    def _is_figure(self, rule: rules.Rule) -> bool:
        """Whether the words that the rule first matches are a figure of speech."""
        return self._stands_in("figure", *next(rule.found(self.plain)).span)

    def _stands_in(self, kind: str, start: int, end: int) -> bool:
        """Whether the stretch of `plain` has a part in what rules of the kind match."""
        return any(first < end and start < last for first, last in self._unmeant(kind))

    def _unmeant(self, kind: str) -> list[tuple[int, int]]:
        """The stretches that rules of the kind match; `unless` voids a match that has such words in it, and it ends
        where the group of `until` is found."""
        return [
            _until(rule, self.plain, each.span)
            for rule in self.fired.get("modality", ())
            if rule.data.get("unmeant") == kind
            for each in rule.found(self.plain)
            if not _is_void(rule, self.plain[slice(*each.span)])
        ]

    def dated(self, words: str) -> str:
        """A piece of the passage with its dates written out."""
        if not self.whens:
            return words
        return dates.resolve(words, self.scene.anchor, self.scene.lang, _said_before(self.turn, self.segment))[0]

    def category(self) -> str:
        """What kind of thing the passage is where no slot says it."""
        natures = {str(rule.data["category"]) for rule in self.fired.get("intrinsic", ()) if not self._is_figure(rule)}
        if natures and self.made_up_from is not None:
            return self.scene.category or "general"  # nobody's health
        natures |= {each.removeprefix(JUDGED) for each in self.segment.rules if each.startswith(JUDGED)}
        for category in _GRAVEST if self.is_of_the_moment else _DECIDING:
            if category in natures:
                return category
        if self.scene.category:
            return self.scene.category
        event = self.event
        if self.mood.modality == "planned" and self.is_ahead:
            return "schedule"
        if "preference" in natures:
            return "preference"
        passes = "temporary" in natures or self.is_of_the_moment
        return "temporary" if passes else "event" if event else "general"

    @property
    def is_of_the_moment(self) -> bool:
        """Whether it is said of this very moment or in a mood, and is nothing by tomorrow."""
        return any(rule.data.get("moment") for group in _MOODS for rule in self.fired.get(group, ()))

    @property
    def is_ahead(self) -> bool:
        """Whether there is an event, and it ends after the words were said."""
        end = self.event and datetime.fromisoformat(self.event.end)
        return bool(end and end > self.scene.anchor.replace(tzinfo=None))

    @property
    def is_yet_to_begin(self) -> bool:
        """Whether there is an event, and it begins after the words were said."""
        start = self.event and datetime.fromisoformat(self.event.start)
        return bool(start and start > self.scene.anchor.replace(tzinfo=None))

    def importance(self, category: str) -> float:
        """Intrinsic by category, what is over within the day being temporary, plus the signals of the segment; what a
        language model was asked about has its importance."""
        if any(each.startswith(JUDGED) for each in self.segment.rules):
            return self.segment.importance
        event = self.event
        if category == "schedule" and event and event.start[:10] == self.scene.anchor.date().isoformat():
            category = "temporary"
        signals = sum(float(rule.data["weight"]) for rule in self.fired.get("signal", ()))
        signals += REPEATED_WEIGHT * (REPEATED in self.segment.rules)
        return round(max(0.0, min(1.0, attributes.importance_of(category, self.config) + signals)), 2)

    def expires(self, category: str) -> str | None:
        """When a memory of the category is over: days after its event, else after it was said. A schedule needs an
        event, and what is to be recalled again and again is not over."""
        days = vars(self.config.expiry).get(category)
        event = self.event
        if days is None or (category == "schedule" and event is None):
            return None
        if category != "schedule" and event is None and _OFTEN.search(self.plain):
            return None  # what comes again every evening is never over
        end = datetime.fromisoformat(event.end).replace(tzinfo=self.scene.anchor.tzinfo) if event else self.scene.anchor
        return clock.stamp(end + timedelta(days=days))


def _said_before(turn: Turn, segment: Segment) -> str:
    """What the message says right before the segment: a month that it names there is still spoken of."""
    return turn.message.text[max(0, segment.start - _BEHIND) : segment.start]


def _gives_way(rule: rules.Rule, claims: Iterable[rules.Rule]) -> bool:
    """Whether the rule holds only where nothing fills a certain slot: what is to be written so from now on is no letter
    asked for."""
    slot = rule.data.get("gives_way_to")
    return slot is not None and any(each.data.get("attribute") == slot for each in claims)


def _is_void(rule: rules.Rule, words: str) -> bool:
    """Whether the words that the rule matches have such in them as its `unless` says."""
    unless = rule.data.get("unless")
    return bool(unless) and re.search(str(unless), words, re.IGNORECASE) is not None


def _until(rule: rules.Rule, plain: str, span: tuple[int, int]) -> tuple[int, int]:
    """The stretch, or what of it comes before the words with which the speaker goes on in their own name."""
    until = rule.data.get("until")
    ended = until and re.search(str(until), plain[slice(*span)], re.IGNORECASE)
    return (span[0], span[0] + ended.start(1)) if ended else span


def passages(places: Sequence[Place], config: Config) -> list[Passage]:
    """The segments as passages. All rules look at all of them before anything else is done, and so do all forms of
    dates: what many patterns need is much, and stays in the processor's cache meanwhile."""
    seen = [_seen(*place) for place in places]
    fired = [fired_in(plain, scene.lang) for (*_, scene), (plain, _) in zip(places, seen, strict=True)]
    told = [_told(place) for place in places]
    return [
        _passage(place, plain, named, each, words, config)
        for place, (plain, named), each, words in zip(places, seen, fired, told, strict=True)
    ]


def _seen(turn: Turn, segment: Segment, scene: Scene) -> tuple[str, Subject | None]:
    """The words as rules see them, and whom a known name in them means. Notes tell of their owner in the third person:
    "User lives in Ghent" is read as "I live"."""
    plain = as_rules_see(turn.text_of(segment))
    if turn.message.is_noted and scene.subject == USER:
        plain = _OWNER.sub(_as_i, plain)
    return with_pronoun(plain, scene)


def _as_i(found: re.Match[str]) -> str:
    """The first person for the owner, as long as the words that it stands for."""
    mine = {"user": "I", "user's": "my"}.get(found[0].lower().removeprefix("the "), "我")
    return mine.rjust(len(found[0]))


class _Told(NamedTuple):
    """Where a label before the words ends, the words behind it, the same with their dates written out, and those."""

    offset: int
    said: str
    words: str
    whens: list[dates.When]


def _told(place: Place) -> _Told:
    turn, segment, scene = place
    quote = turn.text_of(segment)
    offset = max(0, min(len(quote), scene.skip - segment.start))
    said = without_marks(quote) if turn.message.is_noted else quote[offset:]
    lead = quote[:offset].rstrip() or _said_before(turn, segment)  # a label may name the day
    return _Told(offset, said, *dates.resolve(said, scene.anchor, scene.lang, lead))


def _passage(
    place: Place, plain: str, named: Subject | None, fired: dict[str, list[rules.Rule]], told: _Told, config: Config
) -> Passage:
    turn, segment, scene = place
    quote = turn.text_of(segment)
    modality = [rule for rule in fired.get("modality", ()) if not _gives_way(rule, fired.get("claim", ()))]
    mood = mood_of(turn, segment, modality, scene.groups["modality"])
    if mood.confidence < 1 and scene.first_hand and not turn.message.is_noted and turn.message.role != "agent":
        mood = as_stated(mood, plain, scene.lang, modality, fired.get("claim", ()))
    offset, said, words, whens = told
    event = dates.event_in(said, whens, scene.lang)
    if not whens and scene.first_hand and not (turn.message.is_noted or scene.prefix):
        words = dated(words, scene.anchor, scene.lang, led=bool(_said_before(turn, segment).strip()))
    if scene.prefix:
        named_before = dates.find(scene.prefix, scene.anchor)
        event = dates.event_in(scene.prefix, named_before, scene.lang) or event
        whens = [*named_before, *whens]
    inside, begins = shown(plain, scene)
    picture = begins + inside
    return Passage(
        turn, segment, scene, config, mood, quote, plain, named, offset, words, tuple(whens), fired, picture, event
    )
