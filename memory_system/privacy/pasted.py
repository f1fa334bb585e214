"""Where somebody else's words stand in a message: a forwarded mail, a letter, a chat, a quotation. The rules are data
(`rules/trust.toml`)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache

from memory_system import rules
from memory_system.privacy.callings import Callings
from memory_system.rules import worded

_WRITERS = {"me", "我", "本人"}  # as a chat that was copied may call its owner
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\Z")
_COLON = re.compile(r"[:：][ \t]*$")

Span = tuple[int, int]


def is_borrowed(text: str, *, drafted: bool = False) -> bool:
    """Whether most of a text is somebody else's."""
    return 2 * sum(end - start for start, end in borrowed(text, drafted=drafted)) > len(text)


def borrowed(text: str, *, drafted: bool = False, owner: Callings | None = None) -> list[Span]:
    """Where somebody else's text stands in a message: what was forwarded, pasted, announced or put in tags. In what an
    assistant has `drafted` a letter is its own; what the `owner` has signed is theirs."""
    if not rules.load("trust")["gate"].fires(text):
        return []
    found = (*_patterned(text), *worded.load("trust", "quotation").found(text), *_chats(text), *_letters(text))
    return [
        (start, end)
        for rule, (start, end) in found
        if not (drafted and rule.data.get("letter"))
        if not _is_own(rule, text[:start], text[start:end], owner or Callings())
    ]


def _is_own(rule: rules.Rule, before: str, words: str, owner: Callings) -> bool:
    """Whether the words are the writer's all the same: by what stands `before` them, by what they have `unless`,
    because the owner has signed them or is not the one greeted."""
    tests = ("unless_before", before), ("unless", words)
    if any(key in rule.data and _written(rule.data[key]).search(part) for key, part in tests):
        return True
    if rule.data.get("letter") and owner.signs(words):
        return True
    return bool(rule.data.get("addressed")) and not owner.is_greeted(words.lstrip("\n").partition("\n")[0])


@cache
def _written(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _patterned(text: str) -> Iterator[tuple[rules.Rule, Span]]:
    for rule in rules.load("trust")["borrowed"].firing(text):
        for match in rule.matches(text):
            end = _reach(rule, text, *match.span())
            if end:
                yield rule, (match.start(), end)


def _reach(rule: rules.Rule, text: str, start: int, end: int) -> int:
    """Where ends what a match begins: with it, or with what the rule says it goes on `until`; 0 where that does not
    come, or what must stand `between` does not."""
    if "until" not in rule.data:
        return end
    last = _written(rule.data["until"]).search(text, end)
    if not last or ("between" in rule.data and not _written(rule.data["between"]).search(text, start, last.start())):
        return 0
    return last.end()


def _chats(text: str) -> Iterator[tuple[rules.Rule, Span]]:
    """From the first line that somebody speaks to the end of the paragraph of the last."""
    for rule in rules.load("trust")["chat"].firing(text):
        heads = [(match.start(), _name(match.groups())) for match in rule.matches(text)]
        if _is_talk([name for _, name in heads], both=bool(rule.data.get("both"))):
            yield rule, (heads[0][0], _paragraph_end(text, heads[-1][0]))


def _name(groups: Sequence[str | None]) -> str:
    return next(filter(None, groups)).strip().lower()


def _is_talk(names: list[str], *, both: bool) -> bool:
    """Whether two or more speak: a name comes again, or the writer is one of them. What stands but once before a line
    may be a label."""
    different = set(names)
    if len(different) < 2 or any(map(_is_diary, different)):
        return False
    signs = bool(different & _WRITERS), len(names) > len(different)
    return all(signs) if both else any(signs)


def _is_diary(name: str) -> bool:
    words = rules.table("trust", "names")["diary"].split()
    return name.split()[0] in words or any(name.startswith(word) for word in words if not word.isascii())


def _paragraph_end(text: str, start: int) -> int:
    found = _PARAGRAPH_END.search(text, start)
    return found.start() if found else len(text)


def _letters(text: str) -> Iterator[tuple[rules.Rule, Span]]:
    """Letters that a line announces, and those that begin with a line which greets somebody."""
    signed = _signatures(text)
    for rule, (_, stop) in worded.load("trust", "announcement").found(text):
        start, end = _line(text, stop)
        last = _announced(rule, text, stop, end, signed)
        if last and not any(worded.load("trust", "own").found(text[start:end])):
            yield rule, (start, last)
    for rule in rules.load("trust")["greeting"].firing(text):
        for match in rule.matches(text):
            yield rule, (match.start(), _signed(signed, match.end()) or len(text))


def _announced(rule: rules.Rule, text: str, stop: int, end: int, signed: list[Span]) -> int:
    """Where ends what is announced up to `stop`, on a line that ends at `end`; 0 where nothing of the kind follows."""
    if rule.data.get("inline"):
        return end
    last = _signed(signed, end)
    if rule.data.get("greeted") and (last or _greets(text[stop:end]) or _greets(_line_after(text, end))):
        return last or len(text)
    opens = rule.data.get("colon") and _COLON.search(text, stop - 1, end) and _line_after(text, end)
    return (last or len(text)) if opens else 0


def _greets(line: str) -> bool:
    known = rules.load("trust")
    return known["greeting"].fires(line) or known["salute"].fires(line)


def _line(text: str, place: int) -> Span:
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end


def _line_after(text: str, end: int) -> str:
    """The next line on which anything stands."""
    rest = text[end:].lstrip()
    return rest.partition("\n")[0]


def _signatures(text: str) -> list[Span]:
    found = rules.load("trust")["signature"].firing(text)
    return sorted(match.span() for rule in found for match in rule.matches(text))


def _signed(signed: list[Span], start: int) -> int:
    """Where the next signature ends; 0 when none comes."""
    place = bisect_left(signed, (start, start))
    return signed[place][1] if place < len(signed) else 0
