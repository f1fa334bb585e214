"""What of a memory is shown, and to whom. Kept and not shown unless it is asked for are telephone numbers, e-mail and
postal addresses, as far as the configuration names them (`policy.masked`; the patterns are data, rules/masks.toml).

What others may see is told by a memory's `sensitivity`: `shared` when all of its words were said in a shared chat,
`sensitive` when it is nobody else's business wherever it was said (health, safety, where to reach somebody), else
`normal`: said in private. Only what is shared may stand in a group's prompt; what the owner has set goes before."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from memory_system import rules
from memory_system.privacy.secrets import narrowed
from memory_system.records import NEWER, Fact, session_of
from memory_system.text import texts_in, with_texts

# of texts, no words
PLACES = {
    "id", "path", "ref", "refs", "source", "citation", "type", "status", "method", "superseded_by", "doubts", *NEWER,
}  # fmt: skip
_DATE = re.compile(r" ?\[\d{4}(?:-\d\d){0,2}(?:[/ ][\d:-]+)?\]")  # as the program puts it behind words
BLANK = "\n"  # in the place of what is found, which nothing reaches over
NORMAL, SENSITIVE, SHARED = "normal", "sensitive", "shared"
LOOSENESS = {SENSITIVE: 0, NORMAL: 1, SHARED: 2}  # what nobody knows is private
SENSITIVE_CATEGORIES = frozenset({"health", "safety", "contact"})


def masked(text: str, kinds: Collection[str]) -> str:
    """The text with `[kind]` where something of these kinds stands."""
    for start, end, kind in _spans(text, kinds):
        text = f"{text[:start]}[{kind}]{text[end:]}"
    return text


def fires(text: str) -> bool:
    """Whether anything stands in the text that may be masked."""
    return rules.load("masks")["mask"].fires(narrowed(text))


def spans(text: str) -> list[tuple[int, int]]:
    """Where anything stands in the text that may be masked."""
    kinds = {rule.data["kind"] for rule in rules.load("masks")["mask"].rules}
    return [(start, end) for start, end, _ in _spans(text, kinds)] if fires(text) else []


def _spans(text: str, kinds: Collection[str]) -> list[tuple[int, int, str]]:
    """Where what is to be masked stands, and its kind; from the end to the beginning, no two overlapping. A date in
    brackets within it ("12 May [2026-05-12] Street") is masked with it."""
    places = _undated(text)
    view = narrowed("".join(text[place] for place in places))  # as long as before, place by place
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
    fired = rules.load("masks")["mask"].firing(view) if kinds else ()
    for rule in (each for each in fired if each.data["kind"] in kinds):
        for match in rule.matches(view):
            start, end = match.span(rule.data.get("group", 0))
            before = max((view.rfind(sign, start, end) for sign in rule.data.get("after", "")), default=-1)
            yield max(start, before + 1), end, rule.data["kind"]


def shown(value: Any, kinds: Collection[str]) -> Any:
    """An answer with its texts masked, ids and places not; what one text tells to be a number is one in all."""
    if not kinds:
        return value
    texts = texts_in(value, lambda key, _: key in PLACES)
    known = {text[start:end]: f"[{kind}]" for text in texts for start, end, kind in _spans(text, kinds)}
    longest_first = sorted(known.items(), key=lambda each: -len(each[0]))
    return with_texts(value, lambda text: _without(masked(text, kinds), longest_first), but=PLACES)


def _without(text: str, known: Sequence[tuple[str, str]]) -> str:
    """The text without what another text of the answer has told; no number is taken out of a longer one."""
    for told, mark in known:
        if told in text:
            text = re.sub(rf"(?<![0-9A-Za-z]){re.escape(told)}(?![0-9A-Za-z])", mark, text)
    return text


# Others


def sensitivity_of(record: Fact) -> str:
    """How sensitive a memory is by what it says and where that was said; one without words of its own (a summary) is
    as sensitive as it was made."""
    if record.category in SENSITIVE_CATEGORIES or fires(record.content):
        return SENSITIVE
    if not record.evidence:
        return record.sensitivity
    return SHARED if all(each.chat for each in record.evidence) else NORMAL


def rated(record: Fact) -> Fact:
    """The memory with its sensitivity as it is."""
    found = sensitivity_of(record)
    return record if found == record.sensitivity else record.model_copy(update={"sensitivity": found})


def strictest(records: Iterable[Fact]) -> str:
    """The sensitivity of what is made of these memories."""
    return min((each.sensitivity for each in records), key=lambda level: LOOSENESS.get(level, 0), default=NORMAL)


def may_be_told(record: Fact, sessions: Collection[str]) -> bool:
    """Whether a memory may stand before all members of a chat, which has these sessions: the owner has said so, or all
    of its words were said there."""
    if "sensitivity" in record.edited or record.sensitivity != SHARED:
        return record.sensitivity == SHARED
    said = {session_of(each.ref) for each in record.evidence}
    return sensitivity_of(record) == SHARED and bool(said) and said <= set(sessions)
