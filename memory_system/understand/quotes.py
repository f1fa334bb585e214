"""Quotes: what people said, word by word, with the dates that it leans on in brackets. Where a quote cannot be
understood alone it names the spans that stood around it, and is shown with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory_system import text
from memory_system.records import Place
from memory_system.turns import Message, Segment, Turn
from memory_system.understand.language import kin_words, pattern

WHOLE = 160  # columns of a message that is quoted as a whole: who reads it understands it as the listener did
TOGETHER = 240  # columns that neighbours may have together as one quote
BEFORE = 240  # characters of what was said before that are shown beside a quote that leans on it
SHORT = {"en": 4, "zh": 8}  # words, in Chinese characters, below which a sentence is no whole one
FEW = {"en": 10, "zh": 16}  # below which what stood before is needed: so few seldom name what they are about
MANY = {"en": 30, "zh": 48}  # from which on a message says itself what it is about

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUESTION = ("?", "？")
_OPEN_END = re.compile(r"[.!?](?=\s|$)\s*|[。！？\n]\s*")


@dataclass(frozen=True, slots=True)
class Quoted:
    """Segments of a message that make one quote, with what stands between them; `whole`: all of the message."""

    turn: Turn
    segments: tuple[Segment, ...]
    whole: bool = False

    @property
    def span(self) -> tuple[int, int]:
        if self.whole:
            body = self.turn.message.text
            return text.strip_span(body, 0, len(body)) or (0, len(body))
        return self.segments[0].start, self.segments[-1].end

    @property
    def words(self) -> str:
        start, end = self.span
        return self.turn.message.text[start:end]

    @property
    def weightiest(self) -> Segment:
        """The segment by which the quote is judged: the most important one, of equals one that is stated, the first."""
        return max(self.segments, key=lambda each: (each.importance, each.stance == "asserted"))


def quotes_of(turn: Turn, segments: Iterable[Segment]) -> Iterator[Quoted]:
    """The segments as quotes: a short message as a whole; of a longer one, neighbours that are meant alike and change
    nothing stand together up to a length, for each explains the other."""
    segments = list(segments)
    if segments and _is_unit(turn, segments):
        yield Quoted(turn, tuple(segments), whole=True)
        return
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
    if last.change or segment.change or last.stance != segment.stance or "\n\n" in between:
        return False
    is_barred = any(start < segment.start and last.end < end for start, end in turn.barred)
    if between.strip() and (turn.message.is_noted or is_barred):
        return False
    return columns(turn.message.text[group[0].start : segment.end]) <= TOGETHER


def _is_unit(turn: Turn, segments: Sequence[Segment]) -> bool:
    """Whether a message is short, and nothing in it is barred or told already: what it changes is named beside it, and
    where it is in doubt its words say so; but what is of health and in doubt is not stated with the rest."""
    if turn.message.is_noted or turn.barred or len(segments) < len(turn.segments):
        return False
    if any(each.keep == "health" and each.stance != segments[0].stance for each in segments):
        return False
    return columns(turn.message.text.strip()) <= WHOLE


def columns(words: str) -> int:
    """The columns that the words take: a CJK character is as wide as two Latin letters and says as much."""
    return len(words) + text.cjk_count(words)


def context_of(quoted: Quoted) -> tuple[Place, ...]:
    """What the quote leans on: the rest of its own message right before and behind it, and, where it stands at the
    beginning of that, what its speaker said before and the end of what the other did; where nobody is named there
    whom the quote may mean, the last sentence that names somebody. Of what can be understood alone only the question
    that it answers, or the message that it goes on with. Nothing that is barred."""
    message, (start, end) = quoted.turn.message, quoted.span
    lang, first = text.language(message.text), message.text[:start].strip()
    if is_whole(quoted.words, lang):
        return () if first else tuple(_taken_up(quoted, lang))
    is_first = not first or (leans(quoted.words, lang) and _size(first, lang) < FEW[lang])  # its message, or nearly
    places = list(_said_before(quoted, lang)) if is_first else []
    for span in filter(None, (_sentence_before(message.text, start), _sentence_behind(message.text, end))):
        if not any(opens < span[1] and span[0] < closes for opens, closes in quoted.turn.barred):
            places.append(Place(ref=message.ref, start=span[0], end=span[1]))
    namer = quoted.turn.namer
    if namer and means_another(quoted.words, lang) and not names_somebody(words_at(places, quoted.turn), lang):
        places.insert(0, namer)
    return tuple(places)


def _taken_up(quoted: Quoted, lang: str) -> Iterator[Place]:
    """How the message began that this one carries on, or else the question that it answers; of what is long, or begins
    something fresh, nothing."""
    turn, words = quoted.turn, text.straight(quoted.words)
    if _size(words, lang) >= MANY[lang] or pattern("quotes", lang, "fresh").search(words):
        return
    if turn.follows == "earlier":
        if pattern("quotes", lang, "carried").search(words):
            yield Place(ref=turn.earlier_ref, start=0, end=len(turn.earlier))
    elif turn.follows == "before" and turn.before.rstrip().endswith(_QUESTION) and text.language(turn.before) == lang:
        *_, (start, _) = text.sentences(turn.before)
        yield Place(ref=turn.before_ref, start=start - len(turn.before) - (start > 0), end=0)


def _said_before(quoted: Quoted, lang: str) -> Iterator[Place]:
    """How the speaker began the message before, and the end of what the other said, where the quote takes that up."""
    turn = quoted.turn
    if turn.earlier:
        yield Place(ref=turn.earlier_ref, start=0, end=len(turn.earlier))
    if turn.before_ref and (turn.before.rstrip().endswith(_QUESTION) or _size(quoted.words, lang) < FEW[lang]):
        yield Place(ref=turn.before_ref, start=-min(len(turn.before), BEFORE), end=0)


def words_at(places: Iterable[Place], turn: Turn) -> str:
    """The words that stand at the places of a turn."""
    texts = {turn.message.ref: turn.message.text, turn.before_ref: turn.before, turn.earlier_ref: turn.earlier}
    return "\n".join(texts[each.ref][each.start : each.end or None] for each in places if each.ref in texts)


def is_whole(words: str, lang: str) -> bool:
    """Whether words can be understood alone, for all that their form tells."""
    return _size(words, lang) >= FEW[lang] and not leans(words, lang)


def leans(words: str, lang: str) -> bool:
    """Whether words need what stood around them: they point to it, or are no whole sentence."""
    return points(words, lang) or _size(words, lang) < SHORT[lang]


def points(words: str, lang: str) -> bool:
    """Whether words begin with what is not named."""
    plain = text.straight(words)
    return pattern("quotes", lang, "pointing").search(plain) is not None or means_another(plain, lang)


def means_another(words: str, lang: str) -> bool:
    """Whether words speak of "her" or "him" before they have named anybody."""
    pronoun = pattern("quotes", lang, "pronoun").search(words)
    return pronoun is not None and not names_somebody(words[: pronoun.start()], lang)


def naming(message: Message, lang: str) -> Place | None:
    """Where a message last names somebody: that sentence, where it is not long; None where none does."""
    spans = [(start, end) for start, end in text.sentences(message.text) if end - start <= BEFORE]
    named = (span for span in reversed(spans) if names_somebody(message.text[slice(*span)], lang))
    return next((Place(ref=message.ref, start=start, end=end) for start, end in named), None)


def names_somebody(words: str, lang: str) -> bool:
    """Whether words name a person, for all that their form tells: by a kin word, or by a name."""
    kin, lower = kin_words(lang), text.simplified(words).casefold()
    is_kin = not kin.keys().isdisjoint(_WORD.findall(lower)) if lang == "en" else any(each in lower for each in kin)
    return is_kin or pattern("quotes", lang, "named").search(words) is not None


def _size(words: str, lang: str) -> int:
    """How many words there are, in Chinese characters."""
    found = _WORD.findall(words)
    return len(found) if lang == "en" else len(words.strip()) if found else 0


def promises(words: str, lang: str) -> bool:
    """Whether an assistant says that it will do something later."""
    return pattern("quotes", lang, "promise").search(text.straight(words)) is not None


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
