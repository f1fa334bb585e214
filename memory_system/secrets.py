"""Secrets never enter a memory: keys, tokens, private keys, credentials in addresses and card numbers become
`[secret:kind]` as a message is read. The patterns are data (rules/secrets.toml); what a pattern alone cannot tell, a
check named there does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memory_system import rules

_PLACEHOLDER = re.compile(r"\[secret:[a-z0-9-]+\]?")
_DIGITS = re.compile(r"\d+")
_CARD_LENGTHS = range(13, 20)
_ISSUERS = re.compile(r"4|5\d|2[2-7]|3[04-9]|6\d|81|9\d", re.ASCII)
_BEFORE = re.compile(r"[A-Za-z0-9+._]\Z")  # part of a word, a decimal or a telephone number
_AFTER = re.compile(r"[A-Za-z0-9_]")


def redact(text: str) -> tuple[str, dict[str, int]]:
    """The text with every secret as `[secret:kind]`, and how many of each kind there were; the text itself when there
    was none. Redacting again changes nothing."""
    ruleset = rules.load("secrets")["secret"]
    found: dict[str, int] = {}
    while ruleset.fires(text):
        before = sum(found.values())
        for rule in ruleset.firing(text):
            text = _replaced(text, rule, found)
        if sum(found.values()) == before:
            break
    return text, found


def _replaced(text: str, rule: rules.Rule, found: dict[str, int]) -> str:
    kind = rule.data["kind"]
    pieces: list[str] = []
    done = 0
    for match in rule.matches(text):
        for start, end in _spans(match, rule):
            if not _PLACEHOLDER.match(text, start):
                pieces += (text[done:start], f"[secret:{kind}]")
                done = end
                found[kind] = found.get(kind, 0) + 1
    return "".join((*pieces, text[done:])) if pieces else text


def _spans(match: Any, rule: rules.Rule) -> Iterator[tuple[int, int]]:
    """What of a match is secret: the group the rule names, or all of it, if its check agrees."""
    start, end = match.span(rule.data.get("group", 0))
    if rule.data.get("check") == "card":
        if not _BEFORE.search(match.string, max(0, start - 1), start) and not _AFTER.match(match.string, end):
            yield from _cards(match.string[start:end], start)
    else:
        yield start, end


def _cards(run: str, offset: int) -> Iterator[tuple[int, int]]:
    """Spans of the card numbers in a run of groups of digits: 13 to 19 digits of whole groups, an issuer's first
    digits, and Luhn's checksum."""
    groups = [found.span() for found in _DIGITS.finditer(run)]
    first = 0
    while first < len(groups):
        start = groups[first][0]
        last = next((n for n in range(first, len(groups)) if _is_card(run[start : groups[n][1]])), None)
        if last is not None:
            yield offset + start, offset + groups[last][1]
            first = last
        first += 1


def _is_card(piece: str) -> bool:
    digits = [int(each) for each in piece if each.isdecimal()]
    if len(digits) not in _CARD_LENGTHS or piece.count("\n") > 1:  # a column of figures is no card
        return False
    return _ISSUERS.match("".join(map(str, digits))) is not None and _luhn(digits)


def _luhn(digits: list[int]) -> bool:
    """ISO/IEC 7812: every second digit from the right doubled, the sum of all digits a multiple of ten."""
    doubled = [2 * digit - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
