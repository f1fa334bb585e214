"""What the owner asks no longer to keep, days after it was told, is out of sight until the owner brings it back."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from commands import memory
from workspaces import consolidate, make, say

from memory_system import clock, finder
from memory_system.records import UNSAID
from memory_system.turns import Message
from memory_system.understand.withheld import named_before
from memory_system.upkeep import check, correct
from memory_system.workspace import Workspace

CORPUS = Path(__file__).parent.parent / "corpus"
SAID = "2026-03-05T10:00:00Z"
TOLD = {
    "en": ("My brother in law Pat has been fired from the cannery for stealing.", "We chose the green tiles."),
    "zh": ("我表哥阿强偷罐头被工厂开除了。", "我们选了绿色的瓷砖。"),
}
WISHES = {
    "en": "What I told you about Pat, that he was fired from the cannery: please don't keep that.",
    "zh": "我之前说阿强偷罐头被开除那个事，你别记，忘掉吧。",
}
ASKED = {"en": "fired from the cannery", "zh": "罐头 开除"}


def told(root: Path, lang: str, wish: str) -> Workspace:
    """A workspace in which something is told on one day, and taken back on another."""
    make(root)
    for number, words in enumerate(TOLD[lang]):
        say(root, f"s{number}", (f"2026-03-02T1{number}:00:00Z", "user", words))
    consolidate(root, "2026-03-03T03:00:00Z")
    say(root, "later", ("2026-03-05T10:00:00Z", "user", wish))
    consolidate(root, "2026-03-06T03:00:00Z")
    return Workspace.open(root, now=clock.read_stamp("2026-03-06T12:00:00Z"))


def contents(ws: Workspace) -> list[str]:
    return [record.content for pool, record in ws.store.records() if pool == "active"]


def found(ws: Workspace, lang: str) -> list[str]:
    return [each["text"] for each in finder.search(ws, ASKED[lang], archived=True)["results"]]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_stands_in_no_memory_search_or_snapshot_until_it_is_restored(lang: str, tmp_path: Path) -> None:
    told(tmp_path, lang, TOLD[lang][0]).close()
    with Workspace.open(tmp_path, now=clock.read_stamp("2026-03-06T12:00:00Z")) as ws:
        assert any(TOLD[lang][0] in each for each in found(ws, lang))
    with told(tmp_path / "taken back", lang, WISHES[lang]) as ws:
        assert not any(TOLD[lang][0] in each for each in found(ws, lang))
        assert TOLD[lang][0] not in ws.layout.snapshot.read_text("utf-8")
        assert TOLD[lang][1] in contents(ws)
        assert check.validate(ws) == []
        [hidden] = [record for pool, record in ws.store.records() if pool == "archive" and record.retired == UNSAID]
        correct.restore(ws, hidden.id)
        assert any(TOLD[lang][0] in each for each in found(ws, lang))


@pytest.mark.parametrize(
    ("lang", "between", "wish"),
    [
        ("en", "Which tiles are cheap?", "What I told you about Pat and the cannery, please don't keep that."),
        ("zh", "瓷砖哪种便宜？", "刚才跟你说的阿强偷罐头那事，你别记了。"),
    ],
)
def test_what_was_told_in_the_same_session_is_meant_first(lang: str, between: str, wish: str, tmp_path: Path) -> None:
    with told(tmp_path, lang, TOLD[lang][1]) as ws:
        ws.close()
    again = ("My brother in law Pat has left the cannery for good.", "我表哥阿强偷罐头的事全村都知道了。")[lang == "zh"]
    rows = [(f"2026-03-07T10:0{number}:00Z", "user", words) for number, words in enumerate((again, between, wish))]
    say(tmp_path, "same", *rows)
    consolidate(tmp_path, "2026-03-08T03:00:00Z")
    with Workspace.open(tmp_path, now=clock.read_stamp("2026-03-08T12:00:00Z")) as ws:
        assert not any(again in each for each in contents(ws))
        assert any(TOLD[lang][0] in each for each in contents(ws))


@pytest.mark.parametrize(
    ("lang", "wish"),
    [
        ("en", "That thing I told you about, please don't keep it."),
        ("zh", "那天我说的那个数你别留着。"),
        ("en", "I told you about the tiles. Off the record: Pat was fired from the cannery."),
    ],
)
def test_where_it_is_not_clear_what_is_meant_nothing_goes(lang: str, wish: str, tmp_path: Path) -> None:
    with told(tmp_path, lang, wish) as ws:
        assert any(TOLD[lang][0] in each for each in found(ws, lang))
        assert TOLD[lang][1] in contents(ws)


@pytest.mark.parametrize(
    ("lang", "secret", "others", "wish"),
    [
        (
            "en",
            "Adrian has borrowed forty thousand from a loan man in Isipingo and Priya doesn't know.",
            ("Adrian brought the koeksisters.", "My stomach is still burning."),
            "What I told you yesterday about Adrian and the money, please take that out, don't keep it.",
        ),
        (
            "zh",
            "阿强欠了网贷四万，他老婆不知道。",
            ("阿强送来一箱橘子。", "我的胃还在烧。"),
            "昨天跟你说的阿强欠债的事，你别记，忘掉吧。",
        ),
    ],
)
def test_a_wish_names_what_it_means_in_other_words_and_on_its_day(
    lang: str, secret: str, others: tuple[str, str], wish: str, tmp_path: Path
) -> None:
    """It is not about what was said right before."""
    make(tmp_path, language=lang)
    rows = [(f"2026-03-04T1{number}:00:00Z", "user", words) for number, words in enumerate((others[0], secret))]
    say(tmp_path, "a", *rows)
    consolidate(tmp_path, "2026-03-05T03:00:00Z")
    say(tmp_path, "b", ("2026-03-05T09:00:00Z", "user", others[1]), ("2026-03-05T09:01:00Z", "user", wish))
    consolidate(tmp_path, "2026-03-06T03:00:00Z")
    with Workspace.open(tmp_path, now=clock.read_stamp("2026-03-06T12:00:00Z")) as ws:
        hidden = [record.content for pool, record in ws.store.records() if record.retired == UNSAID]
    assert len(hidden) == 1
    assert secret[:8] in hidden[0]


@pytest.mark.parametrize(
    ("lang", "said", "before", "wish"),
    [
        (
            "en",
            "I failed my driving test again.",
            "My daughter Dora is allergic to milk.",
            "What I told you yesterday about how I did behind the wheel, please don't keep it.",
        ),
        ("zh", "我驾照又没考过。", "我女儿叫朵朵，对牛奶过敏。", "昨天跟你讲的学车那档子事，请不要保留。"),
    ],
)
def test_a_wish_about_another_day_takes_nothing_of_its_own(
    lang: str, said: str, before: str, wish: str, tmp_path: Path
) -> None:
    make(tmp_path, language=lang)
    say(tmp_path, "a", ("2026-03-04T10:00:00Z", "user", said))
    consolidate(tmp_path, "2026-03-05T03:00:00Z")
    say(tmp_path, "b", ("2026-03-05T09:00:00Z", "user", before), ("2026-03-05T09:01:00Z", "user", wish))
    report = consolidate(tmp_path, "2026-03-06T03:00:00Z").to_row()
    with Workspace.open(tmp_path, now=clock.read_stamp("2026-03-06T12:00:00Z")) as ws:
        found = finder.search(ws, "milk" if lang == "en" else "牛奶")["results"]
    assert found
    assert any("b:" in each["where"] for each in report["problems"])


@pytest.mark.parametrize(
    ("secret", "wish"),
    [
        (
            "He dropped cs for linguistics and mom has no clue.",
            "What I said just now about Arjun, please don't keep that anywhere.",
        ),
        ("他把计算机退了改学语言学，妈还不知道。", "我刚才说的老三那个事你别记，忘掉吧。"),
    ],
)
def test_a_wish_that_names_nothing_known_is_about_what_was_said_right_before(
    secret: str, wish: str, tmp_path: Path
) -> None:
    make(tmp_path)
    said = ("I'm learning the cello.", secret, wish) if wish.isascii() else ("我在学大提琴。", secret, wish)
    say(tmp_path, "s", *((f"2026-03-05T10:0{number}:00Z", "user", words) for number, words in enumerate(said)))
    consolidate(tmp_path, "2026-03-06T03:00:00Z")
    with Workspace.open(tmp_path, now=clock.read_stamp("2026-03-06T12:00:00Z")) as ws:
        told_still = contents(ws)
    assert not any(secret[:10] in each for each in told_still)
    assert any("cello" in each or "大提琴" in each for each in told_still)


def test_the_day_of_telling_tells_which_is_meant(tmp_path: Path) -> None:
    make(tmp_path)
    said = (
        ("2026-03-03T10:00:00Z", "My cousin Ana bought a boat in Kotka."),
        ("2026-03-04T08:00:00Z", "My cousin Ana sold her boat in Kotka."),
    )
    for number, (at, words) in enumerate(said):
        say(tmp_path, f"s{number}", (at, "user", words))
    wish = "What I told you yesterday about Ana and the boat in Kotka, please don't keep that."
    say(tmp_path, "later", ("2026-03-04T12:00:00Z", "user", wish))
    consolidate(tmp_path, "2026-03-05T03:00:00Z")
    with Workspace.open(tmp_path, now=clock.read_stamp("2026-03-05T12:00:00Z")) as ws:
        told_still = contents(ws)
    assert not any("bought" in each for each in told_still)
    assert any("sold" in each for each in told_still)


def test_where_two_may_be_meant_the_night_names_them(tmp_path: Path) -> None:
    make(tmp_path)
    for number, words in enumerate((*TOLD["en"], "Pat tells everybody that he was fired from the cannery.")):
        say(tmp_path, f"s{number}", (f"2026-03-02T1{number}:00:00Z", "user", words))
    say(tmp_path, "later", ("2026-03-02T20:00:00Z", "user", WISHES["en"]))
    done = consolidate(tmp_path, "2026-03-03T03:00:00Z")
    hints = [each.hint for each in done.problems]
    assert [hint for hint in hints if hint.startswith("it may be f_") and " or f_" in hint]


@pytest.mark.parametrize(
    "words",
    [
        "Please don't forget what I told you about Pat and the cannery.",
        "What I told you about Pat and the cannery, never lose that.",
        "What I told you about Pat, did you not keep it?",
        "Do you remember that thing I told you about Pat and the cannery?",
        "The stuff I told you about Pat and the cannery, keep it safe please.",
    ],
)
def test_the_contrary_of_a_wish_and_a_question_hide_nothing(words: str, tmp_path: Path) -> None:
    with told(tmp_path, "en", words) as ws:
        assert any(TOLD["en"][0] in each for each in found(ws, "en"))


@pytest.mark.parametrize(("lang", "least", "most"), [("en", 0.55, 0.06), ("zh", 0.55, 0.08)])
def test_most_such_wishes_are_heard_and_little_else(lang: str, least: float, most: float) -> None:
    """Of messages that nothing was learned from: wishes about what was told before, others, and their look-alikes."""
    rows = [orjson.loads(line) for line in (CORPUS / f"wishes.{lang}.blind.jsonl").read_bytes().splitlines()]
    heard = [(each["back"], bool(named_before(Message("s", "1", "user", "", SAID, each["s"])))) for each in rows]
    told = [is_heard for is_back, is_heard in heard if is_back]
    others = [is_heard for is_back, is_heard in heard if not is_back]
    assert len(told) > 40
    assert sum(told) >= least * len(told)
    assert sum(others) <= most * len(others)
    among_people = [bool(named_before(Message("s", "1", "user", "Ann", SAID, each["s"]))) for each in rows]
    assert sum(among_people) < sum(told) / 2  # who talks with a friend seldom means what keeps the words


def test_the_night_says_that_it_does_not_know_what_is_meant(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-05T10:00:00Z", "user", "那天我说的那个数你别留着。"))
    done = memory("--workspace", tmp_path, "--now", "2026-03-06T12:00:00Z", "consolidate")
    assert "s:" in done.stdout
    assert "memory forget" in done.stdout
