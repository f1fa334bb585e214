"""The search index: both languages are found, the order of filling means nothing, damage is noticed."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import stat
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_system import clock
from memory_system.config import Config, parse_config
from memory_system.disk import Files
from memory_system.errors import LockedError
from memory_system.recall.asked import understood
from memory_system.recall.candidates import Wanted, gather
from memory_system.recall.ranking import rank
from memory_system.recall.schema import SCOPE_BITS, SCOPES
from memory_system.recall.search_index import MOST_KEPT, Index
from memory_system.recall.units import Unit, Units, passages
from memory_system.records import POOLS, Belief, Fact, Pool, memory_id, to_line
from memory_system.store import retention
from memory_system.store.database import StaleIndexError
from memory_system.turns import Message

CONFIG = Config()
NOW = datetime(2026, 3, 1, 3, tzinfo=UTC)
CJK = st.text(alphabet="猫咖啡我的了在北京喜欢喝吗和早上", min_size=1, max_size=12)


def fact(content: str, number: int = 0, kind: type[Fact] = Fact, **more: object) -> Fact:
    fields: dict[str, object] = {"importance": 0.5, "score": 0.5, "said_at": "2026-02-03T10:00:00Z"}
    key = memory_id(kind, date(2026, 2, 4), f"s:{number}", content)
    return kind.model_validate({"id": key, "content": content, **fields, **more})


def message(text: str, entry: str = "1", session: str = "s") -> Message:
    return Message(session, entry, "user", "", "2026-02-03T10:00:00Z", text)


@contextlib.contextmanager
def holding(*texts: str) -> Iterator[Index]:
    with Index.in_memory(CONFIG) as index:
        index.put_messages("sessions/s.jsonl", [message(text, str(number)) for number, text in enumerate(texts)])
        yield index


def texts(index: Index, query: str, scope: str = "session") -> list[str]:
    return [unit.text for unit in found(index, query, [scope])[:10]]


def found(index: Index, query: str, scopes: Collection[str] = tuple(SCOPES)) -> list[Unit]:
    """The units that hold a word of the question, best first."""
    question = understood(query, NOW, CONFIG.zone)
    candidates = gather(index, None, Wanted(question, scopes), CONFIG.zone)
    ranked = rank(question, candidates, CONFIG.search.english)
    return [each.unit for each in ranked if candidates.masks.get(each.number)]


# Finding


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我家有一只猫叫团子", "猫"),
        ("我喜欢喝咖啡", "咖啡"),
        ("我喜欢喝咖啡", "用户喜欢喝什么?"),
        ("我养了一只猫", "我的猫"),
        ("下周把部署计划发给大家", "部署计划"),
        ("用FastAPI写接口", "fastapi"),
        ("用FastAPI写接口", "接口"),
        ("服务跑在Python 3.12上", "Python 3.12 服务"),
        ("ＡＢＣ公司的合同", "abc"),
        ("We are renewing the certificate", "certificates renewal"),
        ("The dogs were barking", "dog bark"),
        ("Her code is ZX500Q7.", "zx500q7"),
        ("call foo_bar(x) first", "foo_bar"),
        ("call foo_bar(x) first", "bar"),
        ("write to ana@example.com", "ana@example.com"),
        ("Le café est fermé", "cafe"),
        ("見積もりはカナで", "カナ"),
        ("回家的路上", "的"),
        ("to be or not to be", "to be"),
    ],
)
def test_a_text_is_found_by_its_words(text: str, query: str) -> None:
    with holding(text, "无关的一句话 unrelated words") as index:
        assert texts(index, query)[0] == text


@pytest.mark.parametrize("query", ["网关", "狗", "espresso", "3.13", "，。！", "🙂", "", "\0"])
def test_what_is_not_there_is_not_found(query: str) -> None:
    with holding("我喜欢喝咖啡，上网球课", "Python 3.12 is out 🎉") as index:
        assert texts(index, query) == []


def test_the_text_with_more_of_the_question_comes_first() -> None:
    with holding("小明去了北京", "小明在北京的银行工作", "小红在上海") as index:
        assert texts(index, "小明在北京哪家银行工作？")[0] == "小明在北京的银行工作"


def test_stop_words_do_not_decide() -> None:
    with holding("what is the of a", "the violin lesson") as index:
        assert texts(index, "What is the violin?") == ["the violin lesson"]


@given(CJK, st.data())
def test_every_piece_of_a_chinese_text_finds_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    with holding(text) as index:
        assert texts(index, text[start:end]) == [text]


HOSTILE = ['"', "a OR", "NEAR(a b", "a*", "-a", "^a", "text: a", "{a b}: c", "a AND NOT b", "'; DROP TABLE unit", "()"]


@pytest.mark.parametrize("query", [*HOSTILE, "\ud800", "好" * 10_000, "word " * 2_000, "a_" * 5_000, "・", "ー"])
def test_a_question_is_never_query_syntax(query: str) -> None:
    with holding("a b 好") as index:
        found(index, query)


@settings(max_examples=100)
@given(st.text(), st.text())
def test_no_text_and_no_question_is_an_error(text: str, query: str) -> None:
    with holding(text) as index:
        found(index, query)
        index.put_messages("sessions/s.jsonl", [message(query, "0")])
        assert len(texts(index, text)) <= 1


def test_scopes_are_kept_apart() -> None:
    with Index.in_memory(CONFIG) as index:
        index.put_memories([("active", to_line(fact("violin one"))), ("archive", to_line(fact("violin two")))])
        index.put_messages("s.jsonl", [message("violin three")])
        index.put_note("memory/2026-02-03.md", "violin four")
        for scope, name in (("memory", "one"), ("archive", "two"), ("session", "three"), ("note", "four")):
            assert texts(index, "violin", scope) == [f"violin {name}"]
        assert len(found(index, "violin")) == 4


# The order of filling


def test_messages_are_indexed_once_and_as_they_are_last() -> None:
    with holding("old words") as index:
        index.put_messages("sessions/s.jsonl", [message("old words", "0"), message("old words", "0")])
        assert texts(index, "old") == ["old words"]
        index.put_messages("sessions/s.jsonl", [message("new words", "0")])
        assert texts(index, "words") == ["new words"]
        assert texts(index, "old") == []


def test_a_memory_that_moves_leaves_its_pool() -> None:
    record = fact("violin")
    with Index.in_memory(CONFIG) as index:
        index.put_memories([("active", to_line(record))])
        index.put_memories([("archive", to_line(record))])
        assert texts(index, "violin", "memory") == []
        assert texts(index, "violin", "archive") == ["violin"]
        assert index.at(NOW).ranked() == []
        index.drop_memories([record.id, "f_20260101_nowhere"])
        assert texts(index, "violin", "archive") == []


Plan = list[tuple[int, Pool, str]]
PLANS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(POOLS), CJK), max_size=12)


def fill(index: Index, plan: Plan) -> None:
    """Every kind of thing, one by one: later ones take the place of earlier ones with the same number."""
    for number, pool, text in plan:
        record = fact("same", number, value=text, entities=(text[:1], "Ana"), score=0.4)
        index.put_memories([(pool, to_line(record))])
        index.put_messages(f"sessions/{pool}.jsonl", [message(text, "1", f"s{number}")])
        index.put_note(f"memory/{number}.md", f"# {text}\n\n{text}")


@settings(max_examples=50)
@given(PLANS, st.randoms(use_true_random=False))
def test_what_was_put_in_decides_the_content_and_not_the_way(plan: Plan, random: st.DataObject) -> None:
    last = list({number: (number, pool, text) for number, pool, text in plan}.values())
    random.shuffle(last)
    with Index.in_memory(CONFIG) as grown, Index.in_memory(CONFIG) as fresh:
        fill(grown, plan)
        extra = fact("gone again", 99)
        grown.put_memories([("active", to_line(extra))])
        grown.put_note("memory/gone.md", "gone")
        grown.drop_memories([extra.id])
        grown.drop_note("memory/gone.md")
        fill(fresh, last)
        assert b"".join(grown.content()) == b"".join(fresh.content())
        for query in ("猫", "喜欢", "Ana same"):
            assert found(grown, query) == found(fresh, query)


def test_equals_at_the_limit_do_not_depend_on_the_order() -> None:
    many = [message("ok thanks", "1", f"s{number:03}") for number in range(400)]
    with Index.in_memory(CONFIG) as one, Index.in_memory(CONFIG) as other:
        one.put_messages("s.jsonl", many)
        other.put_messages("s.jsonl", reversed(many))
        assert [unit.key for unit in found(one, "thanks")][:5] == [f"s{number:03}:1" for number in range(5)]
        assert found(other, "thanks") == found(one, "thanks")


# The snapshot's questions

SCORES = st.floats(0, 1).map(lambda value: round(value, 6))
MEMORIES = st.lists(
    st.tuples(SCORES, SCORES, st.integers(-40, 400), st.sampled_from(["health", "food"]), st.booleans(), st.booleans()),
    max_size=12,
)


@given(MEMORIES)
def test_ranked_is_the_order_of_the_effective_scores(rows: list[tuple[float, float, int, str, bool, bool]]) -> None:
    records = []
    for number, (score, importance, age, category, pinned, belief) in enumerate(rows):
        scored_at = (NOW - timedelta(days=age)).strftime("%Y-%m-%dT%H:%M:%SZ")
        more = {"score": score, "importance": importance, "category": category, "pinned": pinned}
        records.append(fact("x", number, Belief if belief else Fact, scored_at=scored_at, **more))
    with Index.in_memory(CONFIG) as index:
        index.put_memories(("active", to_line(record)) for record in records)
        found = index.at(NOW).ranked()
        only = index.at(NOW).ranked(2, categories=["food"])
    expected = {record.id: retention.effective(record, NOW, CONFIG) for record in records}
    assert {each.id: each.score for each in found} == pytest.approx(expected, abs=1e-8)
    scores = [expected[each.id] for each in found]
    assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-8)
    by_id = {record.id: record for record in records}
    assert [each.line for each in found] == [to_line(by_id[each.id]) for each in found]
    food = [each for each in found if by_id[each.id].category == "food"]
    assert only == food[:2]


HOURS = st.integers(0, 9)


@given(st.lists(st.tuples(st.sampled_from("abc"), HOURS, HOURS), min_size=1, max_size=12), st.integers(1, 12))
@settings(deadline=None)
def test_the_latest_are_those_said_last_whenever_their_sessions_ended(
    said: list[tuple[str, int, int]], limit: int
) -> None:
    def put(index: Index, stamps: list[int]) -> None:
        for number, ((session, *_), hour) in enumerate(zip(said, stamps, strict=True)):
            stamp = f"2026-02-03T0{hour}:00:00Z"
            row = Message(session, f"{number:02}", "user", "", stamp, f"tea {hour}")
            index.put_messages(f"sessions/{session}.jsonl", [row])

    with Index.in_memory(CONFIG) as index:
        index.put_memories([("active", to_line(fact("tea", said_at="2026-02-03T04:00:00Z")))])
        put(index, [first for _, first, _ in said])
        put(index, [last for *_, last in said])  # corrected since
        units = index.units(index.holders("tea", SCOPES))
        newest = sorted(units, key=lambda number: (number >> SCOPE_BITS, units[number].key))
        newest.sort(key=lambda number: units[number].said_at, reverse=True)
        assert index.sessions.latest(list(units), limit) == newest[:limit]


def test_of_very_many_in_one_session_too_the_latest_are_those_said_last() -> None:
    said = [
        Message("s", f"{number:03}", "user", "", f"2026-02-03T0{number * 7 % 10}:00:00Z", "tea")
        for number in range(300)
    ]
    with Index.in_memory(CONFIG) as index:
        index.put_messages("sessions/s.jsonl", said)
        latest = index.units(index.sessions.latest(index.holders("tea", SCOPES), 25))
    at_nine = [message.ref for message in said if message.said_at[12] == "9"]
    assert [unit.key for unit in latest.values()] == at_nine[:25]


def test_ranked_within_a_time() -> None:
    days = ["2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z", "2026-02-03T00:00:00Z"]
    records = [fact("x", number, said_at=day) for number, day in enumerate(days)]
    with Index.in_memory(CONFIG) as index:
        index.put_memories(("active", to_line(record)) for record in records)
        assert [each.id for each in index.at(NOW).ranked(said=(days[1], days[2]))] == [records[1].id]


def test_counts_lines_and_lookup() -> None:
    facts = [fact(f"fact {number}", number, category=f"c{number % 2}", entities=("Ana",)) for number in range(9)]
    belief = fact("belief", 0, Belief, entities=("Ben",))
    with Index.in_memory(CONFIG) as index:
        index.put_memories([*(("active", to_line(record)) for record in facts), ("archive", to_line(belief))])
        counts = index.counts()
        assert (counts["active fact"], counts["archive belief"], counts["active summary"]) == (9, 1, 0)
        assert (counts["entities"], counts["categories"]) == (1, 2)
        for line, record in enumerate(sorted(facts, key=lambda each: each.id), 1):
            assert index.line_number(record.id) == line
        assert index.line_number(belief.id) == 1
        assert index.memories([belief.id, "f_20260101_nowhere"]) == {belief.id: ("archive", belief)}


def test_the_line_of_a_memory_far_down_its_file() -> None:
    facts = sorted((fact(f"fact {number}", number) for number in range(2_300)), key=lambda each: each.id)
    beliefs = [fact(f"belief {number}", number, Belief) for number in range(20)]
    with Index.in_memory(CONFIG) as index:
        with index.writing("one"):
            index.put_memories(("active", to_line(each)) for each in (*facts, *beliefs))
        lines = {number: index.line_number(facts[number - 1].id) for number in (1, 999, 1_000, 1_001, 2_000, 2_300)}
        assert all(line == number for number, line in lines.items())
        index.drop_memories([facts[4].id])  # every milestone after it stands for another memory now
        assert index.line_number(facts[2_299].id) == 2_299
        assert index.line_number(facts[4].id) == 0


# Notes

COUNTED = " ".join(map(str, range(900)))  # far too long for one passage
LINES = st.lists(
    st.sampled_from(["# One", "## Two", "```", "", "text", "中文一行。" * 30, COUNTED, "# not code", "- a\r"]),
    max_size=25,
)


@settings(max_examples=50)
@given(LINES)
def test_passages_stand_on_their_lines(lines: list[str]) -> None:
    found = list(passages("\n".join(lines)))
    for each in found:
        assert each.text in "\n".join(line.rstrip("\r") for line in lines[each.start - 1 : each.end])
    for number, line in enumerate(lines, 1):
        shown = [each.text for each in found if each.start <= number <= each.end]
        assert all(any(word in text.split() for text in shown) for word in line.split())


def test_passages_of_a_long_section_overlap_and_those_of_two_do_not() -> None:
    sentences = [f"Sentence {number} says something else about the old lighthouse." for number in range(60)]
    found = list(passages("\n".join(["# One", *sentences, "# Two", "end"])))
    *of_one, other = [(each.start, each.end) for each in found]
    assert len(of_one) > 1
    assert all(start < begun <= end < ended for (start, end), (begun, ended) in pairwise(of_one))
    assert (of_one[-1][1], other) == (61, (62, 63))


def test_what_ends_a_passage_is_no_passage_by_itself() -> None:
    lines = ["# One", *("word " * 20 + str(number) for number in range(14)), "# Two", "end"]
    for cut in range(1, 15):
        found = list(passages("\n".join(lines[:cut] + lines[15:])))
        assert all(later.end > each.end for each, later in pairwise(found))


def test_a_passage_knows_its_headings_and_ends_before_the_next() -> None:
    found = list(passages("intro\n# Trip\n## Food\nwe ate rice\n\n```\n# no heading\n```\n# 工作\n开会"))
    assert [(each.start, each.end, each.headings) for each in found] == [
        (1, 1, ()),
        (2, 8, ("Trip", "Food")),
        (9, 10, ("工作",)),
    ]


def test_a_note_is_found_by_its_heading_and_forgotten_when_it_goes() -> None:
    with Index.in_memory(CONFIG) as index:
        index.put_note("memory/2026-02-03.md", "# Garden\n\n" + "word " * 400 + "\n" + "roses " * 300)
        index.put_note("memory/2026-02-03.md#more.md", "roses elsewhere")
        roses = found(index, "garden roses")
        assert {unit.path for unit in roses} == {"memory/2026-02-03.md", "memory/2026-02-03.md#more.md"}
        assert roses[0].said_at == "2026-02-03T00:00:00Z"
        index.drop_note("memory/2026-02-03.md")
        assert texts(index, "roses", "note") == ["roses elsewhere"]


# The file


def build(path: Path, *texts: str) -> None:
    with Index.rebuilding(path, CONFIG, Files(), "one") as index:
        index.put_messages("s.jsonl", [message(text, str(number)) for number, text in enumerate(texts)])


def test_the_index_takes_at_most_three_times_the_room_of_the_text(tmp_path: Path) -> None:
    dice, path, size = random.Random(7), tmp_path / "search.sqlite", 0
    words = ["".join(dice.choices("aeioubdfgklmnprstvz", k=dice.randint(4, 8))) for _ in range(30_000)]
    weights = [*accumulate(1 / (rank + 20) for rank in range(len(words)))]  # most are rare, as in a language
    with Index.rebuilding(path, CONFIG, Files()) as index:
        for number in range(70):
            texts = [" ".join(dice.choices(words, cum_weights=weights, k=19)) for _ in range(30)]
            said = [message(text, f"{at}", f"s{number}") for at, text in enumerate(texts)]
            size += sum(len(each.text) for each in said)
            index.put_messages(f"sessions/s{number}.jsonl", said)
    assert path.stat().st_size <= 3 * size


def test_an_index_that_is_held_open_forgets_no_unit_it_has_to_give(tmp_path: Path) -> None:
    """More is asked for than it remembers, so that it has to forget and to read again."""
    path, texts = tmp_path / "search.sqlite", [f"Ana rows {number} times" for number in range(MOST_KEPT + 2_000)]
    build(path, *texts)
    with Index.open(path, CONFIG) as held:
        numbers = sorted(held.holders("rows", ["session"]))
        for first in (0, 4_000, 8_000, 0, 6_000):
            asked = slice(first, first + 4_000)
            assert [each.text for each in held.units(numbers[asked]).values()] == texts[asked]


def test_how_many_hold_a_common_word_is_known_until_another_writes(tmp_path: Path) -> None:
    path, scopes = tmp_path / "search.sqlite", ["session"]
    build(path, "tea one", "tea two", "tea three, 茶", "oolong")
    with Index.open(path, CONFIG) as held:
        for _ in range(2):
            held.renew()
            assert held.held("tea", scopes, 2) == ([], 3)
            assert held.held("tea", scopes, 3) == (held.holders("tea", scopes), 3)
            assert held.held("茶", scopes, 2) == (held.holders("茶", scopes), 1)
        with Index.open(path, CONFIG, write=True) as writer, writer.writing("two"):
            writer.put_messages("s.jsonl", [message("tea four", "9")])
        held.renew()
        assert held.held("tea", scopes, 2) == ([], 4)
        assert held.held("…", scopes, 2) == ([], 0)


def test_a_rebuilt_index_is_private_and_remembers_its_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "search.sqlite"
    build(path, "violin")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["search.sqlite"]
    with Index.open(path, CONFIG) as index:
        assert (index.fingerprint, texts(index, "violin")) == ("one", ["violin"])


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "Asia/Kathmandu", "America/New_York", "Pacific/Chatham"])
def test_a_day_begins_at_local_midnight(zone: str) -> None:
    config = parse_config({"timezone": zone}, "config.json")
    units, begin = Units(config), datetime(2026, 3, 8, tzinfo=UTC)  # a change of clocks in New York
    for number in range(24 * 60):
        moment = begin + timedelta(minutes=number)
        assert units.day(clock.stamp(moment)) == moment.astimezone(config.zone).date().isoformat()
    assert units.day("") == units.day("soon") == ""


def test_reading_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(StaleIndexError):
        Index.open(tmp_path / "search.sqlite", CONFIG)
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "search.sqlite"
    build(path, "violin")
    before = path.read_bytes()
    with pytest.raises(KeyError), Index.rebuilding(path, CONFIG, Files()):
        raise KeyError
    with pytest.raises(KeyError), Index.open(path, CONFIG, write=True) as index, index.writing("two"):
        index.put_messages("s.jsonl", [message("cello", "9")])
        raise KeyError
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["search.sqlite"]


def test_a_reader_beside_a_writer_sees_the_night_before_or_after(tmp_path: Path) -> None:
    path = tmp_path / "search.sqlite"
    build(path, "violin")
    with Index.open(path, CONFIG, write=True) as writer, Index.open(path, CONFIG) as reader:
        with writer.writing("two"):
            writer.put_messages("s.jsonl", [message("cello " * 50, str(number)) for number in range(5_000)])
            assert texts(reader, "cello") == []
            assert texts(reader, "violin") == ["violin"]
        assert len(texts(reader, "cello")) == 10
        assert reader.fingerprint == "two"


def test_one_reading_is_answered_by_one_state_and_ends_with_whatever_it_was_for(tmp_path: Path) -> None:
    path = tmp_path / "search.sqlite"
    build(path, "violin")
    with Index.open(path, CONFIG, write=True, wait=0.01) as writer, Index.open(path, CONFIG) as reader:
        with pytest.raises(KeyError), reader.reading():
            assert texts(reader, "violin") == ["violin"]
            with pytest.raises(LockedError), writer.writing("two"):
                writer.put_messages("s.jsonl", [message("cello", "9")])
            assert texts(reader, "cello") == []
            raise KeyError
        with writer.writing("two"):
            writer.put_messages("s.jsonl", [message("cello", "9")])
        with reader.reading(), reader.reading():
            assert texts(reader, "cello") == ["cello"]


def test_the_journal_of_a_killed_writer_does_not_touch_the_next_index(tmp_path: Path) -> None:
    path, journal = tmp_path / "search.sqlite", tmp_path / "search.sqlite-journal"
    build(path, *("violin " * 50 for _ in range(200)))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as killed:
        killed.execute("PRAGMA cache_size=1")  # so that it writes before it commits
        killed.execute("BEGIN")
        killed.execute("UPDATE unit SET text = 'changed'")
        torn, left = path.read_bytes(), journal.read_bytes()
    path.write_bytes(torn)
    journal.write_bytes(left)
    with Index.open(path, CONFIG) as index:  # undone, as SQLite does it
        assert texts(index, "violin")[0] == "violin " * 50
    path.write_bytes(torn)
    journal.write_bytes(left)
    build(path, *("flute " * 50 for _ in range(200)))
    assert not journal.exists()
    with Index.open(path, CONFIG) as index:
        assert (texts(index, "flute")[0], texts(index, "violin")) == ("flute " * 50, [])


@pytest.mark.parametrize("change", [{"timezone": "Asia/Shanghai"}, {"decay_rates": {"fact": 0.5}}])
def test_another_configuration_makes_it_stale(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "search.sqlite"
    build(path, "violin")
    with pytest.raises(StaleIndexError):
        Index.open(path, parse_config(change, "config.json"))


@pytest.mark.parametrize("data", [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 5_000])
def test_what_is_no_index_is_stale(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "search.sqlite"
    path.write_bytes(data)
    with pytest.raises(StaleIndexError):
        Index.open(path, CONFIG)
    path.unlink()
    path.symlink_to(tmp_path)
    with pytest.raises(StaleIndexError):
        Index.open(path, CONFIG)


def test_damage_that_is_no_text_is_damage_too(tmp_path: Path) -> None:
    path = tmp_path / "search.sqlite"
    build(path, "violin lesson")
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE meta", b"CREATE TABL\x94 meta"))
    with pytest.raises(StaleIndexError), Index.open(path, CONFIG) as index:
        found(index, "violin", ["session"])


def test_a_damaged_page_is_noticed_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "search.sqlite"
    build(path, *("violin lesson " * 40 for _ in range(50)))
    whole = path.read_bytes()
    stale = 0
    for start in range(0, len(whole), 4096):
        path.write_bytes(whole[:start] + b"\xaa" * 4096 + whole[start + 4096 :])
        try:
            with Index.open(path, CONFIG) as index:
                found(index, "violin", ["session"])
        except StaleIndexError:
            stale += 1
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StaleIndexError), Index.open(path, CONFIG) as index:
        found(index, "violin", ["session"])
    assert stale >= 5
