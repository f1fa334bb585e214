"""What is said in a role is not meant; whoever leaves the role is heard again. What a guest types is not the
owner's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson
import pytest
from spoken import claims, kept, night, talk

from memory_system.phases import screen, segment
from memory_system.privacy.trust import Guard
from memory_system.records import CLAIM
from memory_system.text import straight
from memory_system.understand.roles import BEGINS_FROM, ENDS_FROM, Roles, parts_of

CORPUS = Path(__file__).parent.parent / "corpus"

PLAYED = [
    (
        ("user", "Let's practise: you be the landlord and I'll be the tenant."),
        ("assistant", "Good evening. What can I do for you?"),
        ("user", "I've lived in Leeds for thirty years and I'm allergic to latex."),
        "I had my real interview today and I got the job at Globex.",
    ),
    (
        ("user", "陪我练一下，你演房东，我来演租客。"),
        ("assistant", "你好，有什么事？"),
        ("user", "我在杭州住了三十年，对乳胶过敏。"),
        "今天面试过了，我下周一去腾讯上班。",
    ),
    (
        ("user", "Ask me something hard."),
        ("assistant", "(as the captain) Good morning, who are you?"),
        ("user", "I've sailed for thirty years and I'm allergic to latex."),
        "I had my real interview today and I got the job at Globex.",
    ),
    (
        ("user", "考考我。"),
        ("assistant", "你演一位老船长，我来问：您跑了多少年？"),
        ("user", "我跑了三十年船，对乳胶过敏。"),
        "今天面试过了，我下周一去腾讯上班。",
    ),
]


@pytest.mark.parametrize(("first", "second", "played", "earnest"), PLAYED)
def test_a_role_ends_with_what_is_surely_meant(
    first: tuple[str, str], second: tuple[str, str], played: tuple[str, str], earnest: str
) -> None:
    still = ("user", "And what if I say no?")
    found = "\n".join(kept(talk(first, second, played, still, ("user", earnest))))
    assert not [each for each in ("latex", "thirty", "乳胶", "三十") if each in found]
    assert "Globex" in found or "腾讯" in found


@pytest.mark.parametrize(
    ("asks", "plays"),
    [
        ("Good. And where have you worked so far?", "I've worked at Globex for thirty years."),
        ("好。那您以前在哪里工作？", "我在华为干了三十年。"),
    ],
)
def test_what_answers_a_question_within_a_role_is_played_however_it_sounds(asks: str, plays: str) -> None:
    roles = ("user", "Let's do a mock interview, you be the boss." if asks.isascii() else "你演老板，我来演求职的。")
    said = (roles, ("assistant", "Good morning."), ("user", "Hello, hm."), ("assistant", asks), ("user", plays))
    assert plays not in kept(talk(*said))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_where_play_begins_and_ends_is_sometimes_heard_and_seldom_elsewhere(lang: str) -> None:
    """Of messages that nothing was learned from."""
    marked = [orjson.loads(line) for line in (CORPUS / f"roles.{lang}.blind.jsonl").read_bytes().splitlines()]
    count = Counter(each["role"] for each in marked)
    sums = [(each["role"], parts_of(straight(each["s"]))) for each in marked]
    begun = Counter(role for role, (begins, _) in sums if begins >= BEGINS_FROM)
    ended = Counter(role for role, (_, ends) in sums if ends >= ENDS_FROM)
    assert begun["begins"] >= 0.2 * count["begins"]
    assert begun["none"] <= 0.02 * count["none"]
    assert ended["ends"] >= 0.6 * count["ends"]
    assert ended["none"] <= 0.1 * count["none"]


@pytest.mark.parametrize(
    "words",
    [
        "Let's practise: you be the landlord and I'll be the tenant. I'm Kim Voss and I'm allergic to latex.",
        "陪我练一下，你演房东，我来演租客。我叫王大明，对乳胶过敏。",
    ],
)
def test_who_gives_out_parts_may_play_already(words: str) -> None:
    assert not [each for each in claims(talk(("user", words))) if each.form == CLAIM]


def test_play_ends_where_the_owner_ends_it() -> None:
    roles = Roles()
    heard = [
        roles.is_played(each)
        for each in talk(
            ("user", "Let's practise: you be the landlord."),
            ("user", "Hello, hm."),
            ("user", "ok end of role play, out of character now"),
            ("user", "hm, well"),
        )
    ]
    assert heard == [False, True, False, False]


def test_what_only_sounds_meant_after_parts_were_given_out_fills_no_slot() -> None:
    said = (
        ("user", "Let's practise: you be the customs officer and I'll be the smuggler."),
        ("assistant", "Passport, please."),
        ("user", "Here it is."),
        ("assistant", "And the bag."),
        ("user", "I'm diabetic, I was diagnosed with diabetes in March and I take insulin every day."),
    )
    assert not [each for each in claims(talk(*said)) if each.form == CLAIM]


@pytest.mark.parametrize("speaker", ["", "Ann"])
def test_an_assistants_offer_of_parts_does_not_make_everything_played_for_ever(speaker: str) -> None:
    offer = "Great, let's role-play: I'll be the landlord and you be the tenant."
    said = [("user", f"I bought {count} chairs on Monday.", speaker) for count in ("two", "three", "four", "five")]
    said += [("user", "I was diagnosed with asthma today and I'm allergic to penicillin.", speaker)] * 4
    assert any("penicillin" in each for each in kept(talk(("assistant", offer), *said)))


@pytest.mark.parametrize("offer", ["Would you like to role-play it, or a mock interview?", "要不要模拟面试一下？"])
def test_whoever_only_offers_to_play_gives_out_no_role(offer: str) -> None:
    said = (("assistant", offer), ("user", "No thanks. I'm allergic to penicillin."))
    assert any("penicillin" in each for each in kept(talk(*said)))


@pytest.mark.parametrize("words", ["you are right and I am tired", "(as I said) fine", "我演奏大提琴"])
def test_no_role_is_given_out_by_words_that_sound_like_it(words: str) -> None:
    assert any("latex" in each for each in kept(talk(("user", words), ("user", "I'm allergic to latex."))))


GUESTS = [
    ("hi this is luca, noll is feeding the hens. I'm allergic to peanuts", "Hello, Luca. Try the oats.", True),
    ("hi this is noll, sam is feeding the hens. I'm allergic to peanuts", "Hello, Noll. Try the oats.", False),
    ("I'm allergic to peanuts, write that to Luca, sam is out", "Hi Luca, a word about nuts.", False),
    ("你好 我是小安 他在洗碗 借他手机问一下 我对花生过敏", "小安你好，试试燕麦。", True),
    ("我对花生过敏，帮我跟小安说一声，他在洗碗", "小安你好，有件事。", False),
    ("I'm allergic to peanuts. It's Ana's birthday, she is 40, write her a card", "Hi Ana, happy birthday!", False),
    ("I'm allergic to peanuts, and she asks why", "Hi Al, I come on Friday.", False),
]


@pytest.mark.parametrize(("words", "answer", "is_guests"), GUESTS)
def test_whom_the_assistant_greets_by_name_is_no_owner_of_another_name(
    words: str, answer: str, *, is_guests: bool
) -> None:
    """Where the owner's name is known, or somebody else's: noll, and those near."""
    messages = talk(("user", words), ("assistant", answer))
    turns = segment.run(messages, night(), Counter())
    found = screen.run(turns, night(), Counter(), Guard(names=["noll"]), {"Ana": "Ana"})
    told = "\n".join(turn.text_of(each) for turn in found for each in turn.segments)
    assert ("peanuts" in told or "花生" in told) != is_guests
