"""The checks of a model's operations: what stands on what was said passes in whatever words, and what does not is
refused, by its reason."""

from __future__ import annotations

import importlib
import tomllib
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from spoken import night, said

from memory_system.config import Config
from memory_system.dates import numerals
from memory_system.phases import screen, segment, shown, support
from memory_system.phases.basis import Basis, Operation, Operations, told_of_lines
from memory_system.phases.by_model import fault
from memory_system.phases.shown import Known
from memory_system.privacy.trust import Guard
from memory_system.records import EventTime, Evidence, Fact
from memory_system.turns import Message

Said = tuple[str, ...]


def lines_of(talk: Said) -> list[shown.Line]:
    """The lines of one session of a Tuesday (2026-02-03); what the assistant says begins with a dash."""
    messages: list[Message] = []
    for number, words in enumerate(talk, 1):
        role, speaker = ("assistant", "") if words.startswith("- ") else ("user", "")
        messages.append(said(words.removeprefix("- "), role, speaker, entry=str(number)))
    turns = segment.run(messages, night(), Counter())
    return list(shown.lines_of(screen.in_order(turns, Config(), Guard())))


def fact(content: str, **fields: Any) -> Fact:
    evidence = (Evidence(ref="old:1", quote=content, said_at="2026-01-05T09:00:00Z"),)
    key = blake2b(content.encode(), digest_size=5).hexdigest()
    row = {"id": f"f_20260106_{key}", "importance": 0.5, "score": 0.5, "said_at": "2026-01-05T09:00:00Z"}
    return Fact(content=content, evidence=evidence, **{**row, **fields})


KNOWN = {
    "m1": fact("User's sister is Ana", attribute="sibling", value="Ana", entities=("User", "Ana"), category="relation"),
    "m2": fact("User lives in Porto", attribute="lives_in", value="Porto", category="status"),
    "m3": fact(
        "User has a dentist appointment on 6 February 2026.",
        event_time=EventTime(start="2026-02-06T00:00", end="2026-02-07T00:00", granularity="day", text="6 February"),
        form="statement", category="plan",
    ),
    "m4": fact("User takes 50 mg of sertraline", attribute="dose.sertraline", value="50 mg", category="health"),
    "m5": fact("用户的母亲是李梅", attribute="parent", value="李梅", entities=("用户", "李梅"), category="relation"),
    "m7": fact("User takes warfarin, 3 mg every evening.", form="statement", category="health"),
    "m8": fact("用户每晚吃华法林，三毫克。", form="statement", category="health", lang="zh", entities=("用户",)),
    "m6": fact("用户每周三晚上练琴。", form="statement", category="plan", lang="zh", entities=("用户",)),
}  # fmt: skip


def reason(talk: Said, **operation: Any) -> str:
    lines = lines_of(talk)
    made = Operation(**{"op": "add", "lines": [len(lines)], **operation})
    basis = Basis(made, lines, Known(KNOWN), frozenset({"Ana", "李梅"}), ZoneInfo("UTC"))
    return next(filter(None, map(fault, support.as_kept(basis))), "")


CASES = tomllib.loads((Path(__file__).parent / "operations.toml").read_text("utf-8"))
SECRET = "sk-ant-api03-" + "Ab3dEf6hIj" * 9  # no such thing stands in a file


def found_in(case: dict[str, Any]) -> str:
    row = {key: value.replace("SECRET", SECRET) if key == "text" else value for key, value in case["op"].items()}
    return reason(tuple(case["said"]), **row)


@pytest.mark.parametrize(("lang", "passed"), [("en", 0.51), ("zh", 0.53)])
def test_few_true_answers_of_readers_are_refused_and_half_of_those_made_false_pass(
    lang: str, passed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "scripts"))
    reading = importlib.import_module("reading")
    found = reading.shares(list(reading.judged(lang)))
    assert found["refused"] <= 0.07, found
    assert found["passed"] <= passed, found


@pytest.mark.parametrize(
    ("words", "named", "whole"),
    [
        ("nineteen and eighty eight", "1988", [{"1988"}]),
        ("fifty eight hundred", "5800", [{"5800"}]),
        ("the twenty eighth", "28", [{"28"}]),
        ("six thirty", "6:30", [{"630", "6:30", "18:30"}]),
        ("10,000 steps", "10000", []),
        ("on 2026-04-05", "5", []),
        ("三点八公斤", "3.8", [{"3.8", "3:08"}]),
        ("五点二十", "5:20", [{"5:20"}]),
        ("一千二百块", "1200", [{"1200"}]),
        ("六千八一个月", "6800", [{"6800"}]),
        ("半斤", "0.5", []),
        ("礼拜四八百米", "800", [{"48", "800"}]),
        ("每周五百块", "500", [{"500", "100"}]),
    ],
)
def test_numbers_in_words(words: str, named: str, whole: list[set[str]]) -> None:
    assert named in numerals.said_in(words)
    assert list(numerals.told_in(words)) == whole


def test_a_value_that_says_more_than_its_slot_is_also_kept_whole() -> None:
    lines = lines_of(("I take Eliquis in the morning and at night.",))
    given = Operation(op="add", lines=[1], slot="medication", value="Eliquis in the morning and at night")
    kept = support.as_kept(Basis(given, lines, Known({}), frozenset(), ZoneInfo("UTC")))
    assert [each.operation.value for each in kept] == ["Eliquis", ""]
    assert "at night" in kept[1].operation.text
    assert [fault(each) for each in kept] == ["", ""]


@pytest.mark.parametrize(
    ("words", "record", "besides", "reason"),
    [
        ("It's over, I rang him.", "Ravi is User's partner", "User has left Ravi", ""),
        ("分了，刚打完电话。", "王磊是用户的男朋友", "用户跟王磊分手了", ""),
        ("It's over, I rang him.", "Ravi is User's partner", "User has left the choir", "another thing"),
    ],
)
def test_an_end_may_be_named_by_what_is_told_of_the_same_lines(
    words: str, record: str, besides: str, reason: str
) -> None:
    end = Operation(op="end", lines=[1], id="m1")
    answer = Operations(operations=[end, Operation(op="add", lines=[1], text=besides)])
    known = Known({"m1": fact(record, form="statement")})
    basis = Basis(end, lines_of((words,)), known, frozenset(), ZoneInfo("UTC"), told_of_lines(end, answer))
    assert fault(basis) == reason


def test_what_stands_on_the_words_passes() -> None:
    refused = [(found, case) for case in CASES["supported"] if (found := found_in(case))]
    assert not refused


def test_what_does_not_is_refused_by_its_reason() -> None:
    wrong = [(found, case) for case in CASES["refused"] if (found := found_in(case)) != case["reason"]]
    assert not wrong


@pytest.mark.parametrize("speaker", ["", "Ana"])
def test_another_persons_words_say_nothing_of_the_owner(speaker: str) -> None:
    messages = [said("I live in Leeds.", "assistant" if speaker else "user", speaker)]
    turns = segment.run(messages, night(), Counter())
    lines = list(shown.lines_of(screen.in_order(turns, Config(), Guard())))
    made = Operation(op="add", lines=[1], slot="lives_in", value="Leeds")
    found = fault(Basis(made, lines, Known({}), frozenset({"Ana"}), ZoneInfo("UTC")))
    assert found == ("another's words" if speaker else "")
