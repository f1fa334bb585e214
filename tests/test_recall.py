"""Search over everything at once, with what is newer than the index laid over it; and reading exactly."""

from __future__ import annotations

import contextlib
import gzip
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_system.config import Config
from memory_system.layout import Layout
from memory_system.recall.excerpt import get, place_of_message
from memory_system.recall.search import SCOPES_OF, Asking, search
from memory_system.recall.search_index import Filters, Index
from memory_system.recall.units import note_files
from memory_system.records import Belief, EventTime, Evidence, Fact, memory_id, to_line
from memory_system.turns import Message

CONFIG = Config()
NOW = datetime(2026, 3, 1, 3, tzinfo=UTC)
KEYS = {
    "id", "type", "path", "startLine", "endLine", "score", "source", "refs", "text", "snippet", "citation", "said_at"
}  # fmt: skip


def fact(content: str, ref: str = "", kind: type[Fact] = Fact, **more: object) -> Fact:
    fields: dict[str, object] = {"importance": 0.5, "score": 0.5, "said_at": "2026-02-03T10:00:00Z"}
    fields["evidence"] = [Evidence(ref=ref, quote=content)] if ref else []
    key = memory_id(kind, date(2026, 2, 4), ref, content)
    return kind.model_validate({"id": key, "content": content, **fields, **more})


class World:
    """A workspace of a few files with an index that knows them all, and captures that it does not know."""

    def __init__(self, root: Path, index: Index) -> None:
        self.layout = Layout(root)
        self.index = index
        self.pending: list[Fact] = []
        for folder in self.layout.folders():
            folder.mkdir(exist_ok=True)

    def say(self, *said: str, session: str = "s1", suffix: str = "", role: str = "user") -> None:
        rows: list[dict[str, Any]] = [{"type": "session", "id": session}]
        rows += [{"type": "message", "id": f"e{number}", "text": text} for number, text in enumerate(said, 1)]
        data = b"".join(orjson.dumps(row) + b"\n" for row in rows)
        path = self.layout.sessions / f"{session}.jsonl{suffix}"
        path.write_bytes(gzip.compress(data) if suffix == ".gz" else data)
        stamp = "2026-02-03T10:00:00Z"
        messages = [Message(session, f"e{number}", role, "", stamp, text) for number, text in enumerate(said, 1)]
        self.index.put_messages(self.layout.name(path), messages)

    def remember(self, *records: Fact, archive: bool = False) -> None:
        self.index.put_memories(("archive" if archive else "active", to_line(record)) for record in records)

    def note(self, name: str, text: str, *, indexed: bool = True) -> None:
        path = self.layout.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if indexed:
            self.index.put_note(name, text)

    def capture(self, *records: Fact) -> None:
        self.pending += records
        self.layout.inbox.write_bytes(b"".join(to_line(record) for record in self.pending))

    def search(self, query: str, **more: Any) -> list[dict[str, Any]]:
        answer = search(Asking(self.layout, CONFIG, self.index, self.pending, NOW), query, **more)
        assert answer["total_found"] >= len(answer["results"])
        results: list[dict[str, Any]] = answer["results"]
        return results

    def get(self, name: str, **more: int) -> dict[str, Any]:
        return get(self.layout, self.index, self.pending, name, **more)


@contextlib.contextmanager
def opened(root: Path) -> Iterator[World]:
    with Index.in_memory(CONFIG) as index:
        yield World(root, index)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with opened(tmp_path) as made:
        yield made


def said(results: Iterable[dict[str, Any]]) -> list[str]:
    return [row["text"] for row in results]


# What a result says


def test_a_memory_is_cited_by_its_line(world: World) -> None:
    records = sorted((fact(f"小明喜欢{what}", f"s1:e{n}") for n, what in enumerate("茶酒糖")), key=lambda each: each.id)
    world.remember(*records)
    (row,) = world.search("茶")
    number = next(n for n, record in enumerate(records, 1) if record.content == "小明喜欢茶")
    assert set(row) == KEYS
    assert 0 < row.pop("score") < 1
    path = "memory/layer2/active/facts.jsonl"
    assert row == {
        "id": records[number - 1].id, "type": "fact", "path": path, "startLine": number, "endLine": number,
        "source": "memory", "refs": ["s1:e0"], "text": "小明喜欢茶", "snippet": "小明喜欢茶",
        "citation": f"{path}#L{number}", "said_at": "2026-02-03T10:00:00Z",
    }  # fmt: skip


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_message_is_cited_by_its_line_in_the_transcript(world: World, suffix: str) -> None:
    world.say("hello", "I adopted a parrot", suffix=suffix)
    (row,) = world.search("parrots")
    assert (row["type"], row["source"], row["refs"]) == ("message", "session", ["s1:e2"])
    assert row["citation"] == f"sessions/s1.jsonl{suffix}#L3"
    assert "parrot" in world.get(row["path"], from_line=row["startLine"], lines=1)["text"]


def test_a_message_far_down_a_long_transcript_is_cited_by_its_line(world: World) -> None:
    lines = [orjson.dumps({"id": f"e{number}", "text": "e3000 " * 9}) for number in range(4_000)]
    (world.layout.sessions / "long.jsonl").write_bytes(b"\n".join(lines))
    for number in (0, 999, 3_000, 3_999):
        place = place_of_message(world.layout, "sessions/long.jsonl", f"long:e{number}")
        assert place == (number + 1, number + 1)
    assert place_of_message(world.layout, "sessions/long.jsonl", "long:e4000") == (1, 4_000)


def test_a_note_is_cited_by_its_lines(world: World) -> None:
    world.note("memory/2026-02-03.md", "# 家\n\n- 换了路由器\n- 密码贴在墙上\n")
    (row,) = world.search("路由器")
    assert (row["type"], row["source"], row["refs"]) == ("note", "note", [])
    assert row["citation"] == "memory/2026-02-03.md#L1-L4"
    assert world.get(row["path"], lines=4)["text"] == row["text"]


def test_a_message_without_an_id_is_cited_by_the_line_it_is_known_by(world: World) -> None:
    rows = ({"timestamp": "2026-03-02T09:00:00Z", "role": "user", "content": each} for each in ("hello", "a parrot"))
    (world.layout.sessions / "p.jsonl").write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in rows))
    assert place_of_message(world.layout, "sessions/p.jsonl", "p:2") == (2, 2)
    assert place_of_message(world.layout, "sessions/p.jsonl", "p:3") == (1, 2)


def test_a_transcript_that_is_gone_or_no_longer_holds_it_is_cited_whole(world: World) -> None:
    world.say("I adopted a parrot", "bye")
    path = world.layout.sessions / "s1.jsonl"
    path.write_text("plain line\nanother e1\n")
    assert world.search("parrot")[0]["citation"] == "sessions/s1.jsonl#L1-L2"
    path.unlink()
    assert world.search("parrot")[0]["citation"] == "sessions/s1.jsonl#L1"


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_is_no_transcript_any_more_is_not_opened_for_its_lines(world: World, kind: str) -> None:
    world.say("hello", "I adopted a parrot")
    path = world.layout.sessions / "s1.jsonl"
    elsewhere = path.rename(world.layout.root / "elsewhere.jsonl")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(elsewhere)
    assert world.search("parrot")[0]["citation"] == "sessions/s1.jsonl#L1"


@pytest.mark.parametrize(
    ("content", "when", "where", "told"),
    [
        ("User opened a bakery on the quay", "When did the user open a bakery?", "Where did the user open a bakery?",
         "User opened a bakery on the quay (said 3 February 2026)"),
        ("用户在码头开了一家面包店", "用户什么时候开的面包店？", "用户在哪里开的面包店？",
         "用户在码头开了一家面包店（2026年2月3日说）"),
    ],
)  # fmt: skip
def test_where_a_day_is_asked_for_a_memory_is_told_with_the_day_it_was_said(
    world: World, content: str, when: str, where: str, told: str
) -> None:
    world.remember(fact(content, "s1:e1"))
    (row,) = world.search(when)
    assert (row["text"], row["snippet"]) == (told, content)
    assert said(world.search(where)) == [content]


@pytest.mark.parametrize(
    ("content", "question"),
    [
        ("User opened a bakery on 7 May 2023", "When did the user open a bakery?"),
        ("用户2023年5月7日开了一家面包店", "用户什么时候开的面包店？"),
    ],
)
def test_a_memory_that_says_when_is_told_as_it_stands(world: World, content: str, question: str) -> None:
    world.remember(fact(content, "s1:e1"))
    assert said(world.search(question)) == [content]


def test_a_snippet_is_short_and_shows_the_word(world: World) -> None:
    world.say("lead " * 500 + "parrot " + "tail " * 500)
    (row,) = world.search("parrot")
    assert len(row["snippet"]) <= 700
    assert "parrot" in row["snippet"]
    assert row["snippet"].strip("…") in row["text"]


def test_a_message_is_told_with_its_speaker(world: World) -> None:
    world.say("I adopted a parrot", "我养了一只鹦鹉")
    assert {row["text"]: row["speaker"] for row in world.search("parrot") + world.search("鹦鹉")} == {
        "I adopted a parrot": "User", "我养了一只鹦鹉": "用户"
    }  # fmt: skip


def test_a_passage_that_may_be_anothers_says_so(world: World) -> None:
    pasted = "\n".join(f"I have kept bees for {number} years and sell honey at the market." for number in range(40))
    world.say(f"Our parrot is called Coco. Can you shorten this letter?\n\n{pasted}\nI am allergic to walnuts.")
    assert [row.get("whose") for row in world.search("walnuts", limit=1)] == ["others"]
    assert [row.get("whose") for row in world.search("parrot", limit=1)] == [None]


@pytest.mark.parametrize(
    ("does", "plan", "question"),
    [
        ("User builds drystone walls", "User signs off the vet's forms for Ada", "What does the user do for a living?"),
        ("用户砌了二十年石墙", "用户替小周在表上签字", "用户做什么工作？"),
    ],
)
def test_a_sentence_of_another_kind_is_no_answer(world: World, does: str, plan: str, question: str) -> None:
    row: dict[str, Any] = {"form": "statement", "tells": ("occupation",), "subject": "user"}
    signs = fact(plan, "s1:e2", category="plan", **row | {"importance": 1.0, "score": 1.0})
    world.remember(fact(does, "s1:e1", category="status", **row), signs)
    assert said(world.search(question))[0] == does


def test_who_shares_a_name_with_the_user_is_somebody_else(world: World) -> None:
    slot = {"attribute": "name", "value": "Anna Schmidt", "subject": "user"}
    world.remember(fact("User's name is Anna Schmidt", "s1:e1", **slot))
    world.remember(fact("User lives in Hamburg", "s1:e2"), fact("Anna Kowalska lives in Krakow", "s1:e3"))
    assert said(world.search("Where does Anna Kowalska live?"))[0] == "Anna Kowalska lives in Krakow"
    assert said(world.search("Where does Anna Schmidt live?"))[0] == "User lives in Hamburg"


def test_a_list_of_the_assistants_is_its_own(world: World) -> None:
    days = "\n".join(f"{number}. Day {number}: walk 12 km, rest, and see the walnut trees." for number in range(1, 40))
    world.say(f"Here is your plan:\n\n{days}", role="assistant")
    assert [row.get("whose") for row in world.search("walnut trees", limit=1)] == [None]


def test_every_memory_that_is_outdated_says_so_however_late_it_comes(world: World) -> None:
    newer = fact("The tram to the harbour was closed", "s2:e1")
    world.remember(newer, fact("User takes a tram", "s1:e1", outdated_by=newer.id))
    world.remember(*(fact(f"User takes the tram to stop {number}", f"s3:e{number}") for number in range(40)))
    rows = world.search("User takes a tram", limit=60)
    assert [row["outdated_by"] for row in rows if row["text"] == "User takes a tram"] == [newer.id]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_message_whose_memory_was_replaced_stands_behind_what_took_its_place(world: World, lang: str) -> None:
    first, then = {
        "en": ("Choir is on Tuesday evening in the hall", "The singing moved to Thursday"),
        "zh": ("合唱团礼拜二晚上在大厅排练", "排练改到礼拜四了"),
    }[lang]
    newer = fact(then, "s2:e1")
    world.say(first, session="s1")
    world.remember(fact(f"User: “{first}”", "s1:e1", superseded_by=newer.id, retired="superseded"), archive=True)
    question = {"en": "When is choir on Tuesday evening?", "zh": "合唱团礼拜几晚上排练？"}[lang]
    (alone,) = world.search(question)
    assert "outdated_by" not in alone  # what took its place is gone
    assert alone["score"] > 0.6  # and it stands again
    world.remember(newer)
    better, older = world.search(question)
    assert (better["id"], older["id"]) == (newer.id, "s1:e1")
    assert older["outdated_by"] == newer.id
    assert then in older["outdated"]


def test_a_message_of_which_something_still_holds_is_not_outdated(world: World) -> None:
    newer = fact("The singing moved to Thursday", "s2:e1")
    world.say("Choir is on Tuesday evening, and I sing bass")
    world.remember(fact("Choir is on Tuesday evening", "s1:e1", superseded_by=newer.id), archive=True)
    world.remember(newer, fact("User sings bass", "s1:e1"))
    assert not [row for row in world.search("choir on Tuesday evening") if "outdated_by" in row]


# What is found


def test_scopes_and_the_archive(world: World) -> None:
    world.remember(fact("parrot memory"))
    world.remember(fact("parrot archived", kind=Belief), archive=True)
    world.say("parrot message")
    world.note("MEMORY.md", "parrot note")
    assert set(said(world.search("parrot"))) == {"parrot memory", "parrot message", "parrot note"}
    assert said(world.search("parrot", scope="memories")) == ["parrot memory"]
    assert said(world.search("parrot", scope="notes", archived=True)) == ["parrot note"]
    assert said(world.search("parrot", scope="sessions")) == ["parrot message"]
    everything = world.search("parrot", archived=True)
    assert len(everything) == 4
    assert {row["source"]: row["type"] for row in everything}["archive"] == "belief"
    assert said(world.search("parrot", limit=2, archived=True)) == said(everything)[:2]
    assert world.search("parrot", limit=0) == []


def test_what_is_over_is_found_without_the_archive(world: World) -> None:
    show = EventTime(start="2025-05-03", end="2025-05-04", granularity="day", text="")
    world.remember(fact("parrot show on 3 May 2025", retired="expired", event_time=show), archive=True)
    world.remember(fact("parrot seeds, to be bought", retired="expired"), archive=True)
    world.remember(fact("parrot sitting, faded", retired="decayed"), archive=True)
    [found] = world.search("parrot", scope="memories")
    assert (found["text"], found["source"]) == ("parrot show on 3 May 2025", "archive")
    assert set(said(world.search("parrot"))) == {"parrot show on 3 May 2025"}
    assert len(world.search("parrot", archived=True)) == 3


def test_what_was_over_and_is_not_any_more_is_found_once(world: World) -> None:
    show = EventTime(start="2025-05-03", end="2025-05-04", granularity="day", text="")
    over = fact("parrot show on 3 May 2025", retired="expired", event_time=show)
    world.remember(over, archive=True)
    world.remember(over.model_copy(update={"retired": None}))
    [found] = world.search("parrot", archived=True)
    assert found["source"] == "memory"


def test_nothing_is_an_empty_list(world: World) -> None:
    world.say("hello")
    answer = search(Asking(world.layout, CONFIG, world.index, [], NOW), "网关")
    assert answer == {"results": [], "total_found": 0}


def test_one_text_is_one_result_that_cites_all_its_sources(world: World) -> None:
    world.say("I adopted a parrot.", "unrelated", "i adopted  a PARROT")
    world.remember(fact("I adopted a parrot", "s0:e9"))
    (row,) = world.search("parrot")
    assert row["source"] == "memory"
    assert row["refs"][0] == "s0:e9"
    assert sorted(row["refs"]) == ["s0:e9", "s1:e1", "s1:e3"]


def test_texts_with_other_numbers_or_a_negation_are_not_one(world: World) -> None:
    world.say("用户喜欢咖啡", "用户不喜欢咖啡", "版本3.11的咖啡", "版本3.12的咖啡")
    assert len(world.search("咖啡")) == 4


def test_what_matters_comes_first_among_equals_but_words_decide(world: World) -> None:
    world.remember(fact("the parrot eats seeds", "s:1", importance=0.2, score=0.1))
    world.remember(fact("the parrot eats fruit", "s:2", importance=1.0, score=1.0))
    assert said(world.search("parrot"))[0] == "the parrot eats fruit"
    assert said(world.search("parrot seeds"))[0] == "the parrot eats seeds"


# What is newer than the index


def test_a_capture_is_found_at_once(world: World) -> None:
    world.remember(*(fact(f"小红喜欢第{number}种花") for number in range(30)))
    world.capture(fact("别的事"), fact("小明养了一只鹦鹉"))
    (row,) = world.search("鹦鹉")
    assert (row["source"], row["text"]) == ("memory", "小明养了一只鹦鹉")
    assert row["citation"] == "memory/state/inbox.jsonl#L2"
    assert orjson.loads(world.get(row["path"], from_line=2, lines=1)["text"])["id"] == row["id"]
    assert world.search("鹦鹉", scope="sessions") == []


def test_a_capture_ranks_by_the_words_of_the_whole_index(world: World) -> None:
    world.say(*(f"the parrot said {number}" for number in range(40)), "the macaw said nothing", *["rain"] * 60)
    world.capture(fact("one macaw"), fact("one parrot"))
    scores = {row["text"]: row["score"] for row in world.search("macaw parrot", limit=50)}
    assert scores["one macaw"] > scores["the parrot said 1"]
    assert scores["the macaw said nothing"] > scores["one parrot"]
    assert scores["one macaw"] > 1.5 * scores["one parrot"]


def test_a_capture_that_was_folded_in_is_not_found_twice(world: World) -> None:
    record = fact("the parrot eats fruit")
    world.capture(record)
    world.remember(record)
    (row,) = world.search("parrot")
    assert row["path"] == "memory/layer2/active/facts.jsonl"


def test_a_note_is_found_as_it_is_now(world: World) -> None:
    world.note("memory/pets.md", "the parrot eats fruit")
    world.note("memory/gone.md", "a parrot long ago")
    world.note("memory/pets.md", "the budgie eats seeds", indexed=False)
    world.note("memory/projects/new.md", "a budgie cage", indexed=False)
    (world.layout.root / "memory/gone.md").unlink()
    assert world.search("parrot") == []
    assert set(said(world.search("budgie"))) == {"the budgie eats seeds", "a budgie cage"}


def test_notes_are_what_people_wrote(world: World) -> None:
    ours = ("memory/layer1/snapshot.md", "memory/state/x.md", "AGENTS.md", "memory/d.txt")
    dreamt = ("memory/dreaming/light/2026-02-03.md", "memory/.dreams/c.md")
    theirs = ("MEMORY.md", "USER.md", "knowledge/infra/dns.md", "memory/a.md", "memory/deep/b.md")
    for name in (*theirs, "knowledge/.git/d.md", "knowledge/e.txt", *ours, *dreamt):
        world.note(name, "text", indexed=False)
    (world.layout.memory / "link.md").symlink_to(world.layout.root / "MEMORY.md")
    names = [world.layout.name(path) for path in note_files(world.layout)]
    assert names == list(theirs)


def test_knowledge_is_found_and_read_but_not_through_a_link(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    world.note("knowledge/infra/dns.md", "# Names\n\nThe resolver is called Hermes.", indexed=False)
    (row,) = world.search("Hermes")
    assert row["citation"] == "knowledge/infra/dns.md#L1-L3"
    assert "resolver" in world.get(row["citation"])["text"]
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (world.layout.knowledge).rename(elsewhere / "knowledge")
    (world.layout.knowledge).symlink_to(elsewhere / "knowledge")
    assert world.search("Hermes") == []
    assert world.get("knowledge/infra/dns.md")["status"] == "error"


def test_a_daily_note_is_found_once_and_what_it_says_can_be_read(world: World) -> None:
    """It was found twice, as a note and as a message whose ref nothing could read."""
    world.note("memory/2026-02-03.md", "# Tuesday\n\n- the parrot moulted\n")
    said = Message("memory/2026-02-03.md", "L3", "note", "", "2026-02-03T12:00:00Z", "the parrot moulted")
    world.index.put_messages("memory/2026-02-03.md", [said])
    (row,) = world.search("parrot")
    assert (row["type"], row["citation"]) == ("note", "memory/2026-02-03.md#L1-L3")
    answer = world.get(said.ref)
    assert (answer["text"], answer["from"], answer["lines"]) == ("- the parrot moulted", 3, 1)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.sampled_from(sorted(SCOPES_OF)), st.integers(-1, 3))
def test_no_question_is_an_error(tmp_path: Path, query: str, scope: Any, limit: int) -> None:
    with opened(tmp_path) as world:
        world.say(query, "hello 你好")
        world.remember(fact("hello 你好"))
        world.capture(fact("你好 parrot"))
        results = world.search(query, scope=scope, limit=limit, archived=True)
        assert len(results) <= max(0, limit)
        assert [row["score"] for row in results] == sorted((row["score"] for row in results), reverse=True)


# Reading exactly


def test_a_memory_by_its_id(world: World) -> None:
    record, waiting = fact("小明喜欢茶"), fact("小明喜欢酒")
    world.remember(record, archive=True)
    world.capture(waiting)
    answer = world.get(record.id)
    assert answer["record"] == orjson.loads(to_line(record))
    assert (answer["status"], answer["path"], answer["from"]) == ("ok", "memory/layer2/archive/facts.jsonl", 1)
    assert world.get(waiting.id)["record"]["content"] == "小明喜欢酒"
    assert world.get("f_20260101_nowhere00")["status"] == "not_found"


def test_a_message_by_its_ref_and_lines_by_their_citation(world: World) -> None:
    world.say("hello", "knead the dough, rest it, bake it. " * 60, "bye")
    answer = world.get("s1:e2")
    assert (answer["status"], answer["path"], answer["from"], answer["lines"]) == ("ok", "sessions/s1.jsonl", 3, 1)
    assert answer["text"].replace("\n", " ").split() == ("knead the dough, rest it, bake it. " * 60).split()
    assert world.get("s1:e9")["status"] == "error"
    world.note("memory/a.md", "one\ntwo\nthree\nfour\n")
    assert world.get("memory/a.md#L2-L3")["text"] == "two\nthree"
    assert world.get("memory/a.md#L4") == {
        "status": "ok", "path": "memory/a.md", "from": 4, "lines": 1, "text": "four"
    }  # fmt: skip
    assert world.get("memory/../../x.md#L1")["status"] == "error"


def test_lines_of_a_file_and_where_to_go_on(world: World) -> None:
    lines = [f"第{number}行" for number in range(1, 301)]
    world.note("memory/long.md", "\n".join(lines), indexed=False)
    first = world.get("memory/long.md")
    assert first == {
        "status": "ok", "path": "memory/long.md", "from": 1, "lines": 120, "text": "\n".join(lines[:120]),
        "truncated": True, "nextFrom": 121,
    }  # fmt: skip
    assert world.get("memory/long.md", lines=500) == first
    assert world.get("memory/long.md#L1-L300") == first
    last = world.get(str(world.layout.root / "memory/long.md"), from_line=300, lines=5)
    assert (last["text"], last["lines"], "truncated" in last, "nextFrom" in last) == ("第300行", 1, False, False)
    assert world.get("memory/long.md", from_line=301)["text"] == ""


@given(st.lists(st.text(alphabet="ab猫 ", max_size=40).map(lambda text: text * 200), max_size=8), st.integers(1, 4))
def test_going_on_reads_every_line_once(tmp_path_factory: pytest.TempPathFactory, lines: list[str], count: int) -> None:
    with opened(tmp_path_factory.mktemp("world")) as world:
        world.note("MEMORY.md", "".join(f"{line}\n" for line in lines), indexed=False)
        read: list[str] = []
        start: int | None = 1
        while start:
            answer = world.get("MEMORY.md", from_line=start, lines=count)
            assert len(answer["text"]) <= 12_000
            read += answer["text"].split("\n")[: answer["lines"]]
            start = answer.get("nextFrom")
        assert read == lines


def test_a_line_that_is_too_long_is_cut(world: World) -> None:
    world.note("MEMORY.md", "x" * 50_000 + "\nnext", indexed=False)
    answer = world.get("MEMORY.md")
    assert (len(answer["text"]), answer["truncated"], answer["nextFrom"]) == (12_000, True, 2)
    assert world.get("MEMORY.md", from_line=2)["text"] == "next"


ESCAPES = [
    "../outside.md", "memory/../../outside.md", "/etc/passwd", "memory/link.md", "memory/folder/secret.md", "sessions",
    "memory/state/key", "memory/state/../state/key", "memory/config.json", "memory/layer2/index/search.sqlite", "",
    ".", "..", "memory/a\0.md", "other.md", "sessions/pipe.jsonl", "sessions/broken.jsonl.gz",
    "memory/\ud800.md",
]  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
def test_no_name_leads_outside(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "outside.md").write_text("SECRET")
    (outside / "secret.md").write_text("SECRET")
    with opened(tmp_path / "ws") as world:
        (world.layout.memory / "link.md").symlink_to(tmp_path / "outside.md")
        (world.layout.memory / "folder").symlink_to(outside)
        (world.layout.root / "other.md").write_text("SECRET")
        (world.layout.state / "key").write_text("SECRET")
        world.layout.config.write_text("SECRET")
        (world.layout.index / "search.sqlite").write_text("SECRET")
        (world.layout.sessions / "broken.jsonl.gz").write_text("SECRET")
        os.mkfifo(world.layout.sessions / "pipe.jsonl")
        answer = world.get(name)
        assert (answer["status"], answer["text"]) == ("error", "")
        assert answer["error"]


def test_what_is_not_there_is_not_found(world: World) -> None:
    for name in ("MEMORY.md", "memory/none.md", "sessions/none.jsonl", "memory/" + "x" * 300 + ".md"):
        assert world.get(name)["status"] == "not_found"


@pytest.mark.parametrize(
    ("query", "content", "other"),
    [
        ("where do I work", "用户在云帆科技工作", "莫里在拾光工作"),
        ("我现在在哪儿上班？", "User works at Tidewater", "Mori works at Casa Fen"),
    ],
)
def test_where_no_word_is_shared_the_memory_that_states_it_is_found(
    world: World, query: str, content: str, other: str
) -> None:
    world.remember(
        fact(content, attribute="works_at", value="…", category="status"),
        fact(other, attribute="works_at", value="…", category="status", subject="Mori"),
    )
    assert said(world.search(query)) == [content]
    assert world.search(query, scope="sessions") == []
    assert world.search(query, filters=Filters(since="2026-02-04T00:00:00Z")) == []


@pytest.mark.parametrize(
    ("query", "stated", "other"),
    [
        ("Where do I live?", "User moved to Leeds", "Priya lives in Sheffield, where do I begin"),
        ("我住在哪里", "用户搬到了上海", "用户住在哪里都行，住在哪里都每天地铁四十分钟"),
    ],
)
def test_a_question_about_the_user_is_answered_by_the_memory_that_states_it(
    world: World, query: str, stated: str, other: str
) -> None:
    world.remember(fact(stated, attribute="lives_in", value="…", category="status"), fact(other))
    best = world.search(query, explain=True)[0]
    assert best["text"] == stated
    assert "stated" in best["explain"]
    assert said(world.search("Sheffield" if query[0] == "W" else "地铁"))[0] == other
