"""What the owner asks not to keep is not kept, nor the wish; it is counted."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from spoken import claims, said, segmented, talk
from workspaces import consolidate, contents, make, remembering, say

from memory_system import clock, finder
from memory_system.config import Config
from memory_system.nights import derive
from memory_system.phases import index, screen
from memory_system.privacy.trust import Guard
from memory_system.recall.search_index import Index
from memory_system.turns import Message
from memory_system.understand.withheld import WITHHELD, not_taken_back, stretches, without_withheld
from memory_system.upkeep import check
from memory_system.workspace import Workspace

CASES = tomllib.loads((Path(__file__).parent / "withheld_cases.toml").read_text("utf-8"))
MISSED = {"wish": 2, "other": 2}  # of what is unseen, in both languages, at most


@pytest.mark.parametrize("kind", ["wish", "other"])
def test_the_table_of_wishes(kind: str) -> None:
    wrong: dict[str, list[str]] = {"seen": [], "unseen": []}
    for part, rows in [(part, rows) for lang in ("en", "zh") for part, rows in CASES[lang][kind].items()]:
        wrong[part] += [row for row in rows if not _told_apart(row.split(" | "), kept=kind == "other")]
    assert wrong["seen"] == []
    assert len(wrong["unseen"]) <= MISSED[kind], len(wrong["unseen"])


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "so the vet says the old one keeps her weight and never mind the limp " * 9),
        ("zh", "今天先把瓦片搬上屋顶再说" * 20),
    ],
)
def test_long_words_are_heard_in_stretches_that_overlap(lang: str, words: str) -> None:
    parts = list(stretches(words, lang))
    assert parts[0] == words[: len(parts[0])]
    assert words.endswith(parts[-1])
    assert max(map(len, parts)) <= 120
    assert sum(map(len, parts)) > 1.5 * len(words)
    if lang == "en":
        assert {word for part in parts for word in part.split()} == {*words.split()}  # none is cut


def _told_apart(row: list[str], *, kept: bool) -> bool:
    """Whether the index and the judge both leave out what is to be left out of these messages, and only that."""
    messages = talk(*(("user", words.removeprefix("+")) for words in row))
    out = [not (kept or words.startswith("+")) for words in row]
    left = {each.ref: without_withheld(each).strip() for each in not_taken_back(messages)}
    judged = dict(_reasons(messages))
    return all(
        (judged[each.ref] == {WITHHELD} and not left.get(each.ref))
        if is_out
        else (WITHHELD not in judged[each.ref] and left.get(each.ref) == each.text)
        for each, is_out in zip(messages, out, strict=True)
    )


def _reasons(messages: list[Message]) -> Iterator[tuple[str, set[str]]]:
    """Why the segments of each message are dropped, by its ref."""
    for turn, judged in screen.in_order(segmented(messages), Config(), Guard()):
        yield turn.message.ref, {each.reason for each in judged}


@pytest.mark.parametrize(
    ("private", "more"),
    [
        ("I owe the bank 900, please don't save that.", ()),
        ("I owe the bank 900.", ("please don't save what I just said",)),
        ("我欠银行900块，这个别记。", ()),
    ],
)
def test_what_is_answered_to_such_words_is_left_out_too(private: str, more: tuple[str, ...]) -> None:
    messages = talk(
        ("user", "Good morning!"),
        ("assistant", "Good morning, what is it today?"),
        ("user", private),
        ("assistant", "900 it is: we will find a way to pay the bank."),
        *(("user", each) for each in more),
        ("assistant", "Done."),
        ("user", "Now help me with dinner, three eggs and rice."),
        ("assistant", "Fried rice with egg."),
    )
    left = " ".join(without_withheld(each) for each in not_taken_back(messages))
    assert "900" not in left
    assert "what is it today" in left
    assert "Fried rice" in left


def test_an_answer_that_the_next_night_reads_is_left_out_as_well(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-02T23:50:00Z", "user", "I owe the bank 900 kroner, please don't save that."))
    consolidate(tmp_path, "2026-03-03T03:00:00Z")
    say(tmp_path, "s", ("2026-03-03T03:10:00Z", "assistant", "900 kroner is not much: the bank will wait."))
    consolidate(tmp_path, "2026-03-04T03:00:00Z")
    with Workspace.open(tmp_path, now=clock.read_stamp("2026-03-04T12:00:00Z")) as ws:
        assert finder.search(ws, "bank kroner", scope="sessions")["results"] == []
        assert check.validate(ws) == []
        assert not [each for _, each in ws.said.messages(lambda _: True) if "900" in each.text]


@pytest.mark.parametrize(
    ("wish", "left"),
    [
        ("please don't save this bit, but {}", [0, 3]),
        ("这段别记：{}", [0, 3]),
        ("{}", [0, 1, 2, 3]),
    ],
)
def test_in_a_long_message_it_is_about_the_paragraph_and_the_next(wish: str, left: list[int]) -> None:
    told = [" ".join([words] * 20) for words in ("One sails.", "Two rows.", "Three rides.", "Four walks.")]
    parts = [told[0], wish.format(told[1]), *told[2:]]
    words = without_withheld(said("\n\n".join(parts)))
    assert [number for number, each in enumerate(parts) if each in words] == left


@pytest.mark.parametrize("wish", ["Please don't keep any of this.", "以上内容请不要保存。"])
def test_a_wish_at_the_end_of_a_long_message_is_about_all_of_it(wish: str) -> None:
    told = "\n\n".join([" ".join(["One sails to Bergen."] * 20)] * 3)
    assert not without_withheld(said(f"{told}\n\n{wish}")).strip()


WITHHELD_SENTENCES = [
    "Don't remember this: I cheated on the exam.",
    "Don't remember this: I cheated on the exam. It was the maths one, in May.",
    "Don\u2019t save this, but I failed my driving test again.",
    "I failed my driving test again, but please don't write that down.",
    "I'm allergic to latex. Don't save this.",
    "下面这个别记：我考试作弊了。",
    "这个别记：我考试作弊了，是数学。还欠了室友三千块钱。",
    "我对乳胶过敏，这件事不用记。",
    "我驾照又没考过，别记下来。",
    "刚才说的别记住，我其实没去面试。",
    "Don't save this: 我昨天考试作弊了。",
    "别记这个：I stole money from the till.",
    "我昨天考试作弊了，don't save this。",
    "I stole money from the till. 别记这个.",
    "dont save this, i cheated on him",
    "Do NOT keep this, I cheated on him.",
    "这个不用记哦 我作弊了",
    "别记这个 我作弊了",
    "this stays between us and dont save it: i kissed someone at the conference in october",
    "please dont save it, i kissed someone at the conference",
    "please dont save it: i owe my brother money",
    "do not store it: i was fired in 2019",
    "off the record, i was fired in 2019",
    "off the record: i owe the bank 9 grand",
    "this is just between us, do not store it: i hate my boss",
    "my laptop hint is the blue heron dont write that down anywhere",
    "i owe my aunt two grand please dont save it",
    "I stole a scarf once. Could you please not remember that?",
    "Keep this out of your notes: I failed the audit.",
    "I'd rather you didn't save this, but I failed the audit.",
    "I failed the audit, off the record.",
    "Can I tell you something off the record? I failed the audit. My boss knows.",
    "This is private, please do not note it down. I failed the audit.",
    "这话别存：我去年被开除了",
    "这话你别存：我偷偷借给我弟八万块",
    "这事不要留记录 我去年得过抑郁症",
    "柜门密码是 520113 你别存",
    "我去年得过抑郁症，这话别往记忆里存。",
    "这段请勿写进档案：我挂了三门课。",
    "这是秘密，你别记。我挂了三门课。",
]


def is_kept(words: str) -> bool:
    tally: Counter[str] = Counter()
    return claims([said(words)], tally) != [] or not tally["segments.dropped.withheld"] == tally["segments"] > 0


def test_what_is_not_to_be_kept_is_not() -> None:
    assert [words for words in WITHHELD_SENTENCES if is_kept(words)] == []


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("Don't forget this: I'm allergic to bees.", ["User is allergic to bees"]),
        ("I don't save that often. I live in Leeds.", ["User lives in Leeds"]),
        ("特别记住，我对芒果过敏。", ["用户对芒果过敏"]),
        ("别忘了：我对芒果过敏。", ["用户对芒果过敏"]),
        ("I don't keep this short: I live in Leeds.", ["User lives in Leeds"]),
        ("My parents dont save that. I live in Leeds.", ["User lives in Leeds"]),
        ("Don't save it as a PDF. I live in Leeds.", ["User lives in Leeds"]),
        ("I live in Leeds. The mayor spoke off the record.", ["User lives in Leeds"]),
        ("你别存钱了，花吧。我住在杭州。", ["用户住在杭州"]),
    ],
)
def test_what_only_sounds_like_it_is_kept(words: str, kept: list[str]) -> None:
    assert [each.content for each in claims([said(words)]) if each.attribute] == kept


@pytest.mark.parametrize("scope", ["sessions", "all"])
@pytest.mark.parametrize(
    ("beside", "place", "words", "query", "secret"),
    [
        (
            "I live in Leeds.",
            "Leeds",
            "Don't save this, but I had a panic attack at work today.",
            "panic attack at work",
            "panic attack",
        ),
        ("我住在杭州。", "杭州", "这个别记，我今天跟老板大吵了一架。", "跟老板大吵了一架", "大吵"),
        ("I live in Leeds.", "Leeds", "Don't save this: 我昨天考试作弊了。", "考试作弊", "作弊"),
        ("我住在杭州。", "杭州", "别记这个：I stole money from the till.", "stole money from the till", "till"),
        (
            "I live in Leeds.",
            "Leeds",
            "I have a cat. off the record, i was fired in 2019",
            "was fired in 2019",
            "fired",
        ),
        ("我住在杭州。", "杭州", "支付口令是蓝色苍鹭 你别存", "支付口令", "苍鹭"),
    ],
)
def test_it_is_found_by_no_search_and_given_to_no_agent(
    beside: str, place: str, words: str, query: str, secret: str, scope: Literal["sessions", "all"], tmp_path: Path
) -> None:
    """What is said beside it is found, before a night has read it and after, and in an index that is made anew."""
    root = make(tmp_path)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", beside), ("2026-03-02T09:01:00Z", "user", words))
    consolidate(root, "2026-03-03T03:00:00Z")
    for _ in range(2):
        with Workspace.open(root, now=clock.read_stamp("2026-03-03T09:00:00Z")) as ws:
            found = json.dumps(finder.search(ws, query, scope=scope)["results"], ensure_ascii=False)
            given = finder.context(ws, query)["text"]
            assert secret not in found
            assert secret not in given
            assert place in json.dumps(finder.search(ws, beside, scope=scope)["results"], ensure_ascii=False)
        (root / "memory/layer2/index/search.sqlite").unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("words", "query"),
    [("I don't save much, I had a panic attack in May.", "panic attack"), ("我别的不怕，就怕大吵一架。", "大吵一架")],
)
def test_what_was_not_asked_for_is_found(words: str, query: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(root, "2026-03-03T03:00:00Z")
    with Workspace.open(root, now=clock.read_stamp("2026-03-03T09:00:00Z")) as ws:
        assert query in json.dumps(finder.search(ws, query, scope="sessions")["results"], ensure_ascii=False)


@pytest.mark.parametrize(
    ("secret", "wish"),
    [
        ("I was expelled from the choir in May.", "don't save that"),
        ("I was expelled from the choir in May.", "Please don't save that one."),
        ("I was expelled from the choir in May.", "Off the record, ok?"),
        ("I was expelled from the choir in May.", "please don't remember that"),
        ("I was expelled from the choir in May.", "Please don't remember this."),
        ("我去年被合唱团开除了。", "别记这个。"),
    ],
)
def test_a_wish_of_its_own_reaches_the_message_before(secret: str, wish: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    words = ("I sing in Bergen on Fridays.", secret, wish)
    say(root, "s", *((f"2026-03-02T09:0{number}:00Z", "user", each) for number, each in enumerate(words)))
    consolidate(root, "2026-03-03T03:00:00Z")
    with Workspace.open(root, now=clock.read_stamp("2026-03-03T09:00:00Z")) as ws:
        told = [record.content for _, record in ws.store.records()]
        found = json.dumps(finder.search(ws, secret, scope="all")["results"], ensure_ascii=False)
    assert any("Bergen" in each for each in told)
    assert not [each for each in (*told, found) if "expelled" in each or "开除" in each]


@pytest.mark.parametrize(
    ("wish", "secret"),
    [
        ("What I say next is not to be saved.", "I was expelled from the choir in May."),
        ("接下来这段别记：", "我去年被合唱团开除了。"),
    ],
)
def test_an_announced_wish_reaches_the_message_after(wish: str, secret: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    words = ("I sing in Bergen on Fridays.", wish, secret, "I have a cat called Mo.")
    say(root, "s", *((f"2026-03-02T09:0{number}:00Z", "user", each) for number, each in enumerate(words)))
    consolidate(root, "2026-03-03T03:00:00Z")
    with Workspace.open(root, now=clock.read_stamp("2026-03-03T09:00:00Z")) as ws:
        told = [record.content for _, record in ws.store.records()]
        copied = [message.text for _, message in ws.said.messages(lambda _: True)]
        found = json.dumps(finder.search(ws, secret, scope="all")["results"], ensure_ascii=False)
    assert copied == [words[0], words[3]]
    assert any("Mo" in each for each in told)
    assert not [each for each in (*told, found) if "expelled" in each or "开除" in each]


EXPELLED = "I was expelled from the choir in May."


@pytest.mark.parametrize(
    ("said_before", "words", "answer", "secret", "is_kept"),
    [
        ("Hm.", "The float is in the bread bin. Rub that out.", "Rubbed out.", "bread bin", False),
        ("Hm.", "The float is in the bread bin. Rub that out.", "Which part of the letter?", "bread bin", True),
        ("嗯。", "我把金镯子藏在米缸里，你我知道就行。", "好，这个不留。", "金镯子", False),
        ("嗯。", "我把金镯子藏在米缸里，你我知道就行。", "那钥匙呢？", "金镯子", True),
        ("嗯。", "我住在青岛，这个文件怎么打不开？", "文件不存在，再找找。", "青岛", True),
        (
            "Hm.",
            "take that line out of the letter, I live in Leeds now",
            "Left out. Here is the letter.",
            "Leeds",
            True,
        ),
        (
            "Hm.",
            "I live in Bergen with two cats.",
            "Then the fish stays out of reach, and nothing is kept hot.",
            "cats",
            True,
        ),
        (EXPELLED, "actually, forget that please", "Forgotten.", "expelled", False),
        (EXPELLED, "scratch that", "Gone.", "expelled", False),
        (EXPELLED, "actually scratch that from your memory please", "Gone.", "expelled", False),
        (EXPELLED, "scratch that", "Which part shall I change?", "expelled", True),
        (EXPELLED, "The ring is in the flour jar, rub that out.", "Gone.", "expelled", True),
        ("我对花生过敏。", "我把金镯子藏在米缸里，你我知道就行。", "好，这个不留。", "花生", True),
    ],
)
def test_what_only_may_be_a_wish_is_one_where_the_assistant_grants_it(
    said_before: str, words: str, answer: str, secret: str, tmp_path: Path, *, is_kept: bool
) -> None:
    """It is about its own message, or, where it names nothing, about the one before."""
    root = make(tmp_path)
    said_then = ("user", said_before), ("user", words), ("assistant", "One moment."), ("assistant", answer)
    say(root, "s", *((f"2026-03-02T09:0{number}:00Z", *each) for number, each in enumerate(said_then)))
    consolidate(root, "2026-03-03T03:00:00Z")
    with Workspace.open(root, now=clock.read_stamp("2026-03-03T09:00:00Z")) as ws:
        copied = [message.text for _, message in ws.said.messages(lambda _: True)]
        found = json.dumps(finder.search(ws, secret, scope="all")["results"], ensure_ascii=False)
    assert any(secret in each for each in (*copied, found)) == is_kept


def test_what_is_said_of_itself_leaves_the_message_before() -> None:
    messages = talk(("user", "I live in Bergen."), ("user", "Don't save this: I was expelled from the choir."))
    assert [each.content for each in claims(messages)] == ["User lives in Bergen"]


@pytest.mark.parametrize(
    ("secret", "wish", "told"),
    [
        ("I was expelled from the choir in May.", "don't save that", "expelled"),
        ("我去年被合唱团开除了。", "别记这个。", "开除"),
    ],
)
@pytest.mark.parametrize("is_read", [False, True])
def test_such_a_wish_takes_out_of_the_index_what_stood_there(
    secret: str, wish: str, told: str, is_read: bool, tmp_path: Path
) -> None:
    root = remembering(tmp_path)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", secret))
    if is_read:
        consolidate(root, "2026-03-03T03:00:00Z")
    else:
        _index_unread(root)
    assert told in _messages(root, secret)
    say(root, "s", ("2026-03-03T09:00:00Z", "user", wish))
    consolidate(root, "2026-03-04T03:00:00Z")
    assert told not in _messages(root, secret)
    before = _content(root)
    with Workspace.open(root, now=clock.read_stamp("2026-03-04T09:00:00Z"), write=True) as ws:
        derive.rebuild(ws)
    assert _content(root) == before


def _index_unread(root: Path) -> None:
    """As somebody who watches the workspace does."""
    with (
        Workspace.open(root, now=clock.read_stamp("2026-03-02T09:01:00Z"), write=True) as ws,
        Index.open(ws.layout.search_index, ws.config, write=True) as opened,
        opened.writing(opened.fingerprint),
    ):
        index.put_unread(opened, ws)


def _content(root: Path) -> list[bytes]:
    with (
        Workspace.open(root, now=clock.read_stamp("2026-03-04T09:00:00Z")) as ws,
        Index.open(ws.layout.search_index, ws.config) as opened,
    ):
        return list(opened.content())


def _messages(root: Path, query: str) -> str:
    with Workspace.open(root, now=clock.read_stamp("2026-03-04T09:00:00Z")) as ws:
        return json.dumps(finder.search(ws, query, scope="sessions")["results"], ensure_ascii=False)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (["I'm learning the cello.", "I have a cat called Pickle.", "Forget what I said about the cello."], "Pickle"),
        (
            [
                "I'm learning the cello.",
                "I have a cat called Pickle.",
                "Drop what I told you this morning about the cello.",
            ],
            "Pickle",
        ),
        (["我在学大提琴。", "我养了一只猫。", "忘掉我刚才说的大提琴的事。"], "猫"),
        (["我在学大提琴。", "我养了一只猫。", "我早上跟你说的大提琴那个事 你别存啊 当我没说"], "猫"),
    ],
)
def test_a_wish_that_names_its_matter_takes_nothing_else_back(said: list[str], kept: str, tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s", *((f"2026-03-02T10:0{minute}:00Z", "user", words) for minute, words in enumerate(said)))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert any(kept in each for each in contents(tmp_path))
