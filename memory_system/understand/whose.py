"""Whose words a message holds, and whether they are meant, by its form: code, quoted lines, copied chats and long
quotations are somebody else's whatever they say; what stands behind a colon or a blank line, or behind words that
announce a text, a supposition or a story, may be; what is taken back as a joke is not meant. In doubt the words are
others'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache

from memory_system import rules
from memory_system.rules import Found, Rule
from memory_system.text import has_cjk, language, language_within, straight
from memory_system.turns import Message
from memory_system.understand.features import Span
from memory_system.understand.quotes import columns

LEAST_QUOTED = 16  # columns that are more than a word in quotation marks
SEVERAL = 3  # sentences in another language than the first: who mixes both says one or two
FEWEST_LINES = 3  # lines with a name before a colon that make a copied chat, where no name comes again

OTHERS, UNREAL = "others", "unreal"

_FENCE = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_QUOTED_LINES = re.compile(r"(?:^[ \t]*>.*(?:\n|$))+", re.MULTILINE)
_LOG_LINES = re.compile(
    r"(?:^[ \t]*(?:\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|Traceback |  File \"|at \w+\.\w+).*(?:\n|$))+", re.MULTILINE
)
_SPOKEN = re.compile(
    r"^[ \t]*(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?[ ,]*)?(?P<name>[^\s:：,，。.!?\d][^:：,，。!?\n]{0,18}?)"
    r"(?:[ (（]+\d{1,2}:\d\d[^:：\n]{0,6})?[ ]?[:：](?!//)[ \t]*\S.*$",
    re.MULTILINE,
)
_QUOTATION = re.compile(
    r"“[^”]*”|「[^」]*」|『[^』]*』|【[^】]*】|«[^»]*»|(?<!\w)\"[^\"]*\"(?!\w)|(?<!\w)‘[^’]*’(?!\w)"
)
_TITLED = re.compile(r"\n[ \t]*(?:【[^】\n]{1,40}】|《[^》\n]{1,40}》)")  # a title below what is said of its text
_HEADED = "【"  # what opens a quotation, but where it holds all of a message: then a heading of one's own words
_HELLO = re.compile(
    r"\s*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|morning|evening)(?: there| again)?"
    r"|[你您]好|早上好|下午好|晚上好|早安?|嗨|哈喽)[^\w\n]*\n\s*",
    re.IGNORECASE,
)  # a greeting of nobody by name, which announces nothing
_BEHIND = re.compile(r"[:：][ \t]*\n|\n[ \t]*\n")


class Owner(IntEnum):
    """How sure it is by the form whose words a span holds."""

    OWN = 0
    DOUBTFUL = 1
    OTHERS = 2
    UNREAL = 3


def owners(text: str, spans: Sequence[Span]) -> list[Owner]:
    """Whose each span of the message is. Lines or several sentences in another language than its beginning may be a
    text to be translated."""
    foreign, plain = sorted(_foreign(text)), straight(text)
    behind = _doubt_from(plain)
    jokes = [*_taken_back(plain)]
    found = [
        Owner.UNREAL if any(span[0] < end <= span[1] for end in jokes) else _owner(span, foreign, behind)
        for span in spans
    ]
    if text.isascii() or len(spans) < 2:
        return found
    said, first_line = [text[slice(*span)] for span in spans], text.find("\n")
    own = language(next((each for each in said if has_cjk(each) or len(each.split()) > 1), ""))  # "OK" is of both
    others = [language_within(each, own) != own for each in said]
    several = sum(others) >= SEVERAL
    return [
        max(each, Owner.DOUBTFUL) if is_other and (several or 0 <= first_line < span[0]) else each
        for each, span, is_other in zip(found, spans, others, strict=True)
    ]


@lru_cache(maxsize=8)  # of one message it is asked three times: in its session, of its spans, and as a joke
def frames_in(plain: str) -> Mapping[str, Sequence[Rule]]:
    """The rules for all of a message that fire, by their group."""
    groups = ("frame", "plays", "takes_back", "speaks_as")
    return rules.together("frames", *groups).by_group(plain)


def framed(group: str, plain: str) -> Iterator[Found]:
    """What the rules of that group find in a message."""
    return (found for rule in frames_in(plain).get(group, ()) for found in rule.found(plain))


def _owner(span: Span, foreign: Sequence[Span], behind: int) -> Owner:
    start, end = span
    covered = sum(max(0, min(end, last) - max(start, first)) for first, last in foreign)
    if 2 * covered > end - start:
        return Owner.OTHERS
    return Owner.DOUBTFUL if covered or end > behind else Owner.OWN


def _doubt_from(plain: str) -> int:
    """From where on the words of a message may be somebody else's, or nobody's."""
    hello = _HELLO.match(plain)
    marks = [mark.end()] if (mark := _BEHIND.search(plain, hello.end() if hello else 0)) else []
    marks += [title.start() for title in _TITLED.finditer(plain)][:1]
    frames = [each.span[1] for group in ("frame", "plays") for each in framed(group, plain)]
    return min((*marks, *frames), default=len(plain))


def _taken_back(plain: str) -> Iterator[int]:
    """Where words end that the speaker then takes back as a joke."""
    for joke in framed("takes_back", plain):
        if before := plain[: joke.span[0]].rstrip():
            yield len(before)


def was_joking(message: Message) -> bool:
    """Whether a person begins by taking back, as a joke, what they said before."""
    if not message.is_first_hand or message.is_noted:
        return False
    return any(each.span[0] == 0 for each in framed("takes_back", straight(message.text)))


def is_reminder(words: str) -> bool:
    """Whether the owner asks to be reminded of something."""
    return rules.load("frames")["reminded"].fires(straight(words))


def to_be_remembered(text: str, spans: Sequence[Span]) -> list[bool]:
    """Of which spans of the message, each a sentence, the owner asks that what it says is remembered."""
    asking, plain = rules.load("frames")["remembered"], straight(text)
    if not asking.may_fire(plain):
        return [False] * len(spans)
    return [asking.fires(plain[slice(*span)]) for span in spans]


def _foreign(text: str) -> Iterator[Span]:
    """Stretches that are somebody else's, or nobody's."""
    if "```" in text or "~~~" in text:
        fences = [found.start() for found in _FENCE.finditer(text)]
        yield from zip(fences[::2], [*fences[1::2], len(text)], strict=False)
    if ">" in text:
        yield from (found.span() for found in _QUOTED_LINES.finditer(text))
    if "\n" in text:
        yield from (found.span() for found in _LOG_LINES.finditer(text))
        yield from _chat(text)
    if not {*'“「『【«"‘'}.isdisjoint(text):
        found = [each for each in _QUOTATION.finditer(text) if columns(each[0]) >= LEAST_QUOTED]
        yield from (each.span() for each in found if each[0][0] != _HEADED or each[0] != text.strip())


def _chat(text: str) -> Iterator[Span]:
    """Lines that begin with who says them, where two or more speak or one speaks often."""
    lines = list(_SPOKEN.finditer(text))
    names = [found["name"].strip().casefold() for found in lines]
    if len(lines) >= FEWEST_LINES or (len(lines) > 1 and len({*names}) < len(names)):
        yield lines[0].start(), lines[-1].end()
