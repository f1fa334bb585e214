"""What holds of whatever is said: quotes are the message's own words, a claim's value stands in what it quotes, and a
claim that is wrapped in somebody else's or nobody's words fills no slot. The sentences are those of the claim tests."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import claims, said
from test_claims_zh import SAID

from memory_system import rules
from memory_system.records import QUOTE
from memory_system.turns import Claim

LANGS = ("en", "zh")
ENDS = {"en": ". ", "zh": "。"}

WRAPPERS = {
    "en": {
        "quotation": (
            'Tom said: "{}"', 'She told me "{}" and hung up.', "“{}” is what the sign says.",
            "> {}\n\nWhat would you answer?", "He wrote to us:\n“{}”",
            "got this from the supplier, is the sum right «{}»",
        ),
        "translation": (
            "Translate into French: {}", "Please translate this into German:\n\n{}", 'How do you say "{}" in Spanish?',
            "Can you correct this sentence: {}", "Fix the grammar: {}", "Rephrase this for me:\n{}",
            "Summarise the text below.\n\n{}",
        ),
        "hypothesis": (
            "Suppose {}", "Imagine {}", "What if {}?", "If {}, what would change?", "Let's say {} What then?",
            "Hypothetically, {}", "For example: {}",
        ),
        "joke": ("{} Just kidding!", "{} jk", "Joke of the day: {}", "Haha, a joke: {}"),
        "story": (
            "Write a story that begins: {}", "Once upon a time a fox said: {}", "In my novel the hero says: {}",
            "Pretend you are a customer: {}", "Act as a patient who says: {}", "Chapter one\n{}",
        ),
    },
    "zh": {
        "quotation": (
            "小林说：“{}”", "他跟我说“{}”就挂了。", "“{}”，牌子上是这么写的。", "> {}\n\n你会怎么回？",
            "他给我们写道：\n“{}”", "供应商发来这个你看看算错没有【{}】", "她发我个方子你看看\n【家常鱼】{}",
        ),
        "translation": (
            "翻译成英文：{}", "请把下面这段翻成法语：\n\n{}", "“{}”用日语怎么说？", "帮我改一下这句话：{}",
            "改一下语病：{}", "帮我换个说法：\n{}", "概括一下下面的文字。\n\n{}",
        ),
        "hypothesis": (
            "假设{}", "假如{}", "要是{}呢？", "如果{}，会怎么样？", "比方说{}那怎么办？", "打个比方：{}",
            "举个例子：{}",
        ),
        "joke": ("{}开玩笑的！", "{}哈哈逗你的", "段子：{}", "讲个笑话：{}"),
        "story": (
            "写个故事，开头是：{}", "从前有只狐狸说：{}", "我小说里的主角说：{}", "假装你是顾客：{}",
            "扮演一个病人，台词是：{}", "第一章\n{}",
        ),
    },
}  # fmt: skip


@cache
def sentences(lang: str) -> tuple[str, ...]:
    """Sentences that fill a slot when they are all that is said."""
    if lang == "zh":
        found: Iterable[str] = (words for words, slots in SAID if slots)
    else:
        cases = tomllib.loads(Path(__file__).with_name("claims_cases.en.toml").read_text("utf-8"))
        found = (row[0] for row in cases.values() if not {">>", "<<", ";"} & {*row[0].split(), *row[0]})
    return tuple(words for each in found if slots_of(words := each.rstrip("。.!！")))


def slots_of(*words: str) -> list[Claim]:
    """The slots that messages fill."""
    return [each for each in claims(said(text, entry=str(n)) for n, text in enumerate(words)) if each.attribute]


def wrapped(lang: str, wrapper: str, inner: Sequence[str]) -> str:
    """Sentences in a wrapper, whose sentence goes on behind them where it goes on with a comma or a question."""
    words = "".join(each + ENDS[lang] for each in inner).strip()
    goes_on = wrapper.partition("{}")[2].startswith((",", "，", "?", "呢"))
    return wrapper.format(words[:-1] if goes_on else words)


@pytest.mark.parametrize("lang", LANGS)
def test_there_is_enough_to_wrap(lang: str) -> None:
    assert len(sentences(lang)) > 25


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", WRAPPERS["en"])
def test_no_claim_of_the_tables_is_believed_when_it_is_wrapped(lang: str, kind: str) -> None:
    texts = [wrapped(lang, wrapper, [each]) for wrapper in WRAPPERS[lang][kind] for each in sentences(lang)]
    assert [text for text in texts if slots_of(text)] == []


@pytest.mark.parametrize("lang", LANGS)
@given(data=st.data())
def test_nor_are_several_in_one_wrapper(lang: str, data: st.DataObject) -> None:
    inner = data.draw(st.lists(st.sampled_from(sentences(lang)), min_size=2, max_size=3))
    around = (each for kind in WRAPPERS[lang].values() for each in kind)
    wrapper = data.draw(st.sampled_from([each for each in around if each.endswith(("{}", '{}"', "{}”"))]))
    assert slots_of(wrapped(lang, wrapper, inner)) == []


@given(data=st.data())
def test_every_quote_is_of_the_message_and_every_value_of_its_quote(data: st.DataObject) -> None:
    some = st.sampled_from([*sentences("en"), *sentences("zh"), "Is it?", "也许吧", "\n\n", "“", "```"])
    glue = st.sampled_from([". ", "。", "\n", ", ", "，", " lol "])
    text = "".join(data.draw(st.lists(st.tuples(some, glue).map("".join), min_size=1, max_size=5)))
    for each in claims([said(text)]):
        assert text[slice(*each.span)] == each.quote
        assert each.value in each.quote
        assert each.form != QUOTE or each.quote.strip()


@given(st.text(max_size=80))
def test_whatever_is_typed_every_segment_is_counted(text: str) -> None:
    counts: Counter[str] = Counter()
    claims([said(text)], counts)
    dropped = sum(number for name, number in counts.items() if name.startswith("segments.dropped."))
    assert counts["segments"] == counts["segments.kept"] + dropped


JOKES = [
    ("I'm the emperor of China.", "haha jk"),
    ("My name is Batman.", "just kidding, it's late"),
    ("我叫秦始皇。", "哈哈骗你的"),
    ("我住在火星。", "开玩笑的，别当真"),
]


@pytest.mark.parametrize(("words", "next_words"), JOKES)
def test_what_the_next_message_takes_back_as_a_joke_fills_no_slot(words: str, next_words: str) -> None:
    assert slots_of(words, next_words) == []


REMEMBERED = [
    ("Don't forget this: I'm allergic to bees.", ("allergy", "bees")),
    ("Please remember I'm allergic to nuts", ("allergy", "nuts")),
    ("My daughter is called Isla, remember that.", ("child", "Isla")),
    ("记住：我对花生过敏", ("allergy", "花生")),
    ("我住在杭州，帮我记一下。", ("lives_in", "杭州")),
]


@pytest.mark.parametrize(("words", "slot"), REMEMBERED)
def test_what_is_asked_to_be_remembered_is_meant(words: str, slot: tuple[str, str]) -> None:
    assert slot in [(each.attribute, each.value) for each in slots_of(words)]


@pytest.mark.parametrize(
    "group",
    ["frame", "takes_back", "remembered", "plays", "reminded", "presents", "presents_kin", "device", "speaks_as"],
)
def test_the_frames_keep_their_word(group: str) -> None:
    found = rules.load("frames", examples=True)[group].rules
    assert [(each.id, words) for each in found for words in each.data["yes"] if not each.search(words)] == []
    assert [(each.id, words) for each in found for words in each.data["no"] if each.search(words)] == []
