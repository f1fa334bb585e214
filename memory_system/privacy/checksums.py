"""What a pattern alone cannot tell: checksums, and whether letters and digits look like a key."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from datetime import date
from itertools import accumulate

from memory_system import rules

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
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[A-Za-z]+")
_SPELT = 4
_READABLE = 0.9  # share of printable characters from which decoded bytes are a text
LONGEST = 16_384  # characters that are decoded


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
    "iban": is_iban,
    "keylike": is_keylike,
    "mixed": is_mixed,
    "no-word": is_no_word,
    "numbered": is_numbered,
    "told": is_told,
    "word-and-number": is_word_and_number,
}
