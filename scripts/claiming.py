"""What the program claims of labelled talk, beside the claims that its labels name.

Each person's dialogues go through the first three phases in the order of their days, with the names that earlier ones
have introduced. A claim is right when subject, attribute and polarity agree with a label of its message and the values
name the same: one holds the other, or they share half of the words of the shorter.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from talk import dialogues

from memory_system.config import Config
from memory_system.phases import Night, extract, screen, segment
from memory_system.records import CLAIM, USER
from memory_system.turns import Claim, Message

NAMES = {  # attributes as the labels call them: as the program does
    "medicine": "medication", "job": "occupation", "from": "hometown", "boss": "colleague", "studies": "major",
    "uses": "uses_tool",
}  # fmt: skip
ALIKE = (  # attributes that say the same of one value
    {"allergy", "intolerance", "diet"}, {"likes", "favorite", "hobby"}, {"dislikes", "fear"}, {"owns", "vehicle"},
    {"occupation", "position"}, {"appointment", "deadline"}, {"hometown", "birthplace"}, {"medication", "dose"},
    {"lives_in", "address"},
)  # fmt: skip
RELATIONS = ("partner", "child", "parent", "sibling", "relative", "friend", "colleague", "boss", "pet")
_WORD = re.compile(r"[a-z0-9@.+]+|[\u4e00-\u9fff]")
_EMPTY = {
    "the", "a", "an", "my", "our", "and", "in", "at", "of", "on", "to", "for", "is", "am", "with", "from", "by",
    "until", "till", "it", "be", "的", "了", "在",
}  # fmt: skip

Label = tuple[str, str, str, bool]  # subject, attribute, value, polarity


def score(path: Path) -> dict[str, Any]:
    """Precision and recall of the program's claims on a file of the corpus' form, in all and by attribute."""
    right, wrong, found, expected = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for given, labels in by_message(path):
        hit = [next((each for each in labels if names_the_same(claim, each)), None) for claim in given]
        for claim, label in zip(given, hit, strict=True):
            (right if label else wrong)[claim.attribute.partition(".")[0]] += 1
        expected.update(_name(each[1]) for each in labels)
        found.update(_name(each[1]) for each in labels if each in hit)
    return {
        **_shares(right.total(), wrong.total(), found.total(), expected.total()),
        "given": right.total() + wrong.total(),
        "expected": expected.total(),
        "attributes": {
            name: _shares(right[name], wrong[name], found[name], expected[name])
            for name in sorted({*right, *wrong, *expected})
        },
    }


def _shares(right: int, wrong: int, found: int, expected: int) -> dict[str, float]:
    return {
        "precision": round(right / (right + wrong), 4) if right + wrong else 0.0,
        "recall": round(found / expected, 4) if expected else 0.0,
    }


def by_message(path: Path) -> Iterator[tuple[list[Claim], list[Label]]]:
    """The claims of each labelled message, and what its labels name."""
    people: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in dialogues(path):
        people[each["person"]].append(each)
    for told in people.values():
        known: dict[str, str] = {}
        for dialogue in sorted(told, key=lambda each: each["date"]):
            yield from _of_dialogue(dialogue, known)


def _of_dialogue(dialogue: dict[str, Any], known: dict[str, str]) -> Iterator[tuple[list[Claim], list[Label]]]:
    night = Night(datetime(2030, 1, 1, tzinfo=UTC), Config())
    turns = screen.run(segment.run(_messages(dialogue), night, Counter()), night, Counter())
    claims = defaultdict(list)
    for claim in extract.run(turns, night, Counter(), known):
        if claim.form == CLAIM:
            claims[claim.ref].append(claim)
            if claim.attribute in RELATIONS and claim.polarity:
                known[claim.value] = claim.value
    for number, said in enumerate(dialogue["messages"]):
        if "labels" in said:
            speaker = "" if dialogue["kind"] == "assistant" else said["who"]
            labels = [_label(each, speaker) for row in said["labels"] for each in row.get("claims", ())]
            yield claims[f"{dialogue['id']}:{number}"], labels


def _messages(dialogue: dict[str, Any]) -> Iterator[Message]:
    for number, said in enumerate(dialogue["messages"]):
        at = f"{dialogue['date']}T{said['time']}:00Z"
        friends = dialogue["kind"] == "friends"
        role = "assistant" if said["who"] == "assistant" else "user"
        yield Message(dialogue["id"], str(number), role, said["who"] if friends else "", at, said["text"])


def _label(row: list[str], speaker: str) -> Label:
    subject, attribute, value = row[:3]
    return (speaker or USER) if subject == USER else subject, attribute, value, len(row) < 4


def _name(attribute: str) -> str:
    return NAMES.get(attribute, attribute).partition(".")[0]


def names_the_same(claim: Claim, label: Label) -> bool:
    """Whether the claim is what the label names."""
    subject, attribute, value, polarity = label
    if claim.polarity != polarity or not _same_attribute(claim.attribute, attribute):
        return False
    if (claim.subject == USER) != (subject == USER) or not (claim.subject == USER or _overlap(claim.subject, subject)):
        return False
    return _overlap(f"{claim.attribute.partition('.')[2]} {claim.value}", value)


def _same_attribute(given: str, label: str) -> bool:
    one, other = given.partition(".")[0], _name(label)
    return one == other or any({one, other} <= each for each in ALIKE)


def _overlap(one: str, other: str) -> bool:
    """Whether one holds the other, or they share half of the words of the shorter."""
    mine, theirs = _words(one), _words(other)
    shorter = min(len(mine), len(theirs))
    return bool(shorter) and 2 * len(mine & theirs) >= shorter


def _words(value: str) -> set[str]:
    found = {*_WORD.findall(value.casefold())}
    return found - _EMPTY or found


def interval(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    if not count:
        return 0.0, 1.0
    square = 1.96**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = 1.96 * ((share * (1 - share) / count + square / (4 * count**2)) ** 0.5) / (1 + square / count)
    return round(middle - half, 4), round(middle + half, 4)


def wrong_ones(path: Path) -> Iterator[tuple[Claim, list[Label]]]:
    """The claims that no label names: for who mends rules, on talk that does not measure."""
    for given, labels in by_message(path):
        yield from ((each, labels) for each in given if not any(names_the_same(each, label) for label in labels))
