"""What an answer denies that was asked whether it is still so: "Is teal still your favourite colour?" "No, navy now."
The question says, in the words of the one who answers, what was so; the answer puts another value there, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from memory_system import attributes, text
from memory_system.phases.understanding.filling import Reading, cleaned, read
from memory_system.phases.understanding.passage import Passage, passages
from memory_system.phases.understanding.repairing import is_no_value
from memory_system.phases.understanding.scene import as_rules_see
from memory_system.rules import Rule, load, table
from memory_system.turns import Segment, Turn

_LONGEST = {"en": 24, "zh": 10}  # characters of what is put in the place of the old
_WORDS = 3  # and English words
_PLACE = re.compile(r"\{(\w+)\}")


class Otherwise(NamedTuple):
    """A sentence that the answer stands for, as a passage, and the slot that it denies or fills, if it has one."""

    told: Passage
    denies: bool
    slot: Reading | None


def asks_whether_still(asked: str, lang: str) -> bool:
    """Whether the question is whether something is still so."""
    return load(lang)["still"].fires(_last_of(asked))


def otherwise(passage: Passage) -> list[Otherwise]:
    """What the passage says is so no more, and what is so now, as an answer; empty where it is none."""
    turn, lang = passage.turn, passage.scene.lang
    if not turn.asked or not passage.scene.first_hand or passage.noted:
        return []
    denial = _denial(lang).match(as_rules_see(turn.message.text))
    if denial is None or denial.end() < passage.segment.start or denial.start("no") >= passage.segment.end:
        return []
    if turn.message.text[: passage.segment.start].strip() and denial.end() > passage.segment.end:
        return []
    said = as_rules_see(turn.message.text)[denial.end() :]
    for before, after in _statements(_last_of(turn.asked), lang):
        if told := list(_told(before, after, said, passage)):
            return told
    return []


def _last_of(asked: str) -> str:
    plain = as_rules_see(asked)
    *_, (start, end) = text.sentences(plain) or [(0, 0)]
    return plain[start:end]


def _statements(asked: str, lang: str) -> Iterator[tuple[str, str]]:
    """What the question takes to be so, as the one who is asked would say it, and the same as what is so no more."""
    for rule in load(lang)["still"].firing(asked):
        yield from statements_by(rule, asked, lang)


def statements_by(rule: Rule, asked: str, lang: str) -> Iterator[tuple[str, str]]:
    """The same by one rule; nothing where the question leaves out what its sentences name."""
    for found in rule.found(asked):
        parts = {name: _mine(words, lang) for name, words in found.given().items()}
        if parts.keys() >= _named(rule):
            yield str(rule.data["statement"]).format_map(parts), str(rule.data["ended"]).format_map(parts)


def _named(rule: Rule) -> set[str]:
    """The names that stand in the rule's sentences."""
    return set(_PLACE.findall(f"{rule.data['statement']} {rule.data['ended']}"))


def _mine(words: str, lang: str) -> str:
    """The words in the mouth of the one who is asked: "your mother" is my mother."""
    if lang == "zh":
        return words.replace("你", "我").replace("您", "我")
    return re.sub(r"\byour\b", "my", words, flags=re.IGNORECASE)


def _told(before: str, after: str, said: str, passage: Passage) -> Iterator[Otherwise]:
    """What is over, where nothing of its slot takes its place, and what is so now."""
    was = next(iter(_readings(before, passage)), None)
    new = _new_value(was, said, passage) if was else ""
    now = before.replace(was.value, new, 1) if was and new else ""
    found = next((each for each in _readings(now, passage) if each.value == new), None) if now else None
    if not (was and found and attributes.about(was.attribute).get("single")):
        yield Otherwise(_as_passage(after, passage), True, was)
    if was and found:  # in the same slot, whatever the new value alone would be taken for
        yield Otherwise(_as_passage(now, passage), False, replace(found, attribute=was.attribute))


def _new_value(was: Reading, said: str, passage: Passage) -> str:
    """What the answer names in the place of the old value; empty where it names none."""
    lang = passage.scene.lang
    found = _now(lang).match(said)
    value = cleaned(found["value"], lang) if found else ""
    if not value or len(value) > _LONGEST[lang] or len(value.split()) > _WORDS or value == was.value:
        return ""
    return "" if is_no_value(value, lang) or _excuse(lang).match(value) else value


def _readings(statement: str, passage: Passage) -> list[Reading]:
    told = _as_passage(statement, passage)
    return read(told, told.fired.get("claim", []), None)


def _as_passage(statement: str, passage: Passage) -> Passage:
    """The sentence as if the one who answers had said it then and there."""
    turn, segment = passage.turn, passage.segment
    whole = Segment(0, len(statement), "statement", segment.importance, segment.rules)
    alone = Turn(replace(turn.message, text=statement), [whole])
    return passages([(alone, whole, passage.scene)], passage.config)[0]


@cache
def _denial(lang: str) -> re.Pattern[str]:
    return re.compile(str(table(lang, "words")["no_more"]), re.IGNORECASE)


@cache
def _now(lang: str) -> re.Pattern[str]:
    return re.compile(str(table(lang, "words")["so_now"]), re.IGNORECASE)


@cache
def _excuse(lang: str) -> re.Pattern[str]:
    """What stands behind a "no" and is no value."""
    return re.compile(str(table(lang, "words")["no_news"]), re.IGNORECASE)
