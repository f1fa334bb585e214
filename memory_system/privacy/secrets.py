"""Secrets never enter a memory: keys, tokens, passwords, card, account and identity numbers become `[secret:kind]`
as a message is read, in whatever disguise, by patterns (rules/secrets.toml) and the checks named there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from memory_system import __version__, rules
from memory_system.privacy import checksums
from memory_system.text import cjk_count

PLACEHOLDER = re.compile(r"\[secret:[a-z0-9-]+\]?")
_DEPTH = 1  # encodings within encodings that are looked into
_TOLD = ("password", "api-key")  # kinds that are known by the words around them alone
_SIGNS = re.compile(r"[!#-&*+./<-@\\^_|~-]+(?![A-Za-z0-9])")
_NEXT = re.compile(r"\s*$|\s+[^a-z0-9\s]")  # the sentence has ended before this
_TELLS = 30  # columns beside what is masked from which words tell something else
_WIDE = re.compile(r"[０-９Ａ-Ｚａ-ｚ]{4}")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_INVISIBLE = re.compile("[\xad\u200b-\u200d\u2060\ufeff\u180e]")
_PIECE = re.compile(r"\S+")
_SHORTEST = 16  # characters that any key has
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[A-Za-z]")
_MOST_STARTS = 8  # pieces with which a key may begin: words before it may look like pieces, too

Span = tuple[int, int]
Pass = list[tuple[int, int, int]]  # what was replaced in one pass: from where to where, and by how many characters


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text as it was (`raw`) and without its secrets (`text`), and where the stretches of one stand in the other. A
    stretch that reaches into a secret reaches over all of it."""

    raw: str
    text: str
    passes: tuple[Pass, ...] = ()

    def redacted(self, span: Span) -> Span:
        """Where a stretch of the raw text stands."""
        for edits in self.passes:
            span = _moved(span, edits)
        return span

    def as_written(self, span: Span) -> str:
        """The raw words of a stretch of the text."""
        for edits in reversed(self.passes):
            span = _moved(span, _undone(edits))
        return self.raw[slice(*span)]


def _moved(span: Span, edits: Pass) -> Span:
    """Where a stretch stands after the edits, which are in order."""
    start, end = span
    first, last = start, end
    for begin, stop, size in edits:
        grown = size - (stop - begin)
        if stop <= start:
            first += grown
        elif begin < start:
            first += begin - start
        if stop <= end:
            last += grown
        elif begin < end:
            last += begin + size - end
    return first, last


def _undone(edits: Pass) -> Pass:
    """The edits that lead back."""
    back, grown = [], 0
    for begin, stop, size in edits:
        back.append((begin + grown, begin + grown + size, stop - begin))
        grown += size - (stop - begin)
    return back


def redact(text: str, depth: int = 0) -> tuple[str, dict[str, int]]:
    """The text with every secret as `[secret:kind]`, and how many of each kind; redacting again changes nothing."""
    found: dict[str, int] = {}
    return _cleaned(text, found, [], depth), found


def without_secrets(value: Any) -> Any:
    """A JSON value whose texts are redacted and can be stored."""
    return with_texts(value, lambda text: redact(text.encode(errors="replace").decode())[0])


def with_texts(value: Any, changed: Callable[[str], str], but: Collection[str] = ()) -> Any:
    """A JSON value with its texts changed, however deep they stand, but for what stands under these keys."""
    if isinstance(value, str):
        return changed(value)
    if isinstance(value, list | tuple):
        return [with_texts(each, changed, but) for each in value]
    if isinstance(value, dict):
        return {key: each if key in but else with_texts(each, changed, but) for key, each in value.items()}
    return value


def redaction(text: str) -> Redaction:
    """The text without its secrets, beside it as it was."""
    passes: list[Pass] = []
    return Redaction(text, _cleaned(text, {}, passes, 0), tuple(passes))


def edition() -> str:
    """What is another one whenever the rules of what is secret may have changed."""
    written = (rules.FOLDER / "secrets.toml").read_bytes()
    return hashlib.blake2b(__version__.encode() + written, digest_size=8).hexdigest()


def _cleaned(text: str, found: dict[str, int], passes: list[Pass], depth: int) -> str:
    plain = text if text.isascii() else _INVISIBLE.sub("", text)
    cleaned = _redacted(plain, found, passes, depth)
    if not found:
        return text
    if plain != text:
        passes.insert(0, [(*each.span(), 0) for each in _INVISIBLE.finditer(text)])
    return cleaned


def _redacted(text: str, found: dict[str, int], passes: list[Pass], depth: int) -> str:
    view = narrowed(text)  # as long as the text, place by place
    if not rules.load("secrets")["gate"].fires(view):
        return text
    ruleset = rules.together("secrets", "secret", "broken")
    while fired := ruleset.firing(view):
        before = sum(found.values())
        for rule in fired.get("broken", ()):
            text, view = _replaced(text, view, _broken_spans(view, rule, depth), found, passes)
        for rule in fired.get("secret", ()):
            text, view = _replaced(text, view, _found_by(view, rule, depth), found, passes)
        if sum(found.values()) == before:
            break
    return text


Secret = tuple[int, int, str]  # where it stands, and of which kind it is


def _replaced(
    text: str, view: str, spans: Iterator[Secret], found: dict[str, int], passes: list[Pass]
) -> tuple[str, str]:
    edits: Pass = []
    pieces: list[str] = []
    views: list[str] = []
    done = 0
    for start, last, kind in spans:
        end = _with_signs(text, last) if kind in _TOLD else last
        if start >= done and not PLACEHOLDER.match(view, start):
            pieces += (text[done:start], f"[secret:{kind}]")
            views += (view[done:start], f"[secret:{kind}]")
            edits.append((start, end, len(pieces[-1])))
            done = end
            found[kind] = found.get(kind, 0) + 1
    if not pieces:
        return text, view
    passes.append(edits)
    return "".join((*pieces, text[done:])), "".join((*views, view[done:]))


def _with_signs(text: str, end: int) -> int:
    """Where a password ends with the signs behind it, of which the last may be the sentence's own."""
    signs = _SIGNS.match(text, end)
    if signs is None:
        return end
    return signs.end() - (signs[0][-1] in ".!?" and bool(_NEXT.match(text, signs.end())))


def _found_by(view: str, rule: rules.Rule, depth: int) -> Iterator[Secret]:
    """What of the rule's matches is secret: the group it names, or all of it, if its check agrees."""
    for match in rule.matches(view):
        if rule.data.get("check") == "prefixed":
            yield from checksums.prefixed(view, *match.span())
            continue
        for start, end in _spans(match, rule, depth):
            yield start, end, rule.data["kind"]


def _spans(match: Any, rule: rules.Rule, depth: int) -> Iterator[tuple[int, int]]:
    start, end = match.span(rule.data.get("group", 0))
    check = rule.data.get("check", "")
    if check == "base64":
        if depth < _DEPTH and any(redact(inner, depth + 1)[1] for inner in checksums.decoded(match.string[start:end])):
            yield start, end
    elif check == "spelt":
        yield from checksums.spelt(match.string, start, end)
    elif check in checksums.RUNS:
        yield from checksums.numbers(match.string, start, end, checksums.RUNS[check])
    elif not check or checksums.VALUES[check](match.string[start:end]):
        yield start, end


def _broken_spans(view: str, rule: rules.Rule, depth: int) -> Iterator[Secret]:
    """Keys in pieces: put together, they are what a rule knows."""
    ruleset = rules.load("secrets")["secret"]
    for match in rule.matches(view):
        for whole, places in joined(view, *match.span()):
            found = sorted(each for one in ruleset.firing(whole) for each in _found_by(whole, one, depth))
            stand = [(places[start], places[end - 1] + 1, end - start, kind) for start, end, kind in found]
            spans = [(start, end, kind) for start, end, size, kind in stand if end - start > size]  # in pieces
            yield from spans
            if spans:
                break


# ---- disguises: full-width characters, invisible ones between others, and keys that stand in pieces ---------------


def narrowed(text: str) -> str:
    """The text with words and numbers in full-width characters in plain ones; as long as it was."""
    return text if text.isascii() or not _WIDE.search(text) else text.translate(_NARROW)


def joined(text: str, start: int, end: int) -> Iterator[tuple[str, list[int]]]:
    """The pieces of the stretch put together, from the first on, from the second on, …, and where each character of
    them stands in the text; nothing where that cannot be a key."""
    pieces = [found.span() for found in _PIECE.finditer(text, start, end)]
    places = [place for piece in pieces for place in range(*piece)]
    for first, _ in pieces[:_MOST_STARTS]:
        there = places[places.index(first) :]
        whole = "".join(text[place] for place in there)
        if len(whole) < _SHORTEST or not (_DIGIT.search(whole) and _LETTER.search(whole)):
            return
        yield whole, there


def is_only_secret(words: str) -> bool:
    """Whether nothing is told but what is masked: "My password is [secret:password]"."""
    if "[secret:" not in words:
        return False
    rest = PLACEHOLDER.sub("", words).strip()
    return len(rest) + cjk_count(rest) <= _TELLS
