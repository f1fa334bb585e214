"""The snapshot: within its budget, by rank, in the owner's language, and the same for the same truth."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspaces import at, consolidate, make, say

from memory_system.phases import snapshot
from memory_system.phases.index import open_index
from memory_system.records import Evidence, Fact, memory_id
from memory_system.store.draft import Draft, changes_of
from memory_system.store.entries import Entry
from memory_system.text import estimate_tokens
from memory_system.workspace import Workspace

NOW = at("2026-03-02T03:00:00Z")


def fact(content: str, **values: object) -> Fact:
    row = {
        "id": memory_id(Fact, NOW.date(), content, content), "content": content, "importance": 0.5, "score": 0.5,
        "entities": ("User",), "created": "2026-02-01T03:00:00Z", "said_at": "2026-02-01T00:00:00Z",
        "scored_at": "2026-02-01T03:00:00Z", "updated": "2026-02-01T03:00:00Z", "lang": "en",
    }  # fmt: skip
    return Fact.model_validate(row | values)


def snapshot_of(root: Path, *records: Fact, **config: object) -> str:
    make(root, **config)
    with Workspace.open(root, now=NOW, write=True) as ws:
        draft = Draft(ws.store)
        for record in records:
            draft.put("active", record, "new")
        ws.store.apply(Entry("2026-03-02T03:00:00Z", "test"), changes_of(ws.store, [draft]))
        snapshot.write(NOW, ws)
    return (root / "memory/layer1/snapshot.md").read_text("utf-8")


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1, max_size=300)
CATEGORIES = st.sampled_from(["general", "health", "identity", "instruction", "preference", "safety", "project"])


@settings(max_examples=40)
@given(st.lists(st.tuples(WORDS, CATEGORIES, st.floats(0, 1)), max_size=60), st.integers(300, 2000))
def test_it_never_exceeds_its_budget(said: list[tuple[str, str, float]], total: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        records = [fact(words, category=category, importance=score, score=score) for words, category, score in said]
        text = snapshot_of(Path(folder), *records, token_budget={"layer1_total": total})
        assert estimate_tokens(text) <= total


def test_what_matters_comes_first_and_what_fades_last(tmp_path: Path) -> None:
    text = snapshot_of(
        tmp_path,
        fact("User saw a whale", score=0.2),
        fact("User is allergic to peanuts", category="health", importance=1.0, score=0.1),
        fact("User likes rowing", category="preference", importance=0.8, score=0.8),
    )
    places = [text.index(words) for words in ("peanuts", "rowing", "whale")]
    assert places == sorted(places)
    assert "1. [1.00] User is allergic to peanuts" in text


def said(quote: str, **values: object) -> dict[str, object]:
    """What a memory that was read out of those words has beside its content."""
    evidence = Evidence(ref=f"s:{quote}", quote=quote, said_at="2026-02-01T00:00:00Z", role="user", trust="user")
    return {"evidence": (evidence,), "method": "rule:general.en", **values}


def test_what_was_only_said_in_passing_is_left_to_search_where_more_is_known(tmp_path: Path) -> None:
    slots = [
        fact(f"User likes {what}", attribute="likes", value=what) for what in ["tea", "rain", "jam", "pie", "oats"]
    ]
    named = [fact(f"{who} plays the horn", subject=who) for who in ["Ana", "Ben", "Cleo", "Dan", "Eve"]]
    remark = fact("User saw a heron", **said("I saw a heron"))
    stressed = fact("User keeps the spare key at Ana's", importance=0.8, **said("Remember: the spare key is at Ana's"))
    by_hand = fact("User counts bats", method="capture")
    full = snapshot_of(tmp_path / "full", *slots, *named, remark, stressed, by_hand)
    assert "heron" not in full
    assert "spare key" in full
    assert "bats" in full
    assert "heron" in snapshot_of(tmp_path / "new", *slots, remark)


def test_what_was_of_a_moment_is_over_by_the_morning(tmp_path: Path) -> None:
    moment = {"category": "temporary", "said_at": "2026-03-01T20:00:00Z"}
    text = snapshot_of(
        tmp_path, fact("User's mum is napping", **moment), fact("User saw a heron", said_at=moment["said_at"])
    )
    assert "napping" not in text
    assert "heron" in text


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("User says it was a long way", said("It was a long way", category="status")),
        ("用户说它有三层楼", said("它有三层楼", category="status", lang="zh", method="rule:general.zh")),
        ("User asks how to prune a fig tree", said("How do I prune a fig tree?", method="rule:question.en")),
        ("The assistant likes figs best", said("I like figs best", category="preference", subject="assistant")),
    ],
)
def test_what_does_not_stand_alone_or_tell_of_people_is_left_to_search(
    tmp_path: Path, content: str, values: dict[str, object]
) -> None:
    assert content not in snapshot_of(tmp_path, fact(content, **values))


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        ("Help me write a resignation letter to my old team lead, three sentences are enough.", "letter"),
        ("帮我写一封离职感谢信，给以前的组长，三四句话就行。", "感谢信"),
        ("My mum is just now reading the almanac.", "almanac"),
        ("I'm gonna quit and become a farmer lol", "farmer"),
        ("我妈刚才在翻黄历", "黄历"),
        ("气死了，我要辞职去种地！", "种地"),
        ("My allergy test results are in.", "results"),
        ("过敏原检测的结果出来了。", "结果"),
        ("过敏原检测的结果出来了，我对芒果过敏。", "结果"),
        ("你好呀，刚把你装好，看看能不能用，安装说明我只看了一半。", "装好"),
        ("My mum is leafing through her old almanac just now.", "almanac"),
        ("我妈刚才在翻黄历。", "黄历"),
        ("我要辞职去种地哈哈", "种地"),
    ],
)
def test_what_was_asked_for_once_and_what_only_announces_are_left_out(tmp_path: Path, words: str, lost: str) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-02-01T09:00:00Z", "user", words), ("2026-02-01T09:05:00Z", "user", "I am allergic to figs."))
    consolidate(root, "2026-02-02T12:00:00Z")
    core = (root / "memory/layer1/snapshot.md").read_text().partition("## Core")[2].partition("## Recent")[0]
    core = core or (root / "memory/layer1/snapshot.md").read_text().partition("## 核心")[2].partition("## 近期")[0]
    assert "figs" in core
    assert lost not in core


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("The blood test results came back and my iron is low.", "iron is low"),
        ("体检报告出来了，血糖有点高。", "血糖有点高"),
        ("From now on keep all answers short.", "short"),
    ],
)
def test_a_result_that_is_told_and_a_lasting_wish_stay(tmp_path: Path, words: str, kept: str) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-02-01T09:00:00Z", "user", words))
    consolidate(root, "2026-02-02T12:00:00Z")
    assert kept in (root / "memory/layer1/snapshot.md").read_text()


def test_what_one_sentence_said_stands_there_once(tmp_path: Path) -> None:
    words = "Ana works at Tidewater. They make sails"
    text = snapshot_of(
        tmp_path,
        fact("Ana works at Tidewater", subject="Ana", attribute="works_at", value="Tidewater", **said(words)),
        fact(words, subject="Ana", score=0.9, **said(words)),
    )
    assert text.count("Tidewater") == 1


def test_slots_of_the_user_and_rules_for_the_assistant_have_their_places(tmp_path: Path) -> None:
    text = snapshot_of(
        tmp_path,
        fact("User's name is Ana", category="identity", attribute="name", value="Ana"),
        fact("User wants short answers", category="instruction", attribute="instruction", value="short answers"),
    )
    assert "## User\n- name: Ana\n" in text.replace("Name", "name")
    assert "## Constraints\n- User wants short answers\n" in text


def test_what_is_coming_stands_there_nearest_first(tmp_path: Path) -> None:
    """Whatever else is known: a plan for the next days, an appointment, what is due; not the past, not next year."""

    def dated(content: str, start: str, end: str, granularity: str = "day", **values: object) -> Fact:
        when = {"start": f"{start}T00:00", "end": f"{end}T00:00", "granularity": granularity, "text": "then"}
        return fact(content, event_time=when, **values)

    cheeses = [fact(f"User likes cheese number {n}", attribute="likes", importance=0.8, score=0.8) for n in range(60)]
    text = snapshot_of(
        tmp_path,
        *cheeses,
        dated("User's passport is due", "2026-03-16", "2026-03-17", category="todo", attribute="todo"),
        dated("User flies to Oslo", "2026-03-05", "2026-03-06", category="event"),
        dated("User has a fitting today", "2026-03-02", "2026-03-03", category="schedule", attribute="appointment"),
        dated("User has a check-up", "2026-03-04", "2026-03-05", category="health"),
        dated("User's mother arrives", "2026-03-06", "2026-03-07", category="relation"),
        dated("User's knee hurts", "2026-02-20", "2026-02-21", category="health"),
        dated("User saw the dentist", "2026-02-27", "2026-02-28", category="schedule", attribute="appointment"),
        dated("User goes to Rome in spring", "2026-03-17", "2026-03-18", category="schedule"),
        dated("User moves to York that year", "2026-01-01", "2027-01-01", "year", category="schedule"),
    )
    section = text.partition("## Coming up (14 days)\n")[2].partition("\n\n")[0]
    assert section.split("\n") == [
        "- 2026-03-02: User has a fitting today",
        "- 2026-03-04: User has a check-up",
        "- 2026-03-05: User flies to Oslo",
        "- 2026-03-06: User's mother arrives",
        "- 2026-03-16: User's passport is due",
    ]
    assert text.count("User flies to Oslo") == 1


def test_recent_days_are_the_last_three(tmp_path: Path) -> None:
    budget = {"layer1_total": 300, "layer1_top1": 0, "layer1_top2": 0, "layer1_top3": 0, "layer1_rest": 0}
    filler = [fact(f"User counted {number} geese on the long way home from work", score=0.9) for number in range(40)]
    text = snapshot_of(
        tmp_path,
        *filler,
        fact("User bought a kettle", said_at="2026-02-28T10:00:00Z", score=0.1),
        fact("User sold a kite", said_at="2026-02-27T10:00:00Z", score=0.1),
        token_budget=budget,
    )
    assert "- 2026-02-28: User bought a kettle" in text
    assert "kite" not in text


@pytest.mark.parametrize(("lang", "title"), [("zh", "# 工作记忆快照"), ("en", "# Working memory snapshot")])
def test_it_speaks_the_language_of_the_memories(tmp_path: Path, lang: str, title: str) -> None:
    words = {
        "zh": ["用户喜欢划船", "用户住在杭州", "User rows"],
        "en": ["User rows", "User lives in Porto", "用户喜欢划船"],
    }
    records = [fact(each, lang="en" if each.isascii() else "zh") for each in words[lang]]
    assert snapshot_of(tmp_path, *records).startswith(title)


def test_the_language_can_be_set(tmp_path: Path) -> None:
    assert snapshot_of(tmp_path, fact("User rows"), language="zh").startswith("# 工作记忆快照")


def test_who_the_agent_is_comes_from_its_files(tmp_path: Path) -> None:
    tmp_path.joinpath("IDENTITY.md").write_text("# Identity\n\n- **Name:** Koda\n- Vibe: calm\n")
    text = snapshot_of(tmp_path, fact("User rows"))
    assert "## Identity\n- Name: Koda\n- Vibe: calm\n" in text


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    records = [fact(f"User counted {number} geese on the long way home from work") for number in range(200)]
    text = snapshot_of(tmp_path, *records, token_budget={"layer1_total": 500})
    rankings = json.loads((tmp_path / "memory/state/rankings.json").read_text())
    assert len(rankings["chosen"]) == text.count("geese")
    assert len(rankings["chosen"]) + len(rankings["omitted"]) == 200
    assert all(each["tokens"] > 0 for each in rankings["omitted"])


def test_it_is_the_same_for_the_same_truth_and_date(tmp_path: Path) -> None:
    records = [fact(f"User counted {number} geese") for number in range(30)]
    one = snapshot_of(tmp_path / "one", *records)
    assert one == snapshot_of(tmp_path / "two", *reversed(records))
    with Workspace.open(tmp_path / "one", now=at("2030-01-01T00:00:00Z")) as ws, open_index(ws) as index:
        assert snapshot.text_of(index, at("2026-03-02T23:00:00Z"), ws) == one


def test_it_tells_the_night_that_it_was_made_for_whatever_has_changed_since(tmp_path: Path) -> None:
    text = snapshot_of(tmp_path, fact("User counted geese"), timezone="Asia/Shanghai")
    assert "> Generated: 2026-03-01T19:00:00Z |" in text  # three in the morning of 2 March in Shanghai
    with Workspace.open(tmp_path, now=at("2030-01-01T00:00:00Z")) as ws, open_index(ws) as index:
        later = snapshot.text_of(index, at("2028-02-20T19:00:00Z"), ws)
    assert "> Generated: 2028-02-20T19:00:00Z |" in later


def test_on_a_date_without_a_night_it_tells_the_date(tmp_path: Path) -> None:
    text = snapshot_of(tmp_path, fact("User counted geese"), consolidation={"schedule": "0 3 * * 6"})
    assert "> Generated: 2026-03-02T00:00:00Z |" in text


@pytest.mark.parametrize(
    ("words", "plan", "lasting"),
    [
        (
            "Remember that my cousin Ruth is allergic to celery, she's coming for lunch on 7 March.",
            "coming for lunch",
            "- 2026-03-07: Ruth is allergic to celery\n",
        ),
        ("记住，我表姐方敏对芹菜过敏，她3月7日来吃饭。", "来吃饭", "- 2026-03-07: 方敏对芹菜过敏\n"),
    ],
)
def test_what_lasts_is_no_plan_of_the_day_that_is_named_beside_it(
    words: str, plan: str, lasting: str, tmp_path: Path
) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(root, "2026-03-03T03:00:00Z")
    coming = _coming(root)
    assert plan in coming
    assert lasting not in coming


def _coming(root: Path) -> str:
    text = (root / "memory/layer1/snapshot.md").read_text("utf-8")
    section = text.partition("## Coming up (14 days)\n")[2] or text.partition("## 近期安排 (14天内)\n")[2]
    return section.partition("## ")[0]
