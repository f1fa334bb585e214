"""The questions beside that of phase 3: what their answers may do, and what they may not."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from answering import EMPTY, claim, lines_of, question_of
from claude_server import serving
from workspaces import Crash, CrashingDisk, at, consolidate, contents, layers, make, memories, say

from memory_system import finder
from memory_system.errors import DamagedError
from memory_system.llm.prompts import template
from memory_system.phases.asking.polish import Lines, Wording, is_shorter, wording
from memory_system.upkeep import check, correct
from memory_system.workspace import Workspace

NOW = "2026-03-04T12:00:00Z"


def always(name: str, answer: Any) -> Any:
    """A script that answers one question so, and has nothing to say to the others."""
    return lambda request: answer if question_of(request) == name else EMPTY[question_of(request)]


def ask_only(url: str, *questions: str) -> dict[str, Any]:
    return {"mode": "auto", "base_url": url, "questions": list(questions)}


def two_values(root: Path, lang: str) -> None:
    """A birthday that gives way only to a correction, and another one, said without any."""
    one, other = ("My birthday is 4 May.", "My birthday is 9 June.")
    if lang == "zh":
        one, other = ("我的生日是5月4日。", "我的生日是6月9日。")
    say(root, "a", ("2026-03-02T09:00:00Z", "user", one))
    say(root, "b", ("2026-03-03T09:00:00Z", "user", other))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_conflict_that_the_rules_leave_open_is_decided(lang: str, tmp_path: Path, key: None) -> None:
    with serving(always("conflict", {"over": [1, 5, 0]})) as server:
        two_values(make(tmp_path, llm=ask_only(server.url, "conflict")), lang)
        report = consolidate(tmp_path, NOW).to_row()
    (birthday,) = [each for each in memories(tmp_path) if each.attribute == "birthday"]
    assert birthday.source == "b:e1"
    assert len(birthday.history) == 1
    assert len(server.requests) == 1
    assert report["accounting"]["balanced"]


def test_a_conflict_that_nobody_decides_stays(tmp_path: Path, key: None) -> None:
    with serving(always("conflict", {"over": []})) as server:
        two_values(make(tmp_path, llm=ask_only(server.url, "conflict")), "en")
        consolidate(tmp_path, NOW)
    assert len([each for each in memories(tmp_path) if each.attribute == "birthday"]) == 2


def test_only_possible_conflicts_are_asked_about(tmp_path: Path, key: None) -> None:
    with serving(always("conflict", {"over": [1]})) as server:
        make(tmp_path, llm=ask_only(server.url, "conflict"))
        say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I'm allergic to peanuts. I keep bees on the roof."))
        say(tmp_path, "b", ("2026-03-03T09:00:00Z", "user", "I'm allergic to shellfish. I play the cello."))
        consolidate(tmp_path, NOW)
    assert not server.requests


def a_belief(root: Path) -> None:
    say(
        root,
        "a",
        ("2026-03-02T09:00:00Z", "user", "My friend Nadia is a nurse. I think Nadia wants to sell the canoe."),
    )
    say(root, "b", ("2026-03-03T09:00:00Z", "user", "Nadia put an advertisement for the canoe in the paper."))


@pytest.mark.parametrize(
    ("answer", "least", "most"),
    [
        ({"confirm": [1], "deny": []}, 0.7, 0.85),
        ({"confirm": [], "deny": [1]}, 0.2, 0.4),
        ({"confirm": [1], "deny": [1]}, 0.6, 0.6),
        ({"confirm": [9], "deny": [0]}, 0.6, 0.6),
    ],
)
def test_a_fact_may_confirm_or_deny_a_belief(
    answer: dict[str, Any], least: float, most: float, tmp_path: Path, key: None
) -> None:
    with serving(always("beliefs", answer)) as server:
        a_belief(make(tmp_path, llm=ask_only(server.url, "beliefs")))
        consolidate(tmp_path, NOW)
    assert server.requests
    (belief,) = [each for each in memories(tmp_path) if each.id.startswith("b_")]
    assert least <= belief.confidence <= most


HOBBIES = "My sister Ines plays the cello. My sister Ines keeps bees. My sister Ines lives in Ghent."


def a_topic(root: Path) -> None:
    for number, sentence in enumerate(HOBBIES.split(". ")):
        say(root, "a", (f"2026-03-02T09:0{number}:00Z", "user", sentence.rstrip(".") + "."))


def summary_of(root: Path) -> Any:
    (found,) = [each for each in memories(root) if each.id.startswith("s_") and each.topic == "Ines/about"]
    return found


def test_a_summary_in_the_models_words(tmp_path: Path, key: None) -> None:
    text = "Ines is User's sister, lives in Ghent, plays cello."
    with serving(always("summaries", {"topics": [{"n": 1, "text": text}]})) as server:
        a_topic(make(tmp_path, llm=ask_only(server.url, "summaries")))
        consolidate(tmp_path, NOW)
    assert server.requests
    assert summary_of(tmp_path).content == text
    assert summary_of(tmp_path).method == template("summaries", "en").method


@pytest.mark.parametrize(
    "text",
    [
        "Ines lives in Ghent, plays the cello, keeps bees, and steals.",
        "Ines lives in Ghent.",
        "Ines plays the cello, keeps Ghent, lives in bees.",
        "Ines does not live in Ghent, plays the cello, keeps bees.",
        "",
        "Ines lives in Ghent, plays the cello, keeps bees. " * 4,
    ],
)
def test_a_summary_that_is_not_covered_is_not_taken(text: str, tmp_path: Path, key: None) -> None:
    with serving(always("summaries", {"topics": [{"n": 1, "text": text}]})) as server:
        a_topic(make(tmp_path, llm=ask_only(server.url, "summaries")))
        consolidate(tmp_path, NOW)
    assert server.requests
    assert summary_of(tmp_path).method == "rule:compose"


def shortening(request: dict[str, Any]) -> Any:
    if question_of(request) != "polish":
        return EMPTY[question_of(request)]
    told = [(n, words.replace("There is a ", "").replace("the ", "")) for n, words in lines_of(request)]
    return {"lines": [{"n": n, "text": text} for n, text in told]}


def test_the_snapshot_in_fewer_words_can_be_made_again(tmp_path: Path, key: None) -> None:
    with serving(shortening) as server:
        make(tmp_path, llm=ask_only(server.url, "polish"))
        say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I play the cello in the orchestra of the old town."))
        consolidate(tmp_path, NOW)
    snapshot = (tmp_path / "memory/layer1/snapshot.md").read_text()
    assert "User plays cello in orchestra of old town" in snapshot
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        assert not list(check.validate(ws))


def test_what_the_snapshot_shows_in_fewer_words_is_not_told_again(tmp_path: Path, key: None) -> None:
    with serving(shortening) as server:
        make(tmp_path, llm=ask_only(server.url, "polish"))
        say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I play the cello in the orchestra of the old town."))
        consolidate(tmp_path, NOW)
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        told, left = (
            finder.context(ws, "Which orchestra do I play the cello in?", without_snapshot=without)["items"]
            for without in (False, True)
        )
    assert [each["type"] for each in told] == ["fact"]
    assert not left


def test_a_snapshot_that_would_lose_something_is_left_as_it_is(tmp_path: Path, key: None) -> None:
    with serving(always("polish", {"lines": [{"n": 1, "text": "User plays cello"}]})) as server:
        make(tmp_path, llm=ask_only(server.url, "polish"))
        say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I play the cello in the orchestra of the old town."))
        consolidate(tmp_path, NOW)
    assert server.requests
    assert "in the orchestra of the old town" in (tmp_path / "memory/layer1/snapshot.md").read_text()


SAID = (
    "I play the cello in the orchestra of the old town.",
    "I keep bees on the roof of the house.",
    "I paint the boats in the harbour of the island.",
    "I'm allergic to the pollen of the birches.",
)


def arranging(order: list[int]) -> Any:
    """A script that gives the snapshot's lines in that order, and no words for them."""
    return always("polish", {"lines": [{"n": n, "text": ""} for n in order]})


def core(root: Path) -> list[str]:
    """The core memories of the snapshot, in their order."""
    text = (root / "memory/layer1/snapshot.md").read_text()
    return re.findall(r"^\d+\. \[[\d.]+\] (.*)$", text, re.MULTILINE)


def hobbies(root: Path) -> None:
    for number, words in enumerate(SAID):
        say(root, "a", (f"2026-03-02T09:0{number}:00Z", "user", words))


@pytest.mark.parametrize("order", [[4, 3, 2, 1], [3, 3, 9, 0, 4, 2], [2]])
def test_the_snapshot_in_another_order_loses_nothing(order: list[int], tmp_path: Path, key: None) -> None:
    """What keeps the user safe stays where it is; numbers that mean no line, or mean one twice, mean nothing."""
    hobbies(make(tmp_path / "rules"))
    consolidate(tmp_path / "rules", NOW)
    plain = core(tmp_path / "rules")
    assert "allergic" in plain[0]
    with serving(arranging(order)) as server:
        hobbies(make(tmp_path / "asked", llm=ask_only(server.url, "polish")))
        consolidate(tmp_path / "asked", NOW)
    found = core(tmp_path / "asked")
    assert (sorted(found), found[0]) == (sorted(plain), plain[0])
    if len(order) > 1:
        assert found != plain
    with Workspace.open(tmp_path / "asked", now=at(NOW)) as ws:
        assert not list(check.validate(ws))


LEFT = "User moved from Porto to the old town of Ghent with the 3 cats of their sister"


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("User moved from Porto to old town of Ghent with 3 cats of sister", True),
        ("User moved to Porto from old town of Ghent with 3 cats of sister", False),
        ("Sister moved from Porto to old town of Ghent with 3 cats of User", False),
        ("User moved from Porto to old town of Ghent with cats of sister", False),
        ("User moved from Porto to town of Ghent with 3 cats of sister", False),
        ("User moved from Porto to old town of Ghent with 4 cats of sister", False),
        ("moved from Porto to old town of Ghent with 3 cats of sister", False),
        ("User never moved from Porto to old town of Ghent w 3 cats of sister", False),
        ("", False),
        (LEFT, False),
    ],
)
def test_a_line_may_only_lose_words_that_say_nothing(text: str, taken: bool) -> None:
    assert is_shorter(text, LEFT) is taken


@pytest.mark.parametrize(
    ("text", "taken"),
    [("用户在苏州买了3条旧木船", True), ("用户在苏州卖了3条旧木船", False), ("用户在苏州没买3条旧木船", False)],
)
def test_a_chinese_line_may_only_lose_words_that_say_nothing(text: str, taken: bool) -> None:
    assert is_shorter(text, "用户在苏州的那里买了3条旧的木船") is taken


def test_a_line_that_is_answered_again_is_among_the_newest() -> None:
    """One that got other words kept its old place, and was forgotten while it stood in the snapshot."""
    known, shorter = Wording(), LEFT.replace("the ", "")
    for week in range(4):
        known.learn([LEFT], Lines.model_validate({"lines": [{"n": 1, "text": shorter}]}))
        known.learn([f"line {week}.{number}" for number in range(100)], Lines(lines=[]))
    assert known.arranged([LEFT], fixed=()) == [(0, shorter)]


@pytest.mark.parametrize("damaged", ['{"shorter": {"a": 1}}', '{"order": [{}]}', '{"asked": "a line"}'])
def test_wording_that_is_none_is_damage(damaged: str, tmp_path: Path, key: None) -> None:
    hobbies(make(tmp_path, llm={"mode": "auto", "questions": ["polish"]}))
    (tmp_path / "memory/state").mkdir(exist_ok=True)
    (tmp_path / "memory/state/wording.json").write_text(damaged)
    with Workspace.open(tmp_path, now=at(NOW)) as ws, pytest.raises(DamagedError, match="holds no wording"):
        wording(ws)


def test_lines_that_were_asked_about_are_not_asked_about_again(tmp_path: Path, key: None) -> None:
    with serving(shortening) as server:
        hobbies(make(tmp_path, llm=ask_only(server.url, "polish")))
        consolidate(tmp_path, NOW)
        consolidate(tmp_path, "2026-03-09T12:00:00Z", force=True)
        assert len(server.requests) == 1
        more = ("I play the flute in the band of the fire brigade.", "I sing in the choir of the church.")
        for number, words in enumerate(more):
            say(tmp_path, "b", (f"2026-03-09T13:0{number}:00Z", "user", words))
        consolidate(tmp_path, "2026-03-10T12:00:00Z")
    assert len(server.requests) == 2
    assert "User plays flute in band of fire brigade" in (tmp_path / "memory/layer1/snapshot.md").read_text()


@pytest.mark.parametrize(
    ("one", "mine", "other"),
    [
        (
            "I rent a boat shed near the harbour of Ghent.",
            "User rents a boat shed near the old harbour of Ghent",
            "The boat shed near the old harbour of Ghent: that is no longer so.",
        ),
        ("我在苏州的河边租了一间船屋。", "用户在苏州的老河边租了一间船屋", "苏州老河边租的那间船屋，现在不再用了。"),
    ],
)
@pytest.mark.parametrize("owners", [False, True])
def test_the_model_does_not_retire_what_the_owner_has_set(
    owners: bool, one: str, mine: str, other: str, tmp_path: Path, key: None
) -> None:
    with serving(always("conflict", {"over": [1, 2, 3]})) as server:
        make(tmp_path, llm=ask_only(server.url, "conflict"))
        say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", one))
        consolidate(tmp_path, "2026-03-03T12:00:00Z")
        (fact,) = [each for each in memories(tmp_path) if each.id.startswith("f_")]
        if owners:
            with Workspace.open(tmp_path, now=at("2026-03-03T13:00:00Z"), write=True) as ws:
                correct.edit(ws, fact.id, {"content": mine})
        say(tmp_path, "b", ("2026-03-03T14:00:00Z", "user", other))
        consolidate(tmp_path, NOW)
    assert (fact.id in {each.id for each in memories(tmp_path)}) is owners


def test_a_summary_that_was_paid_for_is_not_asked_for_again(tmp_path: Path, key: None) -> None:
    text = "Ines is User's sister, lives in Ghent, plays cello."
    with serving(always("summaries", {"topics": [{"n": 1, "text": text}]})) as server:
        a_topic(make(tmp_path, llm=ask_only(server.url, "summaries")))
        consolidate(tmp_path, NOW)
        asked = len(server.requests)
        say(tmp_path, "b", ("2026-03-04T13:00:00Z", "user", "My sister Ines plays the cello."))
        consolidate(tmp_path, "2026-03-05T12:00:00Z")
    assert len(server.requests) == asked == 1
    assert summary_of(tmp_path).content == text


THINGS = ("kettle", "canoe", "ladder", "lantern", "saddle", "violin", "bucket", "hammer", "mirror", "basket", "helmet")


def much_talk(root: Path) -> None:
    """More than a night keeps, none of it noise."""
    for number, thing in enumerate(THINGS):
        text = f"My cousin found an old {thing} in the cellar of the house by the river and gave it a new coat."
        say(root, "a", (f"2026-03-02T09:{number:02}:00Z", "user", text))


def keeping(chosen: slice) -> Any:
    """A script that keeps some of the lines it is asked about, as if they were all there is."""

    def script(request: dict[str, Any]) -> Any:
        asked = lines_of(request)[chosen]
        return {"keep": [{"n": n, "category": "status", "importance": 1} for n, _ in asked]}

    return script


@pytest.mark.parametrize(("chosen", "more"), [(slice(0), 0), (slice(1), 1), (slice(None), 1)])
def test_a_segment_that_the_share_leaves_out_may_be_kept(chosen: slice, more: int, tmp_path: Path, key: None) -> None:
    """It comes on top of what the rules keep, and there is room for one."""
    much_talk(make(tmp_path / "rules"))
    rules = consolidate(tmp_path / "rules", NOW).to_row()["accounting"]["segments"]
    assert rules["dropped"]["share"] > 1
    with serving(keeping(chosen)) as server:
        much_talk(make(tmp_path / "asked", llm=ask_only(server.url, "screen")))
        segments = consolidate(tmp_path / "asked", NOW).to_row()["accounting"]["segments"]
    assert len(server.requests) == 1
    assert segments["kept"] == rules["kept"] + more
    facts = [each for each in memories(tmp_path / "asked") if each.id.startswith("f_")]
    added = [each for each in facts if each.content not in contents(tmp_path / "rules")]
    assert [(each.category, each.importance) for each in added] == [("status", 0.7)] * more
    assert {each.content for each in facts} >= {
        each.content for each in memories(tmp_path / "rules") if each.id.startswith("f_")
    }


def test_where_all_is_kept_nobody_is_asked(tmp_path: Path, key: None) -> None:
    with serving(keeping(slice(None))) as server:
        make(tmp_path, llm=ask_only(server.url, "screen"))
        say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I play the cello in an orchestra. Thanks!"))
        consolidate(tmp_path, NOW)
    assert not server.requests


def everything(request: dict[str, Any]) -> Any:
    """A script that has something to say to all six questions."""
    name = question_of(request)
    answers = {"conflict": {"over": [1]}, "beliefs": {"confirm": [1], "deny": []}}
    if name == "screen":
        return keeping(slice(None))(request)
    if name == "extract":
        return {
            "claims": [claim(n, line.rpartition(": ")[2], line.rpartition(": ")[2]) for n, line in lines_of(request)]
        }
    if name == "summaries":
        return {"topics": [{"n": n, "text": line.replace(" | ", ", ")} for n, line in lines_of(request)]}
    return shortening(request) if name == "polish" else answers[name]


def test_killed_at_any_answer_with_everything_on_it_ends_the_same_and_asks_once(tmp_path: Path, key: None) -> None:
    def filled(root: Path, url: str) -> Path:
        questions = ("screen", "extract", "conflict", "beliefs", "summaries", "polish")
        make(root, llm=ask_only(url, *questions), budget={"tokens_per_night": 9_000})
        two_values(root, "en")
        a_belief(root)
        much_talk(root)
        say(root, "a", ("2026-03-03T10:00:00Z", "user", "It took my neighbour and me three weekends to repair it."))
        return root

    with serving(everything) as server:
        counting = CrashingDisk()
        consolidate(filled(tmp_path / "whole", server.url), NOW, disk=counting)
        expected, once = layers(tmp_path / "whole"), Counter(server.inputs())
        assert {question_of(request) for request in server.requests} >= {"screen", "extract", "conflict", "polish"}
    opened = [n for n, name in enumerate(counting.done, 1) if name in ("open answers.jsonl", "replace wording.json")]
    assert len(opened) > 6
    for stop in sorted({*opened[::6], *(number + 3 for number in opened[3::6])}):
        with serving(everything) as server:
            root = filled(tmp_path / str(stop), server.url)
            with pytest.raises(Crash):
                consolidate(root, NOW, disk=CrashingDisk(stop=stop))
            consolidate(root, NOW)
            seen = Counter(server.inputs())
        assert layers(root) == expected, counting.done[stop - 1]
        assert seen.keys() == once.keys()
        assert seen.total() <= once.total() + 1
