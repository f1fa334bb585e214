"""What is kept and not shown unless it is asked for: telephone numbers, e-mail and postal addresses, as far as the
configuration names them (`policy.masked`). The patterns are data (rules/masks.toml)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from memory_system import rules

PLACES = frozenset(
    {"id", "path", "ref", "refs", "source", "citation", "type", "status", "method"}
)  # of texts, no words


def masked(text: str, kinds: Collection[str]) -> str:
    """The text with `[kind]` where something of these kinds stands."""
    for rule in rules.load("masks")["mask"].firing(text) if kinds else ():
        if rule.data["kind"] in kinds:
            for start, end in reversed(list(_spans(text, rule))):
                text = f"{text[:start]}[{rule.data['kind']}]{text[end:]}"
    return text


def fires(text: str) -> bool:
    """Whether anything stands in the text that may be masked."""
    return rules.load("masks")["mask"].fires(text)


def _spans(text: str, rule: rules.Rule) -> Iterator[tuple[int, int]]:
    """Where what the rule masks stands."""
    for match in rule.matches(text):
        start, end = match.span(rule.data.get("group", 0))
        before = max((text.rfind(sign, start, end) for sign in rule.data.get("after", "")), default=-1)
        yield max(start, before + 1), end


def shown(value: Any, kinds: Collection[str]) -> Any:
    """An answer with its texts masked; ids and places stay as they are."""
    if not kinds:
        return value
    if isinstance(value, str):
        return masked(value, kinds)
    if isinstance(value, list):
        return [shown(each, kinds) for each in value]
    if isinstance(value, dict):
        return {key: each if key in PLACES else shown(each, kinds) for key, each in value.items()}
    return value
