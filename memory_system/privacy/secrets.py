"""Secrets never enter a memory: keys, tokens, private keys, passwords, card, account and identity numbers become
`[secret:kind]` as a message is read, in whatever disguise. The patterns are data (rules/secrets.toml); what a pattern
alone cannot tell, a check named there does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memory_system import rules
from memory_system.privacy import checksums
from memory_system.privacy.disguises import is_wide, joined, narrowed, without_invisible
from memory_system.text import cjk_count

PLACEHOLDER = re.compile(r"\[secret:[a-z0-9-]+\]?")
_DEPTH = 1  # encodings within encodings that are looked into
_TELLS = 30  # columns beside what is masked from which words tell something else


def redact(text: str, depth: int = 0) -> tuple[str, dict[str, int]]:
    """The text with every secret as `[secret:kind]`, and how many of each kind there were; the text itself when there
    was none. Redacting again changes nothing."""
    found: dict[str, int] = {}
    plain = text if text.isascii() else without_invisible(text)
    cleaned = _redacted(plain, found, depth)
    return (cleaned if found else text), found


def _redacted(text: str, found: dict[str, int], depth: int) -> str:
    view = narrowed(text) if is_wide(text) else text  # as long as the text, place by place
    if not rules.load("secrets")["gate"].fires(view):
        return text
    ruleset = rules.together("secrets", "secret", "broken")
    while fired := ruleset.firing(view):
        before = sum(found.values())
        for rule in fired.get("broken", ()):
            text, view = _replaced(text, view, _broken_spans(view, rule, depth), found)
        for rule in fired.get("secret", ()):
            text, view = _replaced(text, view, _found_by(view, rule, depth), found)
        if sum(found.values()) == before:
            break
    return text


Secret = tuple[int, int, str]  # where it stands, and of which kind it is


def _replaced(text: str, view: str, spans: Iterator[Secret], found: dict[str, int]) -> tuple[str, str]:
    pieces: list[str] = []
    views: list[str] = []
    done = 0
    for start, end, kind in spans:
        if start >= done and not PLACEHOLDER.match(view, start):
            pieces += (text[done:start], f"[secret:{kind}]")
            views += (view[done:start], f"[secret:{kind}]")
            done = end
            found[kind] = found.get(kind, 0) + 1
    if not pieces:
        return text, view
    return "".join((*pieces, text[done:])), "".join((*views, view[done:]))


def _found_by(view: str, rule: rules.Rule, depth: int) -> Iterator[Secret]:
    """What of the rule's matches is secret: the group it names, or all of it, if its check agrees."""
    for match in rule.matches(view):
        for start, end in _spans(match, rule, depth):
            yield start, end, rule.data["kind"]


def _spans(match: Any, rule: rules.Rule, depth: int) -> Iterator[tuple[int, int]]:
    start, end = match.span(rule.data.get("group", 0))
    check = rule.data.get("check", "")
    if check == "base64":
        if depth < _DEPTH and any(redact(inner, depth + 1)[1] for inner in checksums.decoded(match.string[start:end])):
            yield start, end
    elif check in checksums.RUNS:
        yield from checksums.numbers(match.string, start, end, checksums.RUNS[check])
    elif not check or checksums.VALUES[check](match.string[start:end]):
        yield start, end


def _broken_spans(view: str, rule: rules.Rule, depth: int) -> Iterator[Secret]:
    """Keys in pieces: put together, they are what a rule knows."""
    ruleset = rules.load("secrets")["secret"]
    for match in rule.matches(view):
        for whole in joined(view, *match.span()):
            fired = ruleset.firing(whole.text)
            found = sorted(each for one in fired for each in _found_by(whole.text, one, depth))
            spans = [(*whole.span(start, end), kind) for start, end, kind in found if whole.is_in_pieces(start, end)]
            yield from spans
            if spans:
                break


def is_only_secret(words: str) -> bool:
    """Whether nothing is told but what is masked: "My password is [secret:password]"."""
    if "[secret:" not in words:
        return False
    rest = PLACEHOLDER.sub("", words).strip()
    return len(rest) + cjk_count(rest) <= _TELLS
