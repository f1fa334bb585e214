"""Phase 1: messages become segments, spans that can be judged alone: sentences, cut further at connectives that open
another thought, and at commas, or between dictated thoughts, where they are very long. Rules only. Lengths are columns.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import lru_cache
from itertools import pairwise

from memory_system import clock, rules, text
from memory_system.phases import Night
from memory_system.readers import notes
from memory_system.records import Place
from memory_system.turns import Message, Segment, Turn
from memory_system.understand.features import Span
from memory_system.understand.quotes import columns, means_another, naming

LONG = 200  # columns above which a sentence is cut at commas
SPOKEN = 60  # and, where blanks stand for them, at the blanks of Chinese that is typed as it is spoken
DICTATED = 120  # and what has no stops at all where a thought begins
SHORT = 10  # columns below which what a cut leaves joins its neighbour
BEFORE = 400  # characters of what somebody else said before that a turn carries: its end

SOON = timedelta(hours=1)
LATELY = 6  # messages in which one who is only called "she" may have been named
EARLIER = 160  # characters of what its speaker said before: its beginning, which says what it is about

Voice = tuple[str, str]  # the role and the name of who speaks

_COMMA = re.compile(r"[，；]|[,;](?=\s)")
_BLANK = re.compile(f"(?<=[{text.CJK}]) +(?=[{text.CJK}])")
_THOUGHT = re.compile(  # where one begins in what is dictated without stops: before what joins them, behind a particle
    r"(?<!\band)(?<!\bbut)(?<!\bso)\s(?=(?:and|so|then|because|cause|cos|anyway|also|which|when) )"
    r"|(?<!\band)(?<!ing)(?<!one)(?<!body)\s(?=but )"  # none of "everything but peanuts"
    "|(?=然[后後]|所以|但是|可是|不[过過](?![敏来來去关關])|而且|[后後][来來]|[还還]有|另外|因[为為]|跟住|之[后後])"
    "|(?<![查验驗检檢])(?=[结結]果(?!出))"
    "|(?<=[了啊呢嘛啦喔哦呀吧哈])(?=[我他她佢那])",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)


def run(messages: Iterable[Message], night: Night, tally: Counter[str]) -> Iterator[Turn]:  # noqa: ARG001 (one signature for all phases)
    """Each message as a turn with all its segments, and what others and its speaker said before. Counts `segments`."""
    last: Message | None = None  # what was said last
    other: Message | None = None  # what somebody else said before the one who speaks now
    own: dict[Voice, Message] = {}  # what each has said last in the session
    said: deque[Message] = deque(maxlen=LATELY)  # what was said last in the session
    for message in messages:
        if last is None or last.session != message.session:
            other, own = None, {}
            said.clear()
        elif voice(last) != voice(message):
            other = last
        segments = cut(message)
        tally["segments"] += len(segments)
        turn = Turn(message, segments, other.text[-BEFORE:] if other else "", other.ref if other else "")
        if earlier := own.get(voice(message)):
            turn.earlier, turn.earlier_ref = earlier.text[:EARLIER], earlier.ref
        if last is not None and last.session == message.session and _is_soon(last, message):
            turn.follows = "before" if last is other else "earlier"
        turn.namer = _namer(message, said)
        yield turn
        last = own[voice(message)] = message
        said.append(message)


def _namer(message: Message, said: Sequence[Message]) -> Place | None:
    """Where somebody was named last, for a message that speaks of one whom it does not name."""
    lang = text.language(message.text)
    if not message.is_first_hand or not means_another(message.text, lang):
        return None
    return next(filter(None, (naming(each, lang) for each in reversed(said))), None)


def _is_soon(last: Message, message: Message) -> bool:
    """Whether a message may take up the last one: it comes within the hour."""
    return clock.read_stamp(message.said_at) - clock.read_stamp(last.said_at) <= SOON


def voice(message: Message) -> Voice:
    """Who speaks."""
    return message.role, message.speaker


def cut(message: Message) -> list[Segment]:
    """The segments of a message, in order and without overlap; a block of code is one."""
    body = message.text
    return [Segment(*span) for span in _spans(body, notes.words_from(body) if message.is_noted else 0)]


@lru_cache(maxsize=256)  # people and their agents have words that they say again and again
def _spans(body: str, first: int) -> list[Span]:
    cuts = rules.load(f"cuts.{text.language(body)}")["cut"]
    spans: list[Span] = []
    for start, end, is_code in _blocks(body, first):
        spans += [(start, end)] if is_code else _prose(body, start, end, cuts)
    return spans


def _blocks(body: str, start: int) -> Iterator[tuple[int, int, bool]]:
    """Stretches of the message from that place on: prose, and blocks between fences."""
    fences = [found.start() for found in _FENCE.finditer(body)] if "```" in body or "~~~" in body else []
    for opens, closes in zip(fences[::2], [*fences[1::2], len(body)], strict=False):
        end = body.find("\n", closes + 1)
        end = len(body) if end < 0 else end
        yield from ((*span, False) for span in (text.strip_span(body, start, opens),) if span)
        yield from ((*span, True) for span in (text.strip_span(body, opens, end),) if span)
        start = end
    yield from ((*span, False) for span in (text.strip_span(body, start, len(body)),) if span)


def _prose(body: str, start: int, end: int, cuts: rules.RuleSet) -> Iterator[Span]:
    for first, last in text.sentences(body[start:end]):
        for span in _pieces(body, start + first, start + last, cuts):
            words = body[slice(*span)]
            if columns(words) <= (LONG if words.isascii() else SPOKEN):
                yield span  # as most are
                continue
            for part in _short_enough(body, *span, _BLANK, SPOKEN):
                for each in _short_enough(body, *part, _COMMA, LONG):
                    most = DICTATED if columns(body[slice(*each)]) > LONG else LONG
                    yield from _short_enough(body, *each, _THOUGHT, most)


def _pieces(body: str, start: int, end: int, cuts: rules.RuleSet) -> Iterator[Span]:
    """The sentence, cut where a connective opens another thought, into pieces that can stand alone."""
    if columns(body[start:end]) < 2 * SHORT:
        yield start, end
        return
    words = text.straight(body[start:end])
    places = sorted({start + _opened(found) for rule in cuts.firing(words) for found in rule.matches(words)})
    edges = [start]
    for place in places:
        if columns(body[edges[-1] : place]) >= SHORT and columns(body[place:end]) >= SHORT:
            edges.append(place)
    for one, other in pairwise((*edges, end)):
        if span := text.strip_span(body, one, other):
            yield span


def _opened(found: re.Match[str]) -> int:
    """Where the words begin that open another thought: the group of the rule's pattern that took part."""
    return next(start for start in (found.start(number) for number in range(1, found.re.groups + 1)) if start >= 0)


def _short_enough(body: str, start: int, end: int, pause: re.Pattern[str], longest: int) -> Iterator[Span]:
    """The span, cut at pauses into pieces of at most so many columns, or a little more where no pause is nearer."""
    left, size = columns(body[start:end]), 0
    pauses = (start + found.end() for found in pause.finditer(body[start:end])) if left > longest else ()
    edges = [start, *pauses, end]
    widths = [columns(body[one:other]) for one, other in pairwise(edges)]
    for one, width in zip(edges, widths, strict=False):
        if left > longest and size > longest / 2 and size + width > longest:
            yield from filter(None, [text.strip_span(body, start, one)])
            start, size, left = one, 0, left - size
        size += width
    yield from filter(None, [text.strip_span(body, start, end)])
