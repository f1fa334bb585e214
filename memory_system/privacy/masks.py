"""What is kept and not shown unless it is asked for: telephone numbers, e-mail and postal addresses, as far as the
configuration names them (`policy.masked`). The patterns are data (rules/masks.toml)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from memory_system import rules
from memory_system.privacy.secrets import is_wide, narrowed

# of texts, no words
PLACES = {
    "id", "path", "ref", "refs", "source", "citation", "type", "status", "method", "superseded_by", "outdated_by",
    "likely_outdated_by",
}  # fmt: skip
_DATE = re.compile(r" ?\[\d{4}(?:-\d\d){0,2}(?:[/ ][\d:-]+)?\]")  # as the program puts it behind words
BLANK = "\n"  # in the place of what is found, which nothing reaches over


def masked(text: str, kinds: Collection[str]) -> str:
    """The text with `[kind]` where something of these kinds stands."""
    for start, end, kind in _spans(text, kinds):
        text = f"{text[:start]}[{kind}]{text[end:]}"
    return text


def fires(text: str) -> bool:
    """Whether anything stands in the text that may be masked."""
    return rules.load("masks")["mask"].fires(narrowed(text) if is_wide(text) else text)


def spans(text: str) -> list[tuple[int, int]]:
    """Where anything stands in the text that may be masked."""
    kinds = {rule.data["kind"] for rule in rules.load("masks")["mask"].rules}
    return [(start, end) for start, end, _ in _spans(text, kinds)] if fires(text) else []


def _spans(text: str, kinds: Collection[str]) -> list[tuple[int, int, str]]:
    """Where what is to be masked stands, and its kind; from the end to the beginning, no two overlapping. A date in
    brackets within it ("12 May [2026-05-12] Street") is masked with it."""
    places = _undated(text)
    view = "".join(text[place] for place in places)
    view = narrowed(view) if is_wide(view) else view  # as long as before, place by place
    found: list[tuple[int, int, str]] = []
    done = -1
    while done < len(found):  # again after the first time: two that stand side by side share the sign between them
        done = len(found)
        for start, end, kind in list(_found(view, kinds)):
            if BLANK not in view[start:end]:
                view = f"{view[:start]}{BLANK * (end - start)}{view[end:]}"
                found.append((start, end, kind))
    return sorted(((places[start], places[end - 1] + 1, kind) for start, end, kind in found), reverse=True)


def _undated(text: str) -> Sequence[int]:
    """The places of the text's signs, without those of dates in brackets."""
    if "[" not in text:
        return range(len(text))
    added = {place for each in _DATE.finditer(text) for place in range(*each.span())}
    return [place for place in range(len(text)) if place not in added]


def _found(view: str, kinds: Collection[str]) -> Iterator[tuple[int, int, str]]:
    for rule in rules.load("masks")["mask"].firing(view) if kinds else ():
        if rule.data["kind"] in kinds:
            yield from ((*span, rule.data["kind"]) for span in _of(view, rule))


def _of(text: str, rule: rules.Rule) -> Iterator[tuple[int, int]]:
    """Where what the rule masks stands."""
    for match in rule.matches(text):
        start, end = match.span(rule.data.get("group", 0))
        before = max((text.rfind(sign, start, end) for sign in rule.data.get("after", "")), default=-1)
        yield max(start, before + 1), end


def shown(value: Any, kinds: Collection[str]) -> Any:
    """An answer with its texts masked; ids and places stay as they are. What one of its texts tells to be a number, is
    one in all of them: a value stands there by itself."""
    if not kinds:
        return value
    known = {text[start:end]: f"[{kind}]" for text in _texts(value) for start, end, kind in _spans(text, kinds)}
    return _shown(value, kinds, sorted(known.items(), key=lambda each: -len(each[0])))


def _texts(value: Any) -> Iterator[str]:
    """All texts of an answer, without ids and places."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for key, each in value.items() if key not in PLACES for text in _texts(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in _texts(each))


def _shown(value: Any, kinds: Collection[str], known: Sequence[tuple[str, str]]) -> Any:
    if isinstance(value, str):
        return _without(masked(value, kinds), known)
    if isinstance(value, list):
        return [_shown(each, kinds, known) for each in value]
    if isinstance(value, dict):
        return {key: each if key in PLACES else _shown(each, kinds, known) for key, each in value.items()}
    return value


def _without(text: str, known: Sequence[tuple[str, str]]) -> str:
    """The text without what another text of the answer has told; no number is taken out of a longer one."""
    for told, mark in known:
        if told in text:
            text = re.sub(rf"(?<![0-9A-Za-z]){re.escape(told)}(?![0-9A-Za-z])", mark, text)
    return text
