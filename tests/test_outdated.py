"""What somebody moves, calls off, ends or corrects makes older words about the same thing outdated, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from spoken import night
from workspaces import at, consolidate, make, memories, problems, say

from memory_system import finder, forgetting
from memory_system.nights import derive
from memory_system.nights.night import retires_fact
from memory_system.phases import extract, facts, revising, summaries
from memory_system.phases.extract import CERTAIN, Listening
from memory_system.records import Fact, successor_of
from memory_system.store.draft import Draft
from memory_system.store.journal import Change
from memory_system.turns import Claim, Message, Segment, Turn
from memory_system.understand.judge import CHANGES, SCALE
from memory_system.upkeep import correct, explain, undo
from memory_system.workspace import Workspace

NOW = "2026-03-20T12:00:00Z"
Said = tuple[str, str] | tuple[str, str, str]  # what was said, as what it is kept, and what it changes


@pytest.fixture
def empty(tmp_path: Path) -> Iterable[Draft]:
    make(tmp_path)
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        yield Draft(ws.store)


def sums_of(change: str) -> tuple[int, ...]:
    """What a judge makes of words that surely do that to something, and nothing else."""
    return tuple(4 * SCALE if each == change else -4 * SCALE for each in CHANGES)


def claims_of(number: int, said: Said, *, session: str = "", names: Iterable[str] = ()) -> list[Claim]:
    """What is read in words of a day of March 2026 (the 2nd is a Monday), as the judge might mark them."""
    text, keep, change = (*said, "")[:3]
    message = Message(session or f"s{number}", f"e{number}", "user", "", f"2026-03-{1 + number:02}T10:00:00Z", text)
    segment = Segment(0, len(text), keep, "asserted", change, 0.5, CERTAIN, changes=sums_of(change))
    known = {name: name for name in names}
    return list(extract.read(Turn(message, [segment]), night(), Listening(known)))


def outdated(draft: Draft, *said: Said, session: str = "", names: Iterable[str] = ()) -> list[str]:
    """What was said day after day, and stands no more in the end: outdated, or superseded in its slot."""
    for number, each in enumerate(said, 1):
        for claim in claims_of(number, each, session=session, names=names):
            facts.settle(claim, draft, night())
    records = [draft.get(each) for each in draft.changed]
    return [each.evidence[0].quote for each in records if each and (each.outdated_by or each.superseded_by)]


CHANGED = [
    (("my flight to Berlin is on thursday", "plan"), ("flight got moved to friday", "plan", "moves")),
    (
        ("I have a dentist appointment on Tuesday at 3pm with Dr. Lane.", "plan"),
        ("The dentist appointment got pushed to Friday.", "plan", "moves"),
    ),
    (("Recital on March 14 at the Old Library.", "event"), ("The recital is on the 21st now.", "plan", "moves")),
    (("We're going to Lisbon in May with Ana for a week.", "plan"), ("The Lisbon trip is off.", "plan", "cancels")),
    (("I pay for Streamly, the premium plan.", "profile"), ("I cancelled Streamly yesterday.", "profile", "cancels")),
    (("I sing in the Harbour choir on Mondays.", "preference"), ("I quit the choir.", "profile", "ends")),
    (("my mum's knee surgery is on March 20", "plan"), ("mum's surgery got moved to april 2", "plan", "moves")),
    (
        ("Tilda starts at the harbour office next week.", "event"),
        ("I got that wrong, it's the harbour school.", "event", "corrects"),
    ),
    (("我3月20号要做白内障手术。", "plan"), ("白内障手术改到4月2号了。", "plan", "moves")),
    (("我爸3月20号做白内障手术。", "plan"), ("手术改到4月2号了。", "plan", "moves")),
    (("五一我们打算去厦门玩，住鼓浪屿。", "plan"), ("厦门不去了。", "plan", "cancels")),
    (("我办了乐刻的健身月卡，每周去三次。", "profile"), ("乐刻的卡我退了。", "profile", "ends")),
    (("周五约了牙医看智齿。", "plan"), ("牙医改到下周二了。", "plan", "moves")),
    (("我在青禾合唱团唱女低音。", "profile"), ("合唱团我退出了。", "profile", "ends")),
]


@pytest.mark.parametrize(("first", "then"), CHANGED, ids=lambda each: each[0])
def test_what_is_moved_called_off_or_ended_is_outdated(empty: Draft, first: Said, then: Said) -> None:
    assert outdated(empty, first, then, names=["Tilda"]) == [first[0]]


STANDING = [
    # another person's
    (("my sister's flight is on Thursday", "plan"), ("my flight got moved to friday", "plan", "moves")),
    (("my dad's surgery is on March 20", "plan"), ("my mum's surgery got moved to april 2", "plan", "moves")),
    (("I'm having knee surgery on March 20", "plan"), ("my mum's surgery got moved to april 2", "plan", "moves")),
    (("Tom's interview is on Thursday.", "plan"), ("My interview got moved to Friday.", "plan", "moves")),
    (("我爸3月20号做白内障手术。", "plan"), ("我妈的手术改到4月2号了。", "plan", "moves")),
    (("我的面试在周四下午。", "plan"), ("我老婆的面试改到周五了。", "plan", "moves")),
    # another topic with a common word
    (("I work in the new office by the river.", "profile"), ("The work trip is off.", "plan", "cancels")),
    (("I have a doctor friend in Leeds.", "relation"), ("The doctor called, it's Friday now.", "plan", "moves")),
    (("dinner at home with Ana on Friday", "plan"), ("Ana cancelled the climbing.", "plan", "cancels")),
    (("周五晚上跟老师吃饭。", "plan"), ("老师说家长会取消了。", "plan", "cancels")),
    (("医生说我要少喝咖啡。", "health"), ("医院那边的体检改期了。", "plan", "moves")),
    # words about much, of which one is the same
    (
        ("Please write for the family that I cannot eat buckwheat, because of anaphylaxis.", "health"),
        ("I said no and Rosie cried, so now there is a red card on the fridge: NO BUCKWHEAT.", "health", "ends"),
    ),
    (
        ("The grant is for the mobile library, two years.", "project"),
        ("The board wants the grant by the 19th now.", "plan", "moves"),
    ),
    (
        ("脚拇趾半夜疼过一回，疼得我直骂街。", "health"),
        ("啤酒戒了，烧烤一个月一回，过得跟坐牢似的，骂街也不许骂街。", "profile", "ends"),
    ),
    # what has happened
    (("I went to the dentist last week: fillings.", "event"), ("The dentist got moved to Friday.", "plan", "moves")),
    (("We had a lovely trip to Lisbon in 2019.", "event"), ("The Lisbon trip is off.", "plan", "cancels")),
    (("上个月去看了牙医，补了两颗牙。", "event"), ("牙医改到下周二了。", "plan", "moves")),
    # a later plan that changes nothing, a question and a maybe
    (("The dentist is on Tuesday.", "plan"), ("The dentist is on Friday.", "plan")),
    (("周二去看牙医。", "plan"), ("周五去看牙医。", "plan")),
    # a place that has the name of what is called off, and the name of who calls
    (("I love Lisbon, the light there.", "preference"), ("The Lisbon trip is off.", "plan", "cancels")),
    (("My sister lives in Lisbon.", "relation"), ("The Lisbon trip is off.", "plan", "cancels")),
    (("Lunch with Ana and Bo at the pier on Friday.", "plan"), ("Bo cancelled the climbing.", "plan", "cancels")),
]


@pytest.mark.parametrize(("first", "then"), STANDING, ids=lambda each: each[0])
def test_what_only_looks_alike_stands(empty: Draft, first: Said, then: Said) -> None:
    assert outdated(empty, first, then) == []


@pytest.mark.parametrize(
    "said",
    [
        [
            ("My dentist appointment is on Thursday.", "plan"),
            ("The kids' dentist appointment is on Friday.", "plan"),
            ("The dentist appointment got moved to Monday.", "plan", "moves"),
        ],
        [
            ("周四下午产品面试。", "plan"),
            ("周五上午技术面试。", "plan"),
            ("面试改到下周一了。", "plan", "moves"),
        ],
    ],
)
def test_where_it_is_not_certain_which_is_meant_all_stand(empty: Draft, said: list[Said]) -> None:
    assert outdated(empty, *said) == []


@pytest.mark.parametrize(
    "said",
    [
        [
            ("The exam is on the 12th in the Morrow building.", "plan"),
            ("Must not forget the exam on the 12th!", "plan"),
            ("Bought new boots.", "event"),
            ("They moved the exam to the 19th.", "plan", "moves"),
        ],
        [
            ("3月12号考科目三，在城北驾校。", "plan"),
            ("提醒自己12号考科目三。", "plan"),
            ("买了双靴子。", "event"),
            ("科目三改到3月19号了。", "plan", "moves"),
        ],
    ],
)
def test_all_that_was_said_of_the_same_day_is_outdated(empty: Draft, said: list[Said]) -> None:
    assert sorted(outdated(empty, *said)) == sorted([said[0][0], said[1][0]])


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        (
            [
                ("Tilda starts at the harbour on Wednesday.", "event"),
                ("Sorry, I meant Thursday, not Wednesday.", "plan", "corrects"),
            ],
            True,
        ),
        (
            [
                ("Tilda starts at the harbour on Wednesday.", "event"),
                ("The choir sings on Wednesday.", "event"),
                ("Sorry, I meant Thursday, not Wednesday.", "plan", "corrects"),
            ],
            False,
        ),
        ([("面试是周三下午两点。", "plan"), ("说错了，是周四，不是周三。", "plan", "corrects")], True),
        ([("面试3月15号。", "plan"), ("不对，是16号，不是15号。", "plan", "moves")], True),
    ],
)
def test_a_slip_that_names_only_the_wrong_time_is_put_right_in_its_session(
    empty: Draft, said: list[Said], gone: bool
) -> None:
    assert outdated(empty, *said, session="s") == ([said[0][0]] if gone else [])


def test_a_slip_of_another_session_is_nobodys(empty: Draft) -> None:
    said = [
        ("Tilda starts at the harbour on Wednesday.", "event"),
        ("Sorry, I meant Thursday, not Wednesday.", "plan", "corrects"),
    ]
    assert outdated(empty, *said) == []


@pytest.mark.parametrize(
    ("first", "asked", "then"),
    [
        ("Recital on March 14 at the Old Library.", "How is the recital coming along?", "It got moved to the 21st."),
        ("3月14号在老图书馆有演奏会。", "演奏会准备得怎么样了？", "改到21号了。"),
    ],
)
def test_what_leans_on_a_question_means_what_that_asks_about(empty: Draft, first: str, asked: str, then: str) -> None:
    outdated(empty, (first, "event"))
    message = Message("t", "e9", "user", "", "2026-03-05T10:00:00Z", then)
    segment = Segment(0, len(then), "plan", "asserted", "moves", 0.5, CERTAIN, changes=sums_of("moves"))
    for claim in extract.read(Turn(message, [segment], asked, "t:e8"), night(), Listening({})):
        facts.settle(claim, empty, night())
    (older,) = [each for each in map(empty.get, empty.changed) if each and (each.outdated_by or each.superseded_by)]
    assert older.evidence[0].quote == first


def test_what_is_moved_twice_leads_to_where_it_stands(empty: Draft) -> None:
    said = [
        ("The recital with the brass band is on March 10.", "plan"),
        ("The recital got moved to March 14.", "plan", "moves"),
        ("The brass band recital is on March 21 now.", "plan", "moves"),
    ]
    assert len(outdated(empty, *said)) == 2
    by_day = {each.evidence[0].ref: each for each in map(empty.get, empty.changed) if each}
    assert successor_of(vars(by_day["s1:e1"])) == by_day["s2:e2"].id
    assert successor_of(vars(by_day["s2:e2"])) == by_day["s3:e3"].id


def test_what_is_said_again_later_stands_again(empty: Draft) -> None:
    first = ("The regatta is at the north pier.", "plan")
    assert outdated(empty, first, ("The regatta moved to the lake.", "plan", "moves")) == [first[0]]
    (claim,) = claims_of(7, first)
    facts.settle(claim, empty, night())
    assert not [each for each in map(empty.get, empty.active(Fact)) if each and each.outdated_by]


def test_what_the_owner_has_set_or_pinned_stands(empty: Draft) -> None:
    outdated(empty, ("The recital is on March 14.", "plan"))
    (known,) = map(empty.get, empty.active(Fact))
    for changed in ({"edited": ("content",)}, {"pinned": True}):
        draft = Draft(empty)
        draft.put("active", known.model_copy(update=changed), "edited")
        (claim,) = claims_of(5, ("The recital is on March 21 now.", "plan", "moves"))
        assert not any(revising.meant(claim, draft, night()))


@pytest.mark.parametrize("changed", [{"stance": "ask"}, {"stance": "hedged"}, {"role": "assistant"}, {"speaker": "Bo"}])
def test_only_the_owners_earnest_word_makes_it_outdated(empty: Draft, changed: dict[str, Any]) -> None:
    outdated(empty, ("The recital is on March 14.", "plan"))
    (claim,) = claims_of(5, ("The recital is on March 21 now.", "plan", "moves"))
    for name, value in changed.items():
        setattr(claim, name, value)
    assert not any(revising.meant(claim, empty, night()))


# Appointments that fill a slot


def appointment(number: int, value: str, day: str, change: str = "", **more: Any) -> Claim:
    (quote,) = claims_of(number, (f"{value} {day}".strip(), "plan", change))
    quote.content, quote.form = f"User has an appointment: {value}", "claim"
    quote.attribute, quote.value, quote.category, quote.entities = "appointment", value, "schedule", ("User",)
    for name, changed in more.items():
        setattr(quote, name, changed)
    return quote


def stand(draft: Draft, *said: Claim) -> list[tuple[str, str]]:
    for each in said:
        facts.settle(each, draft, night())
    found = [each for each in map(draft.get, draft.active(Fact)) if each and not each.outdated_by]
    return sorted((each.value, each.event_time.start[:10] if each.event_time else "") for each in found)


def test_an_appointment_that_is_moved_takes_the_old_ones_place(empty: Draft) -> None:
    old, new = appointment(1, "dentist", "on March 10"), appointment(2, "dentist", "on March 17", "moves")
    other = appointment(1, "optician", "on March 11")
    assert stand(empty, old, other, new) == [("dentist", "2026-03-17"), ("optician", "2026-03-11")]
    (fact,) = [each for each in map(empty.get, empty.active(Fact)) if each and each.value == "dentist"]
    assert [each.content for each in fact.history] == ["User has an appointment: dentist"]


def test_an_appointment_that_is_called_off_is_over(empty: Draft) -> None:
    off = appointment(3, "dentist", "", "cancels", polarity=False, content="cancelled for User: dentist")
    assert stand(empty, appointment(1, "dentist", "on March 10"), off) == [("dentist", "")]
    (fact,) = map(empty.get, empty.active(Fact))
    assert fact is not None
    assert not fact.polarity


def test_the_next_appointment_of_the_kind_is_another_one(empty: Draft) -> None:
    both = appointment(1, "dentist", "on March 4"), appointment(9, "dentist", "on March 18")
    assert stand(empty, *both) == [("dentist", "2026-03-04"), ("dentist", "2026-03-18")]


def test_what_was_over_is_not_called_off(empty: Draft) -> None:
    off = appointment(9, "dentist", "", "cancels", polarity=False, content="cancelled for User: dentist")
    assert ("dentist", "2026-03-04") in stand(empty, appointment(1, "dentist", "on March 4"), off)


def test_a_claim_makes_the_words_about_the_same_thing_outdated(empty: Draft) -> None:
    outdated(empty, ("The dentist is on March 10, I'm scared.", "plan"))
    assert stand(empty, appointment(3, "dentist", "on March 17", "moves")) == [("dentist", "2026-03-17")]


def test_words_make_an_appointment_outdated(empty: Draft) -> None:
    stand(empty, appointment(1, "dentist", "on March 10"))
    (claim,) = claims_of(4, ("The dentist can't do it, it's March 17 now.", "plan", "moves"))
    facts.settle(claim, empty, night())
    assert [each.value for each in map(empty.get, empty.active(Fact)) if each and each.outdated_by] == ["dentist"]


def test_a_claim_and_a_quote_of_one_message_change_one_thing(empty: Draft) -> None:
    first = ("The dentist with Dr. Lane is on March 10.", "plan")
    older = [appointment(1, "dentist with Dr. Lane", "on March 10"), *claims_of(1, first)]
    others = claims_of(2, ("The kids see the dentist on March 12.", "plan"))
    newer = claims_of(3, ("The dentist with Dr. Lane is on March 17 now.", "plan", "moves"))
    stand(empty, *older, *others, appointment(3, "dentist with Dr. Lane", "on March 17", "moves"), *newer)
    gone = {each.evidence[0].quote for each in map(empty.get, empty.active(Fact)) if each and each.outdated_by}
    assert gone == {first[0]}


# The whole program

TALKS = {
    "en": (
        ["The recital with the brass band is on March 14 at the Old Library.", "I live in Porto."],
        ["The recital has been moved to the 21st."],
        "recital",
    ),
    "zh": (
        ["五一我们打算去厦门玩，住鼓浪屿的民宿。", "我住在杭州。"],
        ["厦门不去了，五一取消了。"],
        "厦门",
    ),
}


def lived(root: Path, lang: str) -> tuple[Fact, Fact]:
    """A workspace in which something was moved or called off; the outdated memory and the newer one."""
    make(root)
    for number, texts in enumerate(TALKS[lang][:2]):
        rows = [(f"2026-03-{2 + 2 * number:02}T10:0{minute}:00Z", "user", text) for minute, text in enumerate(texts)]
        say(root, f"s{number}", *rows)
        consolidate(root, f"2026-03-{3 + 2 * number:02}T12:00:00Z")
    (older,) = [each for each in memories(root) if each.outdated_by]
    (newer,) = [each for each in memories(root) if each.id == older.outdated_by]
    return older, newer


def search(root: Path, query: str, **options: Any) -> list[dict[str, Any]]:
    with Workspace.open(root, now=at(NOW)) as ws:
        return list(finder.search(ws, query, **options)["results"])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_search_shows_the_newer_one_right_before(tmp_path: Path, lang: str) -> None:
    older, newer = lived(tmp_path, lang)
    for scope in ("all", "memories"):
        rows = search(tmp_path, TALKS[lang][2], scope=scope)
        ids = [row["id"] for row in rows]
        assert ids.index(older.id) == ids.index(newer.id) + 1
        row = rows[ids.index(older.id)]
        assert row["outdated_by"] == newer.id
        assert newer.content in row["outdated"]
        assert row["text"] == older.told
        assert [each["score"] for each in rows] == sorted((each["score"] for each in rows), reverse=True)
    assert [row["id"] for row in search(tmp_path, TALKS[lang][2], limit=1)] == [newer.id]


def test_the_newer_one_comes_even_where_it_was_not_found(tmp_path: Path) -> None:
    older, newer = lived(tmp_path, "zh")
    rows = search(tmp_path, "鼓浪屿 民宿", scope="memories")
    assert [row["id"] for row in rows][:2] == [newer.id, older.id]
    assert [row["id"] for row in search(tmp_path, "鼓浪屿 民宿", scope="memories", limit=1)] == [newer.id]


def test_only_what_is_asked_for_stands_in_its_place(tmp_path: Path) -> None:
    older, newer = lived(tmp_path, "zh")
    said = at(newer.said_at).date()
    rows = search(tmp_path, "鼓浪屿 民宿", until=at(older.said_at).date())
    assert newer.id not in {row["id"] for row in rows}
    assert older.id not in {row["id"] for row in search(tmp_path, "厦门", since=said)}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_context_gives_it_only_with_the_newer_one(tmp_path: Path, lang: str) -> None:
    older, newer = lived(tmp_path, lang)
    for budget in (600, 120, 60, 40):
        with Workspace.open(tmp_path, now=at(NOW)) as ws:
            found = finder.context(ws, TALKS[lang][2], budget=budget)
        ids = [each["id"] for each in found["items"]]
        assert found["tokens"] <= budget
        assert older.id not in ids or ids.index(newer.id) == ids.index(older.id) - 1
        assert newer.id in ids or not ids


def test_get_and_why_tell_it(tmp_path: Path) -> None:
    older, newer = lived(tmp_path, "en")
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        found = finder.get(ws, older.id)
        assert (found["outdated_by"], found["text"]) == (newer.id, older.told)
        assert "outdated_by" not in finder.get(ws, newer.id)


def test_it_leaves_the_topics_summary(empty: Draft) -> None:
    said = [
        (f"The {what} is held by the parish, we rehearse in {where}.", "project")
        for what, where in (("recital", "Morrow hall"), ("pageant", "the crypt"), ("regatta", "Dover"))
    ]
    outdated(empty, *said)
    assert summaries.run([empty], empty, night()).changed
    (claim,) = claims_of(9, ("The recital is off.", "plan", "cancels"))
    facts.settle(claim, empty, night())
    told = [line for _, line, _ in summaries.run([empty], empty, night()).changed.values()]
    assert not [line for line in told if b"recital is held" in line]


# The way back


def again(root: Path) -> Fact:
    """The memory that was outdated, as it is now."""
    (found,) = [each for each in memories(root) if each.evidence[0].quote == TALKS["en"][0][0]]
    return found


def undo_run(ws: Workspace, newer: Fact) -> None:
    undo.rollback(ws, f"#{ws.journal.head().seq}")


def forget_it(ws: Workspace, newer: Fact) -> None:
    forgetting.forget(ws, forgetting.plan_of(ws, forgetting.Selection(ids=(newer.id,))))


def put_away(ws: Workspace, newer: Fact) -> None:
    correct.archive(ws, newer.id)


WAYS_BACK = {"rollback": undo_run, "forget": forget_it, "archive": put_away}


@pytest.mark.parametrize("way", WAYS_BACK.values(), ids=WAYS_BACK)
def test_it_stands_again_without_the_newer_one(tmp_path: Path, way: Callable[[Workspace, Fact], None]) -> None:
    older, newer = lived(tmp_path, "en")
    with Workspace.open(tmp_path, now=at("2026-03-05T13:00:00Z"), write=True) as ws:
        way(ws, newer)
    assert again(tmp_path).outdated_by is None
    rows = search(tmp_path, TALKS["en"][2], scope="memories")
    assert [row["id"] for row in rows] == [older.id]
    assert "outdated_by" not in rows[0]
    assert problems(tmp_path, "2026-03-05T14:00:00Z") == []


def test_a_line_taken_out_by_hand_makes_nothing_outdated(tmp_path: Path) -> None:
    _, newer = lived(tmp_path, "en")
    path = tmp_path / "memory/layer2/active/facts.jsonl"
    path.write_bytes(
        b"".join(line for line in path.read_bytes().splitlines(True) if newer.id.encode() not in line[:40])
    )
    with Workspace.open(tmp_path, now=at("2026-03-05T13:00:00Z"), write=True) as ws:
        assert ws.taken_over is not None
        derive.catch_up(ws)
    assert again(tmp_path).outdated_by is None
    assert problems(tmp_path, "2026-03-05T14:00:00Z") == []


def test_what_the_owner_says_anew_is_outdated_no_more(tmp_path: Path) -> None:
    older, _ = lived(tmp_path, "en")
    with Workspace.open(tmp_path, now=at("2026-03-05T13:00:00Z"), write=True) as ws:
        edited = correct.edit(ws, older.id, {"content": "The recital is on March 14 after all"})
        assert edited.outdated_by is None


def test_what_was_put_away_and_is_brought_back_stands(tmp_path: Path) -> None:
    older, _ = lived(tmp_path, "en")
    with Workspace.open(tmp_path, now=at("2026-03-05T13:00:00Z"), write=True) as ws:
        correct.archive(ws, older.id)
        assert correct.restore(ws, older.id).outdated_by is None


def test_to_put_away_what_is_outdated_changes_nothing_else(tmp_path: Path) -> None:
    older, newer = lived(tmp_path, "en")
    with Workspace.open(tmp_path, now=at("2026-03-05T13:00:00Z"), write=True) as ws:
        correct.archive(ws, older.id)
        assert ws.store.get(newer.id) == newer


def test_too_much_outdated_in_one_night_stops_it() -> None:
    line = b'{"id":"f_20260303_0123456789","content":"x","importance":0.5,"score":0.5}\n'
    change = Change("f_20260303_0123456789", "moved", "active", line, "active", line)
    assert retires_fact(change)
    assert not retires_fact(replace(change, why="confirmed"))


@pytest.mark.parametrize(
    "said",
    [
        (
            "I take sertraline every morning.",
            "The doctor put my sertraline up to 100 mg.",
            "The doctor took me off sertraline.",
        ),
        ("我对青霉素过敏，每天早上吃优甲乐。", "医生把优甲乐加到100微克了。", "优甲乐停了。"),
    ],
)
def test_a_medicine_that_is_stopped_is_taken_no_more_nor_is_its_dose(said: tuple[str, ...], tmp_path: Path) -> None:
    make(tmp_path)
    for day, each in enumerate(said, 3):
        say(tmp_path, f"s{day}", (f"2026-03-0{day}T10:00:00Z", "user", each))
        consolidate(tmp_path, f"2026-03-0{day + 1}T12:00:00Z")
    slots = {(each.attribute, each.polarity) for each in memories(tmp_path) if each.form == "claim"}
    assert ("medication", False) in slots
    assert ("medication", True) not in slots
    assert not [name for name, _ in slots if name.startswith("dose")]


def test_a_medicine_beside_which_another_is_named_is_not_stopped_for_who_takes_that(tmp_path: Path) -> None:
    make(tmp_path)
    for day, words in ((3, "My mum takes warfarin."), (4, "stopped ibuprofen because of the warfarin")):
        say(tmp_path, f"s{day}", (f"2026-03-0{day}T10:00:00Z", "user", words))
        consolidate(tmp_path, f"2026-03-0{day + 1}T12:00:00Z")
    assert {(each.value, each.polarity) for each in memories(tmp_path) if each.attribute} == {("warfarin", True)}


LATER = [
    (
        "My dentist appointment is on Thursday 12 March at 10.",
        "the dentist is on Tuesday 17 March at 8:30",
    ),
    ("I take 4 mg of tizanidine at night.", "tizanidine is up to 6 mg now"),
    ("我晚上吃四毫克替扎尼定。", "替扎尼定今天吃了六毫克"),
    ("修车行约了周四12号上午十点。", "修车行说周二17号八点半有空"),
]


@pytest.mark.parametrize(("first", "then"), LATER, ids=lambda each: each)
def test_what_is_likely_otherwise_stands_and_is_shown_with_the_newer_words(
    tmp_path: Path, first: str, then: str
) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-03T10:00:00Z", "user", first))
    consolidate(tmp_path, "2026-03-04T12:00:00Z")
    say(tmp_path, "b", ("2026-03-10T10:00:00Z", "user", then))
    consolidate(tmp_path, "2026-03-11T12:00:00Z")
    older = [each for each in memories(tmp_path) if each.likely_outdated_by]
    assert older
    assert not [each for each in older if each.outdated_by]
    shown = {row["id"]: row.get("context", "") for row in search(tmp_path, first, scope="memories")}
    assert all(then[:6] in shown[each.id] for each in older)
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        lines = {each["id"]: each["line"] for each in finder.context(ws, first)["items"]}
        assert all(then[:6] in lines[each.id] for each in older)
        assert all(then[:6] in explain.why(ws, each.id)["context"] for each in older)


def test_what_was_said_later_is_shown_no_more_where_that_is_forgotten(tmp_path: Path) -> None:
    first, then = LATER[1]
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-03T10:00:00Z", "user", first))
    say(tmp_path, "b", ("2026-03-10T10:00:00Z", "user", then))
    consolidate(tmp_path, "2026-03-11T12:00:00Z")
    (newer,) = {each.likely_outdated_by for each in memories(tmp_path)} - {None}
    with Workspace.open(tmp_path, now=at(NOW), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, forgetting.Selection(ids=(newer,))))
    assert not [each for each in memories(tmp_path) if each.likely_outdated_by]
    assert problems(tmp_path, NOW) == []


CHANGED_DOSES = [  # what is said on two days, and the medicines and doses that stand in the end
    (
        ["I take levothyroxine 75 micrograms in the morning.", "Levothyroxine goes up from 75 to 100 micrograms."],
        {("user", "levothyroxine", "100 micrograms")},
    ),
    (
        [
            "I take amlodipine 10 mg. I have high blood pressure.",
            "Saw the doctor. She dropped the amlodipine back to 5 mg.",
        ],
        {("user", "amlodipine", "5 mg")},
    ),
    (
        ["我有甲减，吃优甲乐50微克。", "内分泌的医生给我加量了，优甲乐从50加到75微克。"],
        {("user", "优甲乐", "75微克")},
    ),
    (  # whose the new dose is nobody knows
        ["I take metformin 500 mg twice a day.", "My mother was at the clinic, they reduced the metformin to 250 mg."],
        {("user", "metformin", "500 mg twice a day")},
    ),
    (["The ramipril goes up to 5 mg, says the leaflet of the neighbours."], set()),
    (  # of somebody else, or nothing that has happened
        [
            "I take metformin 500 mg twice a day.",
            "Dave's metformin went up to 850 mg. They haven't put the metformin up to 850 mg yet. The price of "
            "metformin went up to 12 pounds.",
        ],
        {("user", "metformin", "500 mg twice a day")},
    ),
    (["我吃优甲乐50微克。", "医生没让优甲乐加到75微克。"], {("user", "优甲乐", "50微克")}),
]


@pytest.mark.parametrize(("said", "stand"), CHANGED_DOSES)
def test_a_new_dose_is_of_who_is_known_to_take_that(
    said: list[str], stand: set[tuple[str, str, str]], tmp_path: Path
) -> None:
    make(tmp_path)
    for number, words in enumerate(said, 1):
        say(tmp_path, f"s{number}", (f"2026-03-0{number}T10:00:00Z", "user", words))
    consolidate(tmp_path, NOW)
    doses = [each for each in memories(tmp_path) if each.attribute.startswith("dose.")]
    assert {(each.subject, each.attribute.partition(".")[2], each.value) for each in doses} == stand


@pytest.mark.parametrize(
    ("told", "changed"),
    [
        (
            "Back from the clinic, the sister did not smile. The amlodipine is stopped, the new one is enalapril, I "
            "paid two pounds to park, and the check is on Friday the 13th.",
            "The clinic moved the check from Friday the 13th to Tuesday the 17th.",
        ),
        (
            "猫的事交代一下：锚锚是三条腿的灰狸花，母的，五岁左右，只吃湿粮，对鸡肉过敏，别给它鸡肉。13号周五带它去医院打疫苗，我写个条给你。",
            "打疫苗从13号周五改到17号周二了。",
        ),
    ],
)
def test_of_several_matters_one_may_change(told: str, changed: str, empty: Draft) -> None:
    assert outdated(empty, (told, "health"), (changed, "plan", "moves")) == []
    (older,) = [each for each in map(empty.get, empty.changed) if each and told.startswith(each.evidence[0].quote)]
    assert older.likely_outdated_by


@pytest.mark.parametrize(
    "said",
    [
        ["Everyone calls me Hattie.", "Please stop calling me Hattie, I've gone off it."],
        ["Call me Bea, please.", "Don't call me Bea anymore."],
        ["叫我小宁就行。", "以后别叫我小宁了。"],
    ],
)
def test_a_nickname_can_be_taken_back(said: list[str], tmp_path: Path) -> None:
    make(tmp_path)
    for number, words in enumerate(said, 1):
        say(tmp_path, f"s{number}", (f"2026-03-0{number}T10:00:00Z", "user", words))
    consolidate(tmp_path, NOW)
    held = [each for each in memories(tmp_path) if each.attribute == "nickname" and each.polarity]
    assert held == []


DOUBTED = {
    "en": ("My boss at the bakery is Ruth.", "Ruth from the bakery has a new post in Leeds."),
    "zh": ("面包房的合唱团周二在老磨坊唱歌。", "合唱团这阵子在文化馆唱歌，周岚说的。"),
}


def in_doubt(root: Path, lang: str) -> tuple[Fact, Fact]:
    """Two days of talk, of which the second may make the first otherwise."""
    make(root)
    for day, words in zip((2, 5), DOUBTED[lang], strict=True):
        say(root, f"s{day}", (f"2026-03-{day:02}T09:00:00Z", "user", words))
        consolidate(root, f"2026-03-{day + 1:02}T12:00:00Z")
    older, newer = sorted(memories(root), key=lambda each: each.said_at)
    return older, newer


@pytest.mark.parametrize(
    ("told", "off", "left"),
    [
        (
            "I've got the dentist on Thursday and dinner with Claire on Friday.",
            "I cancelled the dinner with Claire.",
            True,
        ),
        ("周六和老周一家吃饭，周日带小宇去动物园。", "动物园不去了，取消了。", True),
        ("The dentist is on Tuesday the 10th at 3.", "The dentist has been moved to Thursday the 12th.", False),
    ],
)
def test_of_two_plans_one_is_called_off(tmp_path: Path, told: str, off: str, left: bool) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", told))
    consolidate(tmp_path, "2026-03-03T03:00:00Z")
    say(tmp_path, "b", ("2026-03-03T09:00:00Z", "user", off))
    consolidate(tmp_path, "2026-03-04T03:00:00Z")
    older = min(memories(tmp_path), key=lambda each: each.said_at)
    assert bool(older.outdated_by) is not left
    assert bool(older.likely_outdated_by) is left


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_may_be_otherwise_stays_as_it_is_and_leaves_the_snapshot(tmp_path: Path, lang: str) -> None:
    older, newer = in_doubt(tmp_path, lang)
    assert newer.doubts == (older.id,)
    assert older.version == 1
    snapshot = tmp_path / "memory/layer1/snapshot.md"
    assert older.content not in snapshot.read_text()
    with Workspace.open(tmp_path, now=at("2026-03-06T13:00:00Z"), write=True) as ws:
        undo.rollback(ws, f"#{ws.journal.head().seq}")
    assert older.content in snapshot.read_text()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_of_what_is_forgotten_stays_in_what_doubted_it(tmp_path: Path, lang: str) -> None:
    older, newer = in_doubt(tmp_path, lang)
    with Workspace.open(tmp_path, now=at("2026-03-06T13:00:00Z"), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, forgetting.Selection(ids=(older.id,))))
    assert [(each.id, each.doubts) for each in memories(tmp_path)] == [(newer.id, ())]
    assert problems(tmp_path, "2026-03-06T14:00:00Z") == []
