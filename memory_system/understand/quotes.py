"""Quotes: what people said, word by word, with the dates that it leans on in brackets. Where a quote cannot be
understood alone it names the spans that stood around it, and is shown with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from memory_system import rules, text
from memory_system.records import Place
from memory_system.turns import Segment, Turn
from memory_system.understand.judge import SCALE

TOGETHER = 240  # columns that neighbours of one kind may have together as one quote
ALONE_FROM = -SCALE  # of a change, from which a segment stands alone: what it changes is told by its own words
BEFORE = 240  # characters of what was said before that are shown beside a quote that leans on it
SHORT = {"en": 4, "zh": 8}  # words, in Chinese characters, below which a sentence is no whole one

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_OPEN_END = re.compile(r"[.!?。！？\n]\s*")


@dataclass(frozen=True, slots=True)
class Quoted:
    """Neighbouring segments of a message that make one quote."""

    turn: Turn
    segments: tuple[Segment, ...]

    @property
    def span(self) -> tuple[int, int]:
        return self.segments[0].start, self.segments[-1].end

    @property
    def words(self) -> str:
        start, end = self.span
        return self.turn.message.text[start:end]

    @property
    def weightiest(self) -> Segment:
        """The segment by which the quote is judged: the most important one, the first of equals."""
        return max(self.segments, key=lambda each: each.importance)


def quotes_of(turn: Turn, segments: Iterable[Segment]) -> Iterator[Quoted]:
    """The segments as quotes: neighbours that are meant alike and change nothing stand together up to a length, for
    each explains the other."""
    group: list[Segment] = []
    for each in segments:
        if group and not _joins(turn, group, each):
            yield Quoted(turn, tuple(group))
            group = []
        group.append(each)
    if group:
        yield Quoted(turn, tuple(group))


def _joins(turn: Turn, group: list[Segment], segment: Segment) -> bool:
    last = group[-1]
    between = turn.message.text[last.end : segment.start]
    if between.strip() or "\n\n" in between or _may_change(last) or _may_change(segment):
        return False
    if (last.keep, last.stance) != (segment.keep, segment.stance):
        return False
    words = turn.message.text[group[0].start : segment.end]
    return len(words) + text.cjk_count(words) <= TOGETHER


def _may_change(segment: Segment) -> bool:
    """Whether a segment may change something said before."""
    return bool(segment.change) or max(segment.changes, default=ALONE_FROM) > ALONE_FROM


def context_of(quoted: Quoted) -> tuple[Place, ...]:
    """What the quote leans on: the rest of its own message right before and behind it, or, where it begins the message,
    the end of what the other said before. Nothing where it can be understood alone."""
    message, (start, end) = quoted.turn.message, quoted.span
    if not leans(quoted.words, text.language(message.text)):
        return ()
    places = []
    if not message.text[:start].strip() and quoted.turn.before_ref:
        before = quoted.turn.before
        places.append(Place(ref=quoted.turn.before_ref, start=-min(len(before), BEFORE), end=0))
    if first := _sentence_before(message.text, start):
        places.append(Place(ref=message.ref, start=first[0], end=first[1]))
    if behind := _sentence_behind(message.text, end):
        places.append(Place(ref=message.ref, start=behind[0], end=behind[1]))
    return tuple(places)


def words_at(places: Iterable[Place], turn: Turn) -> str:
    """The words that stand at the places of a turn."""
    texts = {turn.message.ref: turn.message.text, turn.before_ref: turn.before}
    return "\n".join(texts[each.ref][each.start : each.end or None] for each in places)


def leans(words: str, lang: str) -> bool:
    """Whether words cannot be understood without what stood around them: they begin with somebody or something that is
    not named, or are no whole sentence."""
    found = _WORD.findall(words) if lang == "en" else _WORD.findall(words) and [*words.strip()]
    return len(found) < SHORT[lang] or _pointing(lang).search(text.straight(words)) is not None


@cache
def _pointing(lang: str) -> re.Pattern[str]:
    """Words that point to something said before."""
    return re.compile(rules.table("quotes", lang)["pointing"], re.IGNORECASE)


def promises(words: str, lang: str) -> bool:
    """Whether an assistant says that it will do something later."""
    return re.search(rules.table("quotes", lang)["promise"], text.straight(words), re.IGNORECASE) is not None


def _sentence_before(body: str, start: int) -> tuple[int, int] | None:
    """The last stretch before the place, of at most BEFORE characters, from the beginning of a sentence."""
    first = max(0, start - BEFORE)
    if first and (mark := _OPEN_END.search(body, first, start)) and mark.end() < start:
        first = mark.end()
    return text.strip_span(body, first, start)


def _sentence_behind(body: str, end: int) -> tuple[int, int] | None:
    """The sentence right behind the place."""
    mark = _OPEN_END.search(body, end + 1)
    return text.strip_span(body, end, min(mark.end() if mark else len(body), end + BEFORE // 2))
