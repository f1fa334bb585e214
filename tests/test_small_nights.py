"""Of a night of a few messages what lasts is kept before small talk: names, ages, jobs, how it goes with somebody."""

from __future__ import annotations

import pytest
from spoken import kept, talk

CHATTER_EN = (
    "The queue at the bakery was endless this morning and everybody kept sighing at the ceiling",
    "Somebody had parked right across the gate so the bin lorry could not get through again",
    "I watched a film about penguins last night and fell asleep before the second half began",
    "The printer jammed twice before lunch so I used the one on the ground floor instead",
)
CHATTER_ZH = (
    "今天早上面包店排了好长的队，大家都在那儿抬头看天花板叹气",
    "不知道谁又把车停在大门口，垃圾车进不来，吵了半天才挪开",
    "昨晚看了一部讲企鹅的片子，还没看到一半我就睡着了",
    "打印机上午卡了两次纸，最后我跑到一楼那台去打的",
)


@pytest.mark.parametrize(
    "words",
    [
        "My mum is getting her hip replaced next Tuesday.",
        "Owen is 7 and Bea turns 3 in May.",
        "My boss is Ravi.",
        "Petra took the job.",
        "Bea moved into a flat in Bath.",
        "Petra broke her wrist at hockey.",
    ],
)
def test_what_lasts_is_kept(words: str) -> None:
    said = talk(*(("user", each) for each in (*CHATTER_EN, words, *CHATTER_EN[::-1])))
    assert words.rstrip(".") in " ".join(kept(said))


@pytest.mark.parametrize(
    "words",
    [
        "我妈下周二做髋关节手术。",
        "我男朋友方敏住在滨江，做后端的。",
        "我手机号换了，新的是 5550104477。",
        "小林接了萤火项目的工作。",
        "我爸退休了，天天钓鱼。",
    ],
)
def test_what_lasts_is_kept_in_chinese(words: str) -> None:
    said = talk(*(("user", each) for each in (*CHATTER_ZH, words, *CHATTER_ZH[::-1])))
    assert words.rstrip("。") in "".join(kept(said)).replace("。", "")


@pytest.mark.parametrize("words", ["Ask me again in a year.", "好，我累了，晚安啦"])
def test_small_talk_makes_room_for_it(words: str) -> None:
    assert kept(talk(("user", words))) == []


def test_a_small_night_keeps_small_talk_by_its_share() -> None:
    said = talk(*(("user", each) for each in CHATTER_EN * 2), *(("user", each) for each in CHATTER_ZH))
    assert 0 < len(kept(said, screen={"keep_share": 0.3})) < len(said)


@pytest.mark.parametrize("wish", ["Please stop using emojis.", "能不能别老用感叹号？"])
def test_a_wish_to_the_assistant_is_kept_whatever_the_share(wish: str) -> None:
    assert wish.rstrip(".？") in " ".join(
        kept(talk(*(("user", each) for each in (*CHATTER_EN, wish))), screen={"keep_share": 0.1})
    )
