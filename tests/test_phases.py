"""What every phase must hold, whichever it is; a new one is enrolled by standing in `order.PHASES`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import orjson
import pytest
from spoken import claim_of, claims, pieces, said
from workspaces import at, consolidate, layers, make, memories, say

from memory_system import pipeline, text
from memory_system.nights import order
from memory_system.nights.order import Phase, Run
from memory_system.phases import Night
from memory_system.records import Belief
from memory_system.turns import Message, Segment, Turn
from memory_system.understand.claims import claims_of
from memory_system.understand.subjects import Heard
from memory_system.workspace import Workspace

NOW = at("2026-03-03T12:00:00Z")
NIGHT = at("2026-03-03T03:00:00Z")

STAGED = pytest.mark.parametrize("phase", order.STAGED, ids=lambda phase: phase.name)
DERIVED = pytest.mark.parametrize("phase", order.DERIVED, ids=lambda phase: phase.name)
EVERY = pytest.mark.parametrize("phase", order.PHASES, ids=lambda phase: phase.name)


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    make(tmp_path)
    say(tmp_path, "old", ("2026-03-01T09:00:00Z", "user", "I live in Porto. 我喜欢划船。 Maybe I will learn Danish."))
    consolidate(tmp_path, "2026-03-02T12:00:00Z")
    say(
        tmp_path, "new",
        ("2026-03-02T09:00:00Z", "user", "I moved to Lisbon. I'm allergic to peanuts. 我养了一只猫，叫年糕。"),
        ("2026-03-02T09:01:00Z", "assistant", "Congratulations!"),
        ("2026-03-02T09:02:00Z", "user", "My project is called Kelp. Kelp is written in Rust. Kelp has two users."),
    )  # fmt: skip
    with Workspace.open(tmp_path, now=NOW, write=True) as opened:
        opened.checkpoint.state.run_id = "r_test"
        yield opened


def before(phase: Phase, ws: Workspace) -> Run:
    """A night in which everything before the phase is staged."""
    run = Run(ws, Night(NIGHT, ws.config), pipeline.waiting(ws)[0].sessions_before(NIGHT))
    for each in order.STAGED:
        if each is phase:
            break
        ws.checkpoint.write_stage(each.name, each.run(run))
    return run


def files(ws: Workspace) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(ws.layout.root.rglob("*")) if path.is_file()}


@EVERY
def test_it_has_a_module_of_its_name_that_says_what_it_does(phase: Phase) -> None:
    module = import_module(f"memory_system.phases.{phase.name}")
    assert module.__doc__
    assert module.__doc__.startswith(f"Phase {phase.number}")
    assert callable(module.run)


@STAGED
def test_it_writes_nothing_itself(phase: Phase, ws: Workspace) -> None:
    run = before(phase, ws)
    there = files(ws)
    list(phase.run(run))
    assert files(ws) == there


@STAGED
def test_the_same_input_gives_the_same_output_and_counts(phase: Phase, ws: Workspace) -> None:
    run = before(phase, ws)
    counted = Counter(run.tally)
    drafts = dict(run.drafts)
    outputs, counts = [], []
    for _ in range(2):
        run.tally = Counter(counted)
        run.drafts = dict(drafts)
        outputs.append([row if isinstance(row, bytes) else orjson.dumps(row) for row in phase.run(run)])
        counts.append(Counter(run.tally))
    assert outputs[0] == outputs[1]
    assert counts[0] == counts[1]


@STAGED
def test_what_it_gives_can_be_staged_and_read_again(phase: Phase, ws: Workspace) -> None:
    run = before(phase, ws)
    ws.checkpoint.write_stage(phase.name, phase.run(run))
    assert all(isinstance(row, dict) for row in ws.checkpoint.read_stage(phase.name, dict))


def test_a_turn_that_was_staged_is_the_same_turn() -> None:
    said = Message("s", "e1", "user", "Ana", "2026-03-02T09:00:00Z", "I moved. 我搬家了。", "group")
    segments = [Segment(0, 8, "profile", "asserted", "moves", 0.8, 40), Segment(9, 14)]
    turn = Turn(said, segments, "And you?", "s:e0")
    row = orjson.loads(turn.to_line())
    assert Turn.staged(row) == turn
    assert Turn.staged(row | {"before": row["before"][:2]}).before == turn.before  # as an earlier program wrote it


@DERIVED
def test_doing_it_again_changes_nothing(phase: Phase, ws: Workspace) -> None:
    consolidate_here(ws)
    run = Run(ws, Night(NIGHT, ws.config), [])
    run.changes = list(ws.journal.entries())[-1].changes
    settled = layers(ws.layout.root)
    list(phase.run(run))
    assert layers(ws.layout.root) == settled


@DERIVED
def test_it_never_touches_the_truth(phase: Phase, ws: Workspace) -> None:
    consolidate_here(ws)
    run = Run(ws, Night(NIGHT, ws.config), [])
    run.changes = list(ws.journal.entries())[-1].changes
    truth = {path: data for path, data in files(ws).items() if {"active", "archive", "journal"} & set(path.parts)}
    list(phase.run(run))
    assert {path: data for path, data in files(ws).items() if path in truth} == truth


def consolidate_here(ws: Workspace) -> None:
    assert pipeline.consolidate(ws).nights


def test_numbers_go_up_but_for_the_profiles_which_are_made_from_the_index() -> None:
    numbers = [phase.number for phase in order.PHASES if phase.name != "entities"]
    assert numbers == sorted(numbers)
    assert {phase.number for phase in order.PHASES} == set(range(1, 8))
    assert len({phase.name for phase in order.PHASES}) == len(order.PHASES)


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (
            "we went to the market in the early morning because mum had said she wants to cook everything but peanuts"
            " for all the people of the street who come to sit with us that night and we carried it home in the big"
            " cart",
            "everything but peanuts",
        ),
        (
            "今天去医院看了内科的张医生这个医生问得很细要把以前的病史全部讲一遍我妈在旁边也说了几句我讲我对青霉素不过敏头孢也没有问题"
            "就是对海鲜不行一吃就起疹子张医生听完给开了药让先吃一个礼拜看看到了下午又打电话来讲检查结果出来没有什么大问题",
            "青霉素不过敏",
        ),
    ],
)
def test_no_thought_begins_within_a_phrase(words: str, whole: str) -> None:
    found = pieces(words)
    assert any(whole in each for each in found)
    assert not any(each.startswith("结果") for each in found)


@pytest.mark.parametrize(
    ("words", "edges"),
    [
        (
            "so the surveyor came this morning and she went right up under the roof with a lamp and found the east beam"
            " is sound but the two by the chimney have the worm in them and then she asked who did the felt because it"
            " was laid the wrong way round and my father did it in eighty two so I said nothing at all about that",
            ("and", "but", "because", "so"),
        ),
        (
            "今天早上测量师傅来了她拿着灯一直钻到屋顶底下看东边那根梁是好的但是烟囱旁边那两根有虫眼然后她问油毡是谁铺的因为铺反了"
            ""
            "那是八二年我爸自己铺的所以我一句话都没敢说后来她又看了看水箱说还能用十年不用急着换还有烟囱要清一清",
            ("但是", "然后", "因为", "所以", "后来", "她", "那"),
        ),
    ],
)
def test_what_is_dictated_without_stops_is_cut_where_a_thought_begins(words: str, edges: tuple[str, ...]) -> None:
    found = pieces(words)
    assert len(found) > 1
    assert "".join("".join(found).split()) == "".join(words.split())
    assert all(each.startswith(edges) for each in found[1:])


@pytest.mark.parametrize(
    "words",
    ["remind me to pack the EpiPen, the trip to Moncton was booked yesterday", "昨天订的票 提醒我带EpiPen去蒙克顿"],
)
def test_a_reminder_is_not_over_for_a_day_that_was_over_when_it_was_said(words: str) -> None:
    kept = claim_of(words)
    assert kept.event_time is not None
    assert kept.expires is None


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("The dentist was moved from 8 May 2031 to 12 May 2031", "2031-05-12"),
        ("The dentist is moved to 12 May 2031, it was on 8 May 2031 before", "2031-05-12"),
        ("There is a check on 8 May 2031, they moved me to 12 May 2031", "2031-05-12"),
        ("牙医从2031年5月8号改到2031年5月12号了", "2031-05-12"),
        ("牙医改到2031年5月12号了，原来是2031年5月8号", "2031-05-12"),
        ("The dentist texted, 8 May 2031 is gone, 12 May 2031 at four", "2031-05-12"),
        ("牙医来短信，2031年5月8号他不在，2031年5月12号下午", "2031-05-12"),
        ("The dentist is on 8 May 2031, the optician on 12 May 2031", "2031-05-12"),
        ("牙医2031年5月8号，配眼镜2031年5月12号", "2031-05-12"),
        ("The surgery is on 12 May 2031, no food from 11 May 2031 on", "2031-05-12"),
        ("We fly on 3 March 2031, booked the house 8 May 2031 to 12 May 2031", "2031-05-08"),
    ],
)
def test_of_several_days_ahead_a_message_is_filed_by_the_new_one_or_the_last(words: str, day: str) -> None:
    """So it stands until all of them are over."""
    kept = claim_of(words)
    assert kept.event_time is not None
    assert kept.event_time.day == day


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("I'm a nurse and live in Hull.", "Hull"),
        ("My name is Ruth and we moved to Hull.", "Hull"),
        ("我叫周敏，搬到绍兴三年了。", "绍兴"),
    ],
)
def test_what_a_slot_leaves_untold_stays_as_it_was_said(words: str, left: str) -> None:
    found = claims([said(words)])
    assert any(each.attribute for each in found)
    assert any(left in each.content for each in found)


@pytest.mark.parametrize("words", ["for every shift bring two pairs of gloves", "跟我讲他是长沙理工的教授"])
def test_what_only_has_the_form_of_an_instruction_is_none(words: str) -> None:
    assert not [each for each in claims([said(words)]) if each.attribute == "instruction"]


@pytest.mark.parametrize(
    ("words", "attribute"),
    [
        ("my cat, orange and loud, has eaten the cheese again", "pet"),
        ("dad runs a pub quiz team and a farm of snails on the balcony, long story", "occupation"),
        ("看人家养的鹩哥会讲闽南话，我也想养一只陪我妈", "language"),
    ],
)
def test_a_rule_that_nobody_else_hears_fills_no_slot(tmp_path: Path, words: str, attribute: str) -> None:
    assert any(each.attribute == attribute for each in claims_of(words, text.language(words), Heard()))
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert not any(each.attribute for each in memories(tmp_path))


@pytest.mark.parametrize(
    "words",
    [
        "Maybe I'm allergic to penicillin, the rash came after it. I walk to the mill every morning.",
        "我在青岛的面包房上夜班。我可能对青霉素过敏。",
    ],
)
def test_what_is_grave_and_in_doubt_is_told_as_such_beside_what_is_stated(tmp_path: Path, words: str) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert any(isinstance(each, Belief) and each.category == "health" for each in memories(tmp_path))
