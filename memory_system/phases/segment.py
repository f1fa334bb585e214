"""Phase 1: messages become segments, spans that can be judged alone. Sentence ends, connectives, a new subject or time
word cut; what is long is cut at commas, what is short joins its neighbour. Rules only.

Lengths are columns: a CJK character is as wide as two Latin letters and says as much.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from memory_system import rules, text
from memory_system.phases import Night
from memory_system.phases.understanding.asked import can_be_topic, names_of, tells_the_topic
from memory_system.phases.understanding.essays import passages_of, width
from memory_system.phases.understanding.hanging import hangs
from memory_system.phases.understanding.leaning import is_elliptic, leans
from memory_system.phases.understanding.openings import opens_at
from memory_system.phases.understanding.scene import as_rules_see, behind_label, kinds_in
from memory_system.phases.understanding.withheld import asks_not_to_keep, takes_back
from memory_system.turns import Message, Segment, Turn

LONG = 200  # columns above which a sentence is cut at commas
SHORT = 10  # columns below which it joins its neighbour
_ESSAY = 700  # columns from which an assistant's message is one
_JOINED = 160  # columns a sentence and the one that goes on about it may have together
_LEANING = 260  # and where the second alone would say nothing
_TOLD_TOGETHER = 240  # columns up to which neighbours make one memory: each helps to understand the other
_QUOTED_MOST = 400  # characters after which an open quotation mark was a slip
_CUT_FROM = 14  # columns below which looking for a cut is not worth it

_ASKING = ("question", "instruction")
_TOPICS = ("statement", "question")  # the second only of another: nobody answers oneself
_LEAST_ASKED = 3  # words of its own that what an assistant is asked must have
_SHORT_ASKED = 110  # columns from which it is told in short
_TWO_QUESTIONS = 80  # columns up to which two are told beside one answer
_RECENT = 3  # messages within which the talk is still about the same

Span = tuple[int, int]

_COMMA = re.compile(r"[，；]|[,;](?=\s)")
_CLAUSE = re.compile(
    r"\s*(?:(?:and|but|so|because|then) )?(?:I|I'm|I've|I'd|I'll|i|my|we|we're|the|it|it's|he|she|they|there|this)\b"
    r"|\s*[\u4e00-\u9fff]"
)
_APPENDED = re.compile(  # what only goes on with the clause before it, and says nothing without that
    r"\s*(?:which|who|whose|whom|especially|particularly|specifically|including|such as|like|as well as|rather than"
    r"|considering|using|ensuring|making sure|keeping|assuming|given|even though|although|so that)\b",
    re.IGNORECASE,
)
_OPENED = re.compile(r"[“「\"]")
_SPECIAL = re.compile(r"```|^\s*(?:[|>#]|[-*•] |\d+[.)] )", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*•+] |\d+[.)、]).*\w", re.MULTILINE)  # what was asked for often comes as a list
_LIST_LINE = re.compile(r"\s*(?:[-*•+] |\d+[.)、] ?|#+ |\||>|[-=*_]{3,}\s*$)")
_SUBORDINATE = re.compile(
    r"(?:(?:and|but|so|ok|also),? )*(?:if|when|while|once|since|because|after|before)\b|(?:如果|要是|假如|当)",
    re.IGNORECASE,
)
_OPEN_END = " ,;，；、-–—"
_FIRST_CLAUSE = re.compile(r"[^\n]{24,110}?(?:[,;](?= )| [-–—](?= )|[.!?](?=\s|$)|$)|[^\n]{8,55}?(?:[，；。！？]|$)")
_SHORT_ANSWER = 120  # columns
_NAMES = re.compile(r"[a-z,] [A-Z][a-z]+|[“《「][^”》」]+[”》」]|[\u4e00-\u9fff](?:店|馆|屋|餐厅|公园|路)")
_TAG = re.compile(
    r"[,，] ?(?:ok(?:ay)?|all ?right|deal|[a-z]+n't (?:it|he|she|they|we|i|there)|好吗|好不好|可以吗|行吗)[?？]+\s*$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:it|it's|its|that's|this|they|they're|he|he's|she|she's|which|because|cause|especially|such as|like)\b(?! way)"
    r"|(?:它|他|她|这个?|那个?|其|因为|所以|特别是|尤其|比如|例如|并且|也)(?!天|次|周|年|月|晚|我|许)",
    re.IGNORECASE,
)


def run(messages: Iterable[Message], night: Night, tally: Counter[str]) -> Iterator[Turn]:  # noqa: ARG001 (one signature for all phases)
    """Each message as a turn with all of its segments; `asked` is the question that the message before it, by somebody
    else, ended with; `topic` is what it leans on. Counts `segments`."""
    recent: deque[Turn] = deque(maxlen=_RECENT)
    for message in messages:
        segments = cut(message)
        asked = _asked(recent[0] if recent else None, message)
        turn = Turn(message, segments, asked, *_topic(recent, message, segments, answers=bool(asked)))
        turn.answered = bool(recent) and _is_answer(recent[0].message, message.session)
        turn.follows = next((each.message.ref for each in recent if _goes_on(each.message, message)), "")
        tally["segments"] += len(segments)
        recent.appendleft(turn)
        yield turn


def _topic(recent: Sequence[Turn], message: Message, segments: Sequence[Segment], *, answers: bool) -> tuple[str, bool]:
    """What a person who begins with words that lean on something, or answers with less than a sentence, may lean on:
    the last thing people said in the session that can be understood alone; and whether they said it themselves."""
    first = message.text[segments[0].start : segments[0].end] if segments else ""
    if not _is_persons(message):
        return "", False
    lang = text.language(first)
    if not leans(first, lang) and not (answers and is_elliptic(first, lang)):
        return "", False
    if any(takes_back(turn.message) for turn in recent):
        return "", False
    for turn in recent:
        if turn.message.session == message.session and _is_persons(turn.message):
            own = _voice(turn.message) == _voice(message)
            if own and _names_in_short(recent[0]):
                return "", False
            for segment in reversed(turn.segments):
                said = turn.text_of(segment)
                if (
                    segment.kind in _TOPICS[: 1 + (not own)]
                    and said[:1] not in "[【"
                    and can_be_topic(said, text.language(said))
                    and not is_elliptic(said, text.language(said))
                ):
                    return said, own
    return "", False


def _names_in_short(turn: Turn) -> bool:
    """Whether an assistant has just answered with a sentence that names something: who goes on speaks of that, and not
    of what they said themselves before it."""
    answer = turn.message.text
    return not _is_persons(turn.message) and width(answer) <= _SHORT_ANSWER and _NAMES.search(answer) is not None


def _goes_on(before: Message, message: Message) -> bool:
    return before.session == message.session and _voice(before) == _voice(message)


def _is_answer(message: Message, session: str) -> bool:
    """Whether it is what a nameless assistant says in the session."""
    return message.session == session and not message.is_first_hand


def _is_persons(message: Message) -> bool:
    return message.role == "user" or (message.role == "assistant" and bool(message.speaker))


def _asked(before: Turn | None, message: Message) -> str:
    """The last question or request of the turn before, when another one spoke in the same session."""
    if before is None or before.message.session != message.session or _voice(before.message) == _voice(message):
        return ""
    asking = [number for number, each in enumerate(before.segments) if _asks(each, before)]
    if not asking:
        return ""
    last = before.segments[asking[-1]]
    if _is_persons(message):
        return _answered(before, asking, message)
    asked = before.message.text[_where_it_begins(before, asking[-1]) : last.end]
    if "\n" not in message.text:
        return asked
    wishes = [before.text_of(before.segments[number]) for number in reversed(asking[:-1])]
    said = [before.text_of(each) for each in before.segments[:2] if each.kind != "chat"]
    return next((short for each in (asked, *wishes, *said) if (short := _in_short(each))), asked)


def _asks(segment: Segment, turn: Turn) -> bool:
    """Whether the segment asks for an answer; what ends with a tag does, though it is a statement: ", isn't it?"."""
    return segment.kind in _ASKING or (segment.kind == "statement" and turn.text_of(segment).endswith(("?", "？")))


def _answered(turn: Turn, asking: Sequence[int], message: Message) -> str:
    """Which of what a message ends with asking a person answers: of two questions in a row the last, unless only the
    first is taken up; both where neither is, and they are short ("What are they called? And how old are they?")."""
    said, last = turn.message.text, turn.segments[asking[-1]]
    asked, first = said[last.start : last.end], turn.segments[max(0, asking[-1] - 1)]
    if len(asking) < 2 or asking[-2] != asking[-1] - 1 or (first.kind, last.kind) != ("question", "question"):
        return asked
    lang, reply = text.language(message.text), _FIRST_CLAUSE.match(message.text)
    if reply is None or names_of(reply[0], asked, lang):
        return asked
    if names_of(reply[0], said[first.start : first.end], lang):
        return said[first.start : first.end]
    return said[first.start : last.end] if width(said[first.start : last.end]) <= _TWO_QUESTIONS else asked


def _in_short(words: str) -> str:
    """The words, where they are long the first clause, if that tells by itself what they are about: "I'm learning to
    bake bread"."""
    clause = _FIRST_CLAUSE.match(words) if width(words) > _SHORT_ASKED else None
    short = clause[0].rstrip(_OPEN_END) if clause else words
    tells = tells_the_topic(short, at_length=True, least=_LEAST_ASKED)
    return short if tells and not hangs(short, text.language(short)) else ""


def _where_it_begins(turn: Turn, number: int) -> int:
    """Where what an assistant is asked begins: with the statement before a question that leans on it ("I lost the key,
    can you help me with this?")."""
    asking, before = turn.segments[number], turn.segments[max(0, number - 1)]
    words = turn.message.text[before.start : asking.end]
    if tells_the_topic(turn.text_of(asking), at_length=True) or width(words) > _JOINED or "\n" in words:
        return asking.start
    return before.start


def _voice(message: Message) -> tuple[str, str]:
    return message.role, message.speaker


def cut(message: Message) -> list[Segment]:
    """The segments of a message, in order and without overlap."""
    body = message.text
    lang = text.language(body)
    listed = not message.is_first_hand  # an assistant's lists tell nothing about anyone
    essay = listed and (width(body) > _ESSAY or len(_ITEM.findall(body)) > 1)
    segments: list[Segment] = []
    for start, end, block in _blocks(body, listed and not essay):
        if block:
            segments.append(Segment(start, end, "chat"))
        elif essay:
            segments += (Segment(*span, "statement") for span in passages_of(body, start, end))
        else:
            segments += _prose(body, start, end, lang)
    return segments


def together(turn: Turn, apart: Callable[[Segment], bool]) -> Iterator[list[Segment]]:
    """The segments that are in play, neighbours that make one short text in one list. `apart` says of a segment that it
    stands alone."""
    group: list[Segment] = []
    lang = text.language(turn.message.text)
    for segment in turn.segments:
        if group and not _belongs(turn, group, segment, apart, lang):
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def _belongs(turn: Turn, group: list[Segment], segment: Segment, apart: Callable[[Segment], bool], lang: str) -> bool:
    """Whether the segment is told together with those before it."""
    body, last = turn.message.text, group[-1]
    if not _is_next(turn, last, segment):
        return False
    if width(body[group[0].start : segment.end]) <= _TOLD_TOGETHER and not (apart(last) or apart(segment)):
        return True
    return goes_with(turn, group[0], last, segment, lang)


def goes_with(turn: Turn, first: Segment, last: Segment, segment: Segment, lang: str) -> bool:
    """Whether the segment cannot be understood alone and is told together with what is said right before it, from
    `first` to `last`."""
    if not _is_next(turn, last, segment) or width(turn.message.text[first.start : segment.end]) > _LEANING:
        return False
    words = turn.text_of(segment)
    return leans(words, lang) or (lang == "en" and hangs(words, lang))


def _is_next(turn: Turn, last: Segment, segment: Segment) -> bool:
    """Whether both are statements and nothing stands between them."""
    between = turn.message.text[last.end : segment.start]
    return last.kind == segment.kind == "statement" and not between.strip() and "\n" not in between


def _blocks(body: str, listed: bool) -> Iterator[tuple[int, int, bool]]:
    """Stretches of the message: prose, or (True) a block of code, table, log, or for an assistant a list."""
    if not _is_special(body) and not (listed and "\n" in body):
        if span := text.strip_span(body, 0, len(body)):
            yield *span, False
        return
    start, kind, fenced, at = 0, False, False, 0
    for line in body.splitlines(keepends=True):
        fence = line.lstrip().startswith("```")
        blank = not line.strip()
        now = kind if blank else fenced or fence or line.lstrip().startswith("|") or (listed and _listed(line))
        if now != kind:
            if span := text.strip_span(body, start, at):
                yield *span, kind
            start, kind = at, now
        fenced ^= fence
        at += len(line)
    if span := text.strip_span(body, start, at):
        yield *span, kind


def _is_special(body: str) -> bool:
    """Whether any line of the message may be none of prose."""
    look = _SPECIAL.search if "\n" in body or "`" in body else _SPECIAL.match  # one line begins but once
    return look(body) is not None


def _listed(line: str) -> bool:
    return bool(_LIST_LINE.match(line)) or line.rstrip().endswith((":", "："))


def _prose(body: str, start: int, end: int, lang: str) -> list[Segment]:
    """The segments of a stretch of prose."""
    segments: list[Segment] = []
    stretch = body[start:end]
    cuts = rules.load(lang)["cut"]
    announced = False
    for first, last in _unbroken(stretch, text.sentences(stretch)):
        for begin, stop in _pieces(body, start + first, start + last, cuts):
            kind, announces = _kind(body[begin:stop], lang)
            _append(segments, body, Segment(begin, stop, kind), announced=announced)
            announced = announces
    return segments


def _unbroken(stretch: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The sentences, those inside one quotation joined."""
    if not _OPENED.search(stretch):
        yield from spans
        return
    start: int | None = None
    for first, last in spans:
        begin = first if start is None else start
        piece = stretch[begin:last]
        if _is_open(piece) and last - begin < _QUOTED_MOST and "\n\n" not in piece:
            start = begin
        else:
            start = None
            yield begin, last
    if start is not None:
        yield start, len(stretch.rstrip())


def _is_open(piece: str) -> bool:
    """Whether a quotation begins in the piece and does not end."""
    pairs = (piece.count(opening) > piece.count(closing) for opening, closing in ("“”", "「」"))
    return any(pairs) or piece.count('"') % 2 == 1


def _kind(piece: str, lang: str) -> tuple[str, bool]:
    """What kind of segment the piece is, and whether it only announces what the next one tells."""
    plain = as_rules_see(behind_label(piece))
    fired = kinds_in(_TAG.sub("", plain) if plain.endswith(("?", "？")) else plain, lang)
    if "noise" in fired:
        return "chat", False
    kind = str(fired["kind"][0].data["kind"]) if "kind" in fired else "statement"
    return kind, "announcement" in fired


def _append(segments: list[Segment], body: str, new: Segment, *, announced: bool) -> None:
    """The new segment joins the one before it where it is too short to stand alone, goes on about the same thing, or is
    what that one announced."""
    before = segments[-1] if segments else None
    if before is None or before.kind != new.kind or "\n" in body[before.end : new.start]:
        segments.append(new)
    elif _joins(body, before, new, announced=announced):
        before.end = new.end
    else:
        segments.append(new)


def _joins(body: str, before: Segment, new: Segment, *, announced: bool) -> bool:
    together = width(body[before.start : new.end])
    if together > (_LEANING if announced else _JOINED):
        return False
    short = min(width(body[before.start : before.end]), width(body[new.start : new.end])) < SHORT
    joins = short or (new.kind == "statement" and (announced or bool(_GOES_ON.match(body, new.start))))
    return joins and not asks_not_to_keep(body[before.start : new.end])  # which takes nothing else with it


def _pieces(body: str, start: int, end: int, cuts: rules.RuleSet) -> Iterator[Span]:
    """The sentence body[start:end], cut where a rule says so and where it is too long."""
    if end - start < _CUT_FROM and width(body[start:end]) < _CUT_FROM:
        yield start, end
        return
    sentence = body[start:end]
    plain = as_rules_see(sentence)
    marks = sorted({found.start(1) for rule in cuts.firing(plain) for found in rule.matches(plain)})
    if not marks:
        yield from _short_enough(body, start, end)
        return
    subordinate = _SUBORDINATE.match(sentence)  # "if I go, what do I need?" is one thought
    apart = () if subordinate else sorted({opens_at(sentence, mark) for mark in marks})
    edges = [0, *(mark for mark in apart if width(sentence[:mark]) >= SHORT), len(sentence)]
    for first, last in pairwise(edges):
        if span := text.strip_span(body, start + first, start + last):
            yield from _short_enough(body, *span)


def _short_enough(body: str, start: int, end: int) -> Iterator[Span]:
    """The span, cut at commas into pieces of at most LONG columns as far as commas allow."""
    while 2 * (end - start) > LONG and width(body[start:end]) > LONG:
        commas = [mark.end() for mark in _COMMA.finditer(body, start + SHORT, max(start + SHORT, end - SHORT))]
        commas = [at for at in commas if not _APPENDED.match(body, at)] or commas
        commas = [at for at in commas if opens_at(body, at) == at] or commas
        clauses = [at for at in commas if _CLAUSE.match(body, at)]
        commas = clauses or (commas if width(body[start:end]) > 2 * LONG else [])
        fitting = [at for at in commas if width(body[start:at]) <= LONG] or commas[:1]
        if not fitting or not (span := text.strip_span(body, start, fitting[-1])):
            break
        yield span
        start = fitting[-1]
    if rest := text.strip_span(body, start, end):
        yield rest
