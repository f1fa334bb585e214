"""Secrets never enter a memory: keys, tokens, passwords, card, account and identity numbers become `[secret:kind]`
as a message is read, in whatever disguise, by patterns (rules/secrets.toml) and the checks named there."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from typing import Any

from memory_system import __version__, rules
from memory_system.text import cjk_count, with_texts

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
_GROUP = re.compile(r"\d+[Xx]?(?!\d)|\d+")
_CARD_LENGTHS = range(13, 20)
_LONGEST_NUMBER = 20  # digits, and an X
_ISSUERS = re.compile(r"4|5\d|2[2-7]|3[04-9]|6\d|81|9\d", re.ASCII)
_BEFORE = re.compile(r"[A-Za-z0-9+._]\Z")  # part of a word, a decimal or a telephone number
_AFTER = re.compile(r"[A-Za-z0-9_]")
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)  # GB 11643
_ID_CHECKS = "10X98765432"
_SPOKEN = re.compile(r"env|config|getenv|import|string|example|\.\.\.|…|xxx|\*\*\*|^[a-z_.]+\(", re.IGNORECASE)
_UNIT = re.compile(r"v?\d[\d.,:-]*[a-z]{0,5}$|[a-z]{1,4}-?\d{1,5}$", re.IGNORECASE)  # 16GB, 10:30pm, v2.1, ISO27001
_DAY = re.compile(r"(?:19|20)\d\d[ -]\d\d?[ -]\d\d?$")
_STARTS = re.compile(r"\b\w", re.ASCII)
_WORD = re.compile(r"[A-Za-z]+")
_SPELT = 4
_READABLE = 0.9  # share of printable characters from which decoded bytes are a text
LONGEST = 16_384  # characters that are decoded

Span = tuple[int, int]
Pass = list[tuple[Span, Span]]  # what was replaced in one pass: where it stood before, and what stands for it then
Secret = tuple[int, int, str]  # where it stands, and of which kind it is


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
            span = _moved(span, [(old, new) for new, old in edits])
        return self.raw[slice(*span)]


def _moved(span: Span, edits: Pass) -> Span:
    """Where a stretch stands after the edits, which are in order."""

    def place(at: int, *, is_end: bool) -> int:
        moved = at
        for (begin, stop), (first, last) in edits:
            if stop <= at:
                moved = at + last - stop
            elif begin < at:
                moved = last if is_end else first
        return moved

    return place(span[0], is_end=False), place(span[1], is_end=True)


def redact(text: str, depth: int = 0) -> tuple[str, dict[str, int]]:
    """The text with every secret as `[secret:kind]`, and how many of each kind; redacting again changes nothing."""
    found: dict[str, int] = {}
    return _cleaned(text, found, [], depth), found


def without_secrets(value: Any) -> Any:
    """A JSON value whose texts are redacted and can be stored."""
    return with_texts(value, lambda text: redact(text.encode(errors="replace").decode())[0])


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
        places = enumerate(each.span() for each in _INVISIBLE.finditer(text))
        passes.insert(0, [(span, (span[0] - before, span[0] - before)) for before, span in places])
    return cleaned


def _redacted(text: str, found: dict[str, int], passes: list[Pass], depth: int) -> str:
    view = narrowed(text)  # as long as the text, place by place
    if not rules.load("secrets")["gate"].fires(view):
        return text
    ruleset = rules.together("secrets", "secret", "broken")
    while fired := ruleset.by_group(view):
        before = sum(found.values())
        for rule in fired.get("broken", ()):
            text, view = _replaced(text, view, _broken_spans(view, rule, depth), found, passes)
        for rule in fired.get("secret", ()):
            text, view = _replaced(text, view, _found_by(view, rule, depth), found, passes)
        if sum(found.values()) == before:
            break
    return text


def _replaced(
    text: str, view: str, spans: Iterator[Secret], found: dict[str, int], passes: list[Pass]
) -> tuple[str, str]:
    edits: Pass = []
    pieces: list[tuple[str, str]] = []  # of the text, and of its view
    done = size = 0
    for start, last, kind in spans:
        end = _with_signs(text, last) if kind in _TOLD else last
        if start >= done and not PLACEHOLDER.match(view, start):
            mark = f"[secret:{kind}]"
            pieces += ((text[done:start], view[done:start]), (mark, mark))
            size += start - done + len(mark)
            edits.append(((start, end), (size - len(mark), size)))
            done = end
            found[kind] = found.get(kind, 0) + 1
    if not pieces:
        return text, view
    passes.append(edits)
    pieces.append((text[done:], view[done:]))
    return "".join(each for each, _ in pieces), "".join(each for _, each in pieces)


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
            yield from prefixed(view, *match.span())
            continue
        for start, end in _spans(match, rule, depth):
            yield start, end, rule.data["kind"]


def _spans(match: Any, rule: rules.Rule, depth: int) -> Iterator[tuple[int, int]]:
    start, end = match.span(rule.data.get("group", 0))
    check = rule.data.get("check", "")
    if check == "base64":
        if depth < _DEPTH and any(redact(inner, depth + 1)[1] for inner in decoded(match.string[start:end])):
            yield start, end
    elif check == "spelt":
        yield from spelt(match.string, start, end)
    elif check in RUNS:
        yield from numbers(match.string, start, end, RUNS[check])
    elif not check or VALUES[check](match.string[start:end]):
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


# ---- checks: what a pattern alone cannot tell ------------------------------------------------------------------------


def numbers(text: str, start: int, end: int, is_secret: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Spans of the numbers in a run of groups of digits that are secret as they stand together, whole groups only."""
    if _BEFORE.search(text, max(0, start - 1), start) or _AFTER.match(text, end):
        return
    run = text[start:end]
    groups = [found.span() for found in _GROUP.finditer(run)]
    first = 0
    while first < len(groups):
        near = groups[first : first + _LONGEST_NUMBER]  # a run may be as long as a message
        sizes = accumulate(stop - begin for begin, stop in near)
        ends = (stop for (_, stop), size in zip(near, sizes, strict=True) if size <= _LONGEST_NUMBER)
        at = near[0][0]
        last = next((number for number, stop in enumerate(ends, first) if is_secret(run[at:stop])), None)
        if last is not None:
            yield start + at, start + groups[last][1]
            first = last
        first += 1


def prefixed(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """The keys in a run that begin as those of a service do, and their kinds."""
    for place in _STARTS.finditer(text, start, end):
        for kind, (least, *beginnings) in rules.table("secrets", "prefixes").items():
            begun = next((each for each in beginnings if text.startswith(each, place.start(), end)), "")
            rest = text[place.start() + len(begun) : end].rstrip(".")
            if begun and len(rest) >= least and (_DIGIT.search(rest) or rest != rest.lower()):
                yield place.start(), place.start() + len(begun) + len(rest), kind


def spelt(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Four digits or more that are said one after the other."""
    run: list[re.Match[str]] = []
    for word in (*_WORD.finditer(text, start, end), None):
        if word and word[0].lower() in rules.table("secrets", "words")["digits"]:
            run.append(word)
            continue
        if len(run) >= _SPELT:
            yield run[0].start(), run[-1].end()
        run.clear()


def is_card(piece: str) -> bool:
    """13 to 19 digits, an issuer's first ones, and Luhn's checksum."""
    digits = [int(each) for each in piece if each.isdecimal()]
    if len(digits) not in _CARD_LENGTHS or piece.count("\n") > 1:  # a column of figures is no card
        return False
    if len(digits) == min(_CARD_LENGTHS) and digits[0] != 4:  # a book's number
        return False
    # ISO/IEC 7812: every second digit from the right doubled, the sum of all digits a multiple of ten
    doubled = [2 * digit - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return _ISSUERS.match("".join(map(str, digits))) is not None and sum(doubled) % 10 == 0


def is_chinese_id(piece: str) -> bool:
    """18 characters with a day of birth in them and the checksum of GB 11643."""
    number = "".join(each for each in piece.upper() if each.isdecimal() or each == "X")
    if len(number) != 18 or "X" in number[:17]:
        return False
    try:
        born = date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, number, strict=False))
    return 1880 <= born.year <= 2100 and _ID_CHECKS[total % 11] == number[17]


def is_iban(piece: str) -> bool:
    """ISO 13616: the first four characters moved to the end, letters as numbers, modulo 97."""
    plain = re.sub(r"[\s-]", "", piece).upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1


def is_keylike(value: str) -> bool:
    """Digits among letters, as nobody writes a word."""
    return _digits(value) >= 2 and _letters(value) >= 2 and not _SPOKEN.search(value)


def _digits(value: str) -> int:
    return sum(each.isdigit() for each in value)


def _letters(value: str) -> int:
    return sum(each.isalpha() for each in value)


def is_mixed(value: str) -> bool:
    """Letters with digits or signs among them, as in a password, and no word, date, version, size or time of day."""
    plain = value.rstrip(".,;:!?")
    others = _digits(plain) + sum(each in "_@#$%^&*!+=~" for each in plain)
    return _letters(plain) >= 2 and others >= 2 and _is_no_usual(plain)


def _is_no_usual(value: str) -> bool:
    """Six characters or more that are no words of a program, size, version or time of day."""
    return len(value) >= 6 and not (_SPOKEN.search(value) or _UNIT.match(value))


def is_numbered(value: str) -> bool:
    """Digits enough for the number of a paper, and no day."""
    return _digits(value) >= 5 and not _DAY.match(value)


def is_word_and_number(value: str) -> bool:
    """Letters and a digit, as where a password is expected, and no size, version or time of day."""
    return _letters(value) >= 2 and _digits(value) >= 1 and _is_no_usual(value)


def is_told(value: str) -> bool:
    """What may be a password by itself: four digits or more, or letters with a digit."""
    return (value.isdecimal() and len(value) >= 4) or is_word_and_number(value)


def is_no_word(value: str) -> bool:
    """Whether what follows "the password is" is none of the words that people go on with."""
    return value.lower() not in rules.table("secrets", "words")["plain"]


def decoded(value: str) -> Iterator[str]:
    """The text that base64 hides, if it does hide one."""
    plain = "".join(value[:LONGEST].split()).rstrip("=")
    for alphabet in (b"+/", b"-_"):
        try:
            data = base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=alphabet, validate=True)
        except (binascii.Error, ValueError):
            continue
        text = data.decode(errors="replace")
        shown = sum(each.isprintable() or each in "\r\n\t" for each in text)
        if text and shown >= _READABLE * len(text) and "\ufffd" not in text[:-1]:
            yield text
            return


RUNS: dict[str, Callable[[str], bool]] = {"card": is_card, "chinese-id": is_chinese_id}
VALUES: dict[str, Callable[[str], bool]] = {
    "iban": is_iban, "keylike": is_keylike, "mixed": is_mixed, "no-word": is_no_word, "numbered": is_numbered,
    "told": is_told, "word-and-number": is_word_and_number,
}  # fmt: skip
