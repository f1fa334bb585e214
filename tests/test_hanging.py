"""What nobody could understand alone is told with what it is about, or not at all."""

from __future__ import annotations

import pytest
from memory_system.phases.understanding.hanging import hangs, what_stands
from spoken import claims, said, talk

from memory_system import phrasing


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "I put it on the shelf"),
        ("en", "They've been there all week"),
        ("en", "I love seeing him so happy"),
        ("en", "That makes the evenings easier"),
        ("en", "I read about that"),
        ("en", "I already have one"),
        ("en", "I still go there"),
        ("en", "This harbour is quiet"),
        ("en", "I could share my story and offer them support"),
        ("zh", "它很适合我"),
        ("zh", "我经常去看他"),
        ("zh", "这个颜色很好看"),
        ("zh", "我觉得那种味道太浓了"),
    ],
)
def test_words_hang_where_nothing_before_a_pronoun_could_be_meant(lang: str, words: str) -> None:
    assert hangs(words, lang)


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "I bought a kayak and I put it on the roof"),
        ("en", "My neighbours moved out, they've been in Leeds all week"),
        ("en", "My nephew came by, I love seeing him so happy"),
        ("en", "It's been a while since the flood"),
        ("en", "It is fun to row at night"),
        ("en", "I'm lucky to have my family, they bring me joy"),
        ("en", "I think that the lake froze"),
        ("en", "There is a ferry at nine"),
        ("en", "I went to Bergen and stayed there"),
        ("en", "One of my aunts paints"),
        ("en", "I finally made it to the summit"),
        ("en", "This week I painted the fence"),
        ("en", "I'm reading this new novel called Saltmarsh"),
        ("zh", "我买了一条裙子，它很适合我"),
        ("zh", "我奶奶住院了，我经常去看她"),
        ("zh", "这个月我在学游泳"),
        ("zh", "我常去的那个公园关门了"),
        ("zh", "梁小雨她在银行上班"),
        ("zh", "其他人都走了"),
    ],
)
def test_words_stand_where_something_before_a_pronoun_could_be_meant(lang: str, words: str) -> None:
    assert not hangs(words, lang)


@pytest.mark.parametrize(
    ("lang", "words", "standing"),
    [
        ("en", "I'd love to try it", ""),
        ("en", "I love it. My garden has forty tomato plants", "My garden has forty tomato plants"),
        ("en", "I bought it in Lisbon", "I bought it in Lisbon"),
        ("en", "It took us three hours", "It took us three hours"),
        ("en", "I follow a podcast about bees. They're hilarious", "I follow a podcast about bees. They're hilarious"),
        ("zh", "它很适合我", ""),
        ("zh", "这真不容易。我每天骑车上班", "我每天骑车上班"),
        ("zh", "它花了我300块", "它花了我300块"),
    ],
)
def test_what_hangs_and_says_little_is_left_out(lang: str, words: str, standing: str) -> None:
    assert what_stands(words, lang) == standing


@pytest.mark.parametrize(
    "words", ["I love listening to them.", "I enjoy going there.", "我喜欢和他们聊天", "我很喜欢听它"]
)
def test_what_only_points_at_something_is_no_preference(words: str) -> None:
    assert not [each for each in claims([said(words)]) if each.attribute]


def contents(*turns: tuple[str, str, str]) -> list[str]:
    return [each.content for each in claims(talk(*turns))]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("We went to the new place by the river.", "I'd love to try it!"),
        ("My cousins came over.", "They look so relaxed outside."),
        ("我买了一条裙子。", "它很适合你的身材。"),
    ],
)
def test_what_nobody_could_understand_is_not_told(before: str, text: str) -> None:
    found = claims(talk(("user", before), ("assistant", "OK"), ("user", text)))
    assert not [each for each in found if each.ref == "s:3"]


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to it.",
        "She was diagnosed with diabetes.",
        "I might sell it.",
        "I'm meeting them next Friday.",
        "我对它过敏。",
        "我下周五要见他。",
    ],
)
def test_what_is_grave_dated_or_only_supposed_is_told_all_the_same(text: str) -> None:
    assert claims([said(text)])


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (
            "I painted it because I missed the sea.\n[shared image: a photo of a canvas with waves]",
            "User painted it because User missed the sea (image: a canvas with waves)",
        ),
    ],
)
def test_what_hangs_is_told_with_the_picture_behind_it(text: str, content: str) -> None:
    assert [each.content for each in claims([said(text)])] == [content]


def test_a_picture_is_told_by_itself_where_no_sentence_was_told_with_it() -> None:
    found = [each.content for each in claims([said("I bought a kayak.\n[shared image: a photo of a red kayak]")])]
    assert found == ["User bought a kayak", "User shared an image: a red kayak"]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("这个主意不错，我打算在阳台种一些薄荷。", "用户打算在阳台种一些薄荷"),
        ("那是一个不错的主意。其实我每个周末都去爬山。", "用户每个周末都去爬山"),
        ("明白了。我打算把书房改成画室。", "用户打算把书房改成画室"),
    ],
)
def test_a_reaction_before_what_is_said_is_not_told(text: str, content: str) -> None:
    assert content in [each.content for each in claims([said(text)])]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("The lighter kayak is getting you closer to the record.", "closer to"),
        ("The list is helping you pack.", "helping Jo pack"),
        ("The ferry waits for both of you.", "for both of them"),
        ("I hope all of you can come.", "all of them can come"),
        ("I'll miss you, guys.", "miss Jo and others"),
        ("I'll miss you, Leo, when the ferry leaves.", "miss Jo, Leo, when the ferry leaves"),
    ],
)
def test_the_one_addressed_is_told_as_the_object(text: str, content: str) -> None:
    assert content in phrasing.retell(text, phrasing.Voices("Ana", "Jo"), "en")


@pytest.mark.parametrize(
    ("text", "other", "content"),
    [
        ("我会想你们俩的", "小林", "小梅会想小林等人的"),
        ("我会想你们大家的", "助手", "小梅会想助手的"),
        ("我们两个都爱钓鱼", "助手", "小梅等人都爱钓鱼"),
    ],
)
def test_several_addressed_are_told_as_several(text: str, other: str, content: str) -> None:
    assert phrasing.retell(text, phrasing.Voices("小梅", other), "zh") == content


@pytest.mark.parametrize(
    ("text", "other", "content"),
    [
        ("We both like rowing.", "the assistant", "Ana and another both like rowing"),
        ("We both like rowing.", "Jo", "Ana and Jo both like rowing"),
        ("My sister Ruth has a boat and we both row.", "Jo", "Ana's sister Ruth has a boat and they both row"),
    ],
)
def test_we_both_are_the_two_who_talk_only_where_two_persons_do(text: str, other: str, content: str) -> None:
    assert phrasing.retell(text, phrasing.Voices("Ana", other), "en") == content


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("希望我们可以成为好朋友", "希望小林和助手可以成为好朋友"),
        ("这是我们的第一次聊天", "这是小林和助手的第一次聊天"),
        ("我们去了敦煌", "小林等人去了敦煌"),
        ("我和阿梅吃饭，我们聊了很久", "小林和阿梅吃饭，小林等人聊了很久"),
    ],
)
def test_we_are_the_two_who_talk_where_talking_is_meant(text: str, content: str) -> None:
    assert phrasing.retell(text, phrasing.Voices("小林", "助手"), "zh") == content


def test_what_hangs_is_told_with_what_the_same_one_has_just_said() -> None:
    found = claims(
        talk(
            ("user", "I have finished the Saltmarsh trilogy on Sunday.", "Ana"),
            ("user", "They made me cry on the train to Bergen.", "Ana"),
        )
    )
    [told] = [each.content for each in found if "cry" in each.content]
    assert "(on: Ana has finished the Saltmarsh trilogy" in told
