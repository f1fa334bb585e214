"""The parts of a chat that need no model: what it is sent, when room is made, what is pruned and what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspaces import at, make

from memory_system.agent import chat as window
from memory_system.agent.chat import compact, told
from memory_system.agent.model import INTERRUPTED, Reply, messages_of, result_message
from memory_system.agent.session import Row, user_message
from memory_system.config import ChatConfig
from memory_system.llm import Usage, phrases
from memory_system.text import estimate_tokens
from memory_system.workspace import Workspace

SEED = ChatConfig()


def row(message: Row, name: str = "") -> Row:
    return {"type": "message", "id": name, "message": message}


def asked(said: str, name: str = "") -> Row:
    return row(user_message(said), name)


def answered(said: str, *calls: str, **more: Any) -> Row:
    blocks = [{"type": "toolCall", "id": each, "name": "memory_get", "arguments": {"path": "x"}} for each in calls]
    return row({"role": "assistant", "content": [{"type": "text", "text": said}, *blocks], **more})


def result(call: str, said: str = "found") -> Row:
    return row(result_message({"id": call, "name": "memory_get"}, {"text": said}))


def shapes(messages: Sequence[Row]) -> list[tuple[str, list[str]]]:
    return [(each["role"], [block["type"] for block in each["content"]]) for each in messages]


# ---- how full ------------------------------------------------------------------------------------------------------


def test_the_numbers_of_seed_001_are_the_defaults() -> None:
    """176,000 of 200,000 (20,000 reserved, 4,000 before that) call for a flush; 180,000 are too much to go on."""
    assert [window.flush_due(tokens, SEED) for tokens in (175_999, 176_000)] == [False, True]
    assert [window.compaction_due(tokens, SEED) for tokens in (180_000, 180_001)] == [False, True]
    assert SEED.keep_recent_tokens == 20_000


def test_what_the_model_counted_is_believed_and_the_rest_estimated() -> None:
    counted = answered("hm", usage={"totalTokens": 5_000})
    assert window.context_tokens([asked("a"), counted], 70) == 5_000
    assert window.context_tokens([asked("a"), counted, asked("x" * 360)], 70) == 5_100
    assert window.context_tokens([asked("x" * 360)], 70) == 170
    assert window.context_tokens([], 70) == 70


def test_what_was_counted_before_a_summary_no_longer_holds() -> None:
    mark = {"type": "compaction", "summary": "x" * 36, "timestamp": "2026-03-02T09:00:05.000Z"}
    old = {**answered("a", usage={"totalTokens": 5_000}), "timestamp": "2026-03-02T09:00:01.000Z"}
    new = {**answered("b", usage={"totalTokens": 900}), "timestamp": "2026-03-02T09:00:09.000Z"}
    assert window.context_tokens([mark, old], 70) == 70 + 10 + 1
    assert window.context_tokens([mark, old, new], 70) == 900


def test_a_conversation_is_cut_before_a_question() -> None:
    rows = [asked("x" * 360, f"q{n}") if n % 2 == 0 else answered("y" * 360) for n in range(10)]
    assert window.first_kept(rows, 400) == 6
    assert window.first_kept(rows, 399) == 8
    assert window.first_kept(rows, 0) == 8  # the last question stays in any case
    assert window.first_kept(rows, 10_000) == 0
    tools = [*rows[:2], asked("q"), answered("", "t"), result("t", "z" * 3_600), answered("done")]
    assert window.first_kept(tools, 100) == 2


# ---- what is sent --------------------------------------------------------------------------------------------------


def test_a_conversation_with_tools_is_sent_as_it_was() -> None:
    rows = [asked("hi"), answered("let me see", "t1", "t2"), result("t1"), result("t2"), answered("here")]
    made = messages_of(rows, "S")
    assert shapes(made) == [
        ("user", ["text"]),
        ("assistant", ["text", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert made[2]["content"][0]["tool_use_id"] == "t1"


def test_a_call_whose_result_was_lost_is_told_so() -> None:
    rows = [asked("hi"), answered("", "t1", "t2"), result("t2"), asked("and now?"), answered("", "t3")]
    made = messages_of(rows, "S")
    assert shapes(made) == [
        ("user", ["text"]),
        ("assistant", ["tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result", "text"]),
        ("assistant", ["tool_use"]),
        ("user", ["tool_result"]),
    ]
    assert {each["tool_use_id"]: each["content"] for each in made[2]["content"][:2]}["t1"] == INTERRUPTED


def test_a_summary_stands_first_and_orphans_are_left_out() -> None:
    mark = {"type": "compaction", "summary": "they met"}
    (one, _) = messages_of([mark, asked("go on"), answered("yes")], "So far")
    assert [each["text"] for each in one["content"]] == ["[So far]\n\nthey met", "go on"]
    assert shapes(messages_of([answered("late"), result("t9"), asked("hi")], "S")) == [("user", ["text"])]
    assert messages_of([asked("  "), {"type": "custom", "data": {}}], "S") == []


@given(st.lists(st.sampled_from(["ask", "say", "call", "result", "stray", "summary"]), max_size=14))
def test_whatever_happened_the_messages_are_well_formed(steps: list[str]) -> None:
    rows: list[Row] = []
    for number, step in enumerate(steps):
        made = {
            "ask": asked("q"),
            "say": answered("a"),
            "call": answered("", f"t{number}"),
            "result": result(f"t{number - 1}"),
            "stray": result("nobody"),
            "summary": {"type": "compaction", "summary": "s"},
        }
        rows.append(made[step])
    messages = messages_of(rows, "S")
    assert [each["role"] for each in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"] * (
        len(messages) % 2
    )
    for number, before in enumerate(messages):
        after = messages[number + 1] if number + 1 < len(messages) else {"content": []}
        calls = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in after["content"] if block["type"] == "tool_result"]
        assert sorted(calls) == sorted(results)


# ---- pruning -------------------------------------------------------------------------------------------------------


def conversation(*results: str) -> list[Row]:
    """Each result in a turn of its own, and three turns after them."""
    rows: list[Row] = []
    for number, said in enumerate(results):
        rows += [asked("q"), answered("", f"t{number}"), result(f"t{number}", said)]
    return [*rows, *(each for _ in range(3) for each in (asked("q"), answered("a")))]


def test_long_results_are_trimmed_at_head_and_tail() -> None:
    rows = conversation("short", "A" * 3_000 + "B" * 3_000 + "C" * 3_000)
    assert window.prune(rows, 29_999, 100_000) == {}
    cut = window.prune(rows, 30_000, 100_000)
    assert set(cut) == {"t1"}
    assert len(cut["t1"]) < 3_100
    assert "A" * 1_000 in cut["t1"]
    assert "C" * 1_000 in cut["t1"]
    assert "B" not in cut["t1"]


def test_the_oldest_results_are_cleared_until_there_is_room() -> None:
    rows = conversation(*["x" * 36_000 for _ in range(4)])  # 10,000 tokens each
    cleared = {call for call, said in window.prune(rows, 200_000, 100_000).items() if said == window.CLEARED}
    assert cleared == {"t0", "t1", "t2", "t3"}
    some = window.prune(conversation(*["y" * 3_600 for _ in range(4)]), 51_500, 100_000)  # 1,000 tokens each
    assert some == {"t0": window.CLEARED, "t1": window.CLEARED}


def test_the_last_results_stay() -> None:
    rows = [asked("q"), answered("", "t0"), result("t0", "x" * 9_000), answered("there")]
    assert window.prune(rows, 90_000, 100_000) == {}


def test_pruning_changes_what_is_sent_and_not_the_rows() -> None:
    rows = conversation("A" * 9_000)
    before = repr(rows)
    sent = messages_of(rows, "S", window.prune(rows, 40_000, 100_000))
    assert len(sent[2]["content"][0]["content"]) < 3_200
    assert repr(rows) == before


# ---- the silent turn -----------------------------------------------------------------------------------------------

RULES = (
    "Store durable memories only in memory/YYYY-MM-DD.md",
    "APPEND new content only and do not overwrite existing entries",
    "Treat MEMORY.md, SOUL.md, TOOLS.md, AGENTS.md as read-only during this flush",
)


def test_a_prompt_of_the_owners_gets_the_three_rules_of_seed_004() -> None:
    custom = "Write lasting notes to memory/YYYY-MM-DD.md"  # seed 001's example
    assert window.with_safety(custom) == "\n".join([custom, *(f"{rule}." for rule in RULES)])
    partly = f"Be quick. {RULES[1]}."
    assert window.with_safety(partly).count(RULES[1]) == 1
    assert window.with_safety(window.with_safety(custom)) == window.with_safety(custom)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_programs_own_prompts_are_safe_already(lang: str) -> None:
    for name in ("flush_system", "flush"):
        assert window.with_safety(phrases(lang)[name]) == phrases(lang)[name].rstrip()
        assert "NO_REPLY" in phrases(lang)[name]


def test_the_prompts_name_todays_note(tmp_path: Path) -> None:
    root = make(tmp_path, zone="Asia/Shanghai", chat={"flush_prompt": "Write to memory/YYYY-MM-DD.md"})
    with Workspace.open(root, now=at("2026-03-02T20:00:00Z")) as ws:
        system, question = window.prompts(ws, phrases("en"))
    assert question.startswith("Write to memory/2026-03-03.md\n")
    assert "memory/2026-03-03.md already exists" in system


def test_which_answers_are_silent() -> None:
    assert [window.is_silent(each) for each in ("NO_REPLY", " NO_REPLY\n", "No reply", "I say NO_REPLY")] == [
        True, True, False, False,
    ]  # fmt: skip


# ---- compaction ----------------------------------------------------------------------------------------------------


class Scripted:
    """Answers each question with the next text, and keeps the questions."""

    name = "scripted"
    spent = Usage()

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def reply(self, system: str, messages: Sequence[Row], tools: Sequence[Row], say: Any) -> Reply:
        del system, tools, say
        self.asked.append(messages[-1]["content"][0]["text"])
        usage: Mapping[str, int] = {"totalTokens": 1, "output": 1}
        return Reply({"content": [{"type": "text", "text": self.answers.pop(0)}], "usage": usage}, "end_turn")


def test_what_is_old_is_summed_up_and_the_latest_stays_as_in_seed_001() -> None:
    turns = [each for n in range(150) for each in (asked(f"question {n} " + "x" * 1_400, f"q{n}"), answered(f"a{n}"))]
    model = Scripted("Built a REST API with /users and /auth.")
    made = compact(model, turns, SEED, phrases("en"), 180_000)
    assert made["type"] == "compaction"
    assert (made["summary"], made["tokensBefore"]) == ("Built a REST API with /users and /auth.", 180_000)
    kept = next(n for n, each in enumerate(turns) if each["id"] == made["firstKeptEntryId"])
    assert 19_000 < sum(map(window.row_tokens, turns[kept:])) <= 20_000
    assert made["tokensAfter"] < 20_100
    assert "question 0 " in model.asked[0]
    assert "question 149" not in model.asked[0]


def test_an_earlier_summary_goes_into_the_next() -> None:
    rows = [{"type": "compaction", "summary": "they met in Porto"}, asked("x" * 3_600, "q1"), asked("last", "q2")]
    model = Scripted("more")
    assert compact(model, rows, SEED, phrases("en"), 1, keep=0)["firstKeptEntryId"] == "q2"
    assert "they met in Porto" in model.asked[0]


def test_what_is_longer_than_the_window_is_summed_up_in_parts() -> None:
    small = ChatConfig(context_window=2_000, keep_recent_tokens=100)
    rows = [asked(f"part {n} " + "x" * 3_000, f"q{n}") for n in range(4)]
    model = Scripted("one", "two", "three")
    assert compact(model, rows, small, phrases("en"), 1)["summary"] == "three"
    assert ["one" in model.asked[1], "two" in model.asked[2]] == [True, True]
    assert all(estimate_tokens(each) < 1_500 for each in model.asked)


def test_there_may_be_nothing_to_sum_up() -> None:
    assert compact(Scripted(), [asked("hi", "q")], SEED, phrases("en"), 1, keep=0) == {}
    assert (
        compact(Scripted(), [{"type": "compaction", "summary": "s"}, asked("x", "q")], SEED, phrases("en"), 1, keep=0)
        == {}
    )
    assert compact(Scripted(), [], SEED, phrases("en"), 1) == {}


def test_a_long_result_is_shown_in_part_to_be_summed_up() -> None:
    said = told([asked("q"), answered("", "t"), result("t", "x" * 9_000)])
    assert "[memory_get" in said
    assert len(said) < 4_300
