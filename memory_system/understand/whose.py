"""Whose words a message holds, by its form alone: code, quoted lines, copied chats and long quotations are somebody
else's whatever they say, and what stands behind a colon or a blank line may be. In doubt the words are others'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum

from memory_system.text import language, language_within
from memory_system.understand.features import Span

LEAST_QUOTED = 16  # characters between quotation marks that are more than a word in quotation marks
FEWEST_LINES = 3  # lines with a name before a colon that make a copied chat, where no name comes again

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
_QUOTATION = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|(?<!\w)\"[^\"]*\"(?!\w)|(?<!\w)‘[^’]*’(?!\w)")
_BEHIND = re.compile(r"[:：][ \t]*\n|\n[ \t]*\n")


class Owner(IntEnum):
    """How sure it is by the form whose words a span holds."""

    OWN = 0
    DOUBTFUL = 1
    OTHERS = 2


def owners(text: str, spans: Sequence[Span]) -> list[Owner]:
    """Whose each span of the message is. Lines in another language than the message begins in may be a text that is
    given to be translated."""
    foreign = sorted(_foreign(text))
    mark = _BEHIND.search(text)
    behind = mark.end() if mark else len(text)
    found = [_owner(span, foreign, behind) for span in spans]
    if text.isascii() or len(spans) < 2:
        return found
    own, first_line = language(text[slice(*spans[0])]), text.find("\n")
    return [
        max(each, Owner.DOUBTFUL)
        if 0 <= first_line < span[0] and language_within(text[slice(*span)], own) != own
        else each
        for each, span in zip(found, spans, strict=True)
    ]


def _owner(span: Span, foreign: Sequence[Span], behind: int) -> Owner:
    start, end = span
    covered = sum(max(0, min(end, last) - max(start, first)) for first, last in foreign)
    if 2 * covered > end - start:
        return Owner.OTHERS
    return Owner.DOUBTFUL if covered or start >= behind else Owner.OWN


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
    if not {*'“「『"‘'}.isdisjoint(text):
        yield from (found.span() for found in _QUOTATION.finditer(text) if len(found[0]) >= LEAST_QUOTED)


def _chat(text: str) -> Iterator[Span]:
    """Lines that begin with who says them, where two or more speak or one speaks often."""
    lines = list(_SPOKEN.finditer(text))
    names = [found["name"].strip().casefold() for found in lines]
    if len(lines) >= FEWEST_LINES or (len(lines) > 1 and len({*names}) < len(names)):
        yield lines[0].start(), lines[-1].end()
