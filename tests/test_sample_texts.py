"""What an assistant writes for the user to send or to say is a quotation: its "I" is not the assistant."""

from __future__ import annotations

import pytest
from memory_system.phases.understanding.essays import (
    has_draft,
    in_one_line,
    is_drafted,
    is_sample,
    with_whole_quotations,
)
from spoken import claims, talk

LETTER = """Here is a letter that you could send to the bakery, with your ten years at the mill in it:

### Draft

Dear Mrs Harker,

I am writing to ask for the place of a night baker. At the mill I led a crew of six, and my experience
with rye would help you.

I look forward to your reply.

1. **Be brief**: Two paragraphs are enough for a bakery.
2. **Name the mill**: They will know it."""

BRIEF = """可以这样写这封申请，把您在磨坊的经历放进去，语气客气一些：

尊敬的何女士：

我写信是想应聘夜班面包师。我曾在磨坊担任六人小组的组长，对黑麦很熟悉。我的经验能帮到店里。

1. 简短：面包店的老板没有时间看长信。
2. 提到磨坊：他们知道那个地方。"""


def test_a_letter_is_told_as_a_quotation() -> None:
    told = in_one_line("### Draft\n\nDear Mrs Harker,\n\nI am writing to ask for work. My skills fit.", "en")

    assert told == "Draft: “Dear Mrs Harker. I am writing to ask for work. My skills fit”"


def test_advice_beside_a_sample_stays_advice() -> None:
    told = in_one_line("- **Be brief**: Two lines are enough.\n- I have managed two orchards.", "en")

    assert told == "Be brief: Two lines are enough; for example “I have managed two orchards”"


def test_a_chinese_letter_is_told_as_a_quotation() -> None:
    told = in_one_line("写得客气一些。\n尊敬的何女士：\n我曾在磨坊担任组长。\n我的经验能帮到店里。", "zh")

    assert told == "写得客气一些；尊敬的何女士：“我曾在磨坊担任组长。我的经验能帮到店里”"


@pytest.mark.parametrize(
    ("words", "lang"),
    [
        ("I recommend clay pots, and I can list more.", "en"),
        ("My suggestion is to wait a week.", "en"),
        ('Say "I led a crew of six" when they ask.', "en"),
        ("我建议用陶盆，我也可以再列几个。", "zh"),
        ("他们问起时就说“我曾在磨坊担任组长”。", "zh"),
    ],
)
def test_what_the_assistant_says_itself_is_no_sample(words: str, lang: str) -> None:
    assert not is_sample(words, lang)


@pytest.mark.parametrize(
    ("asked", "answer", "quotation", "wrong"),
    [
        ("Can you draft a letter to the bakery for me?", LETTER, "“Dear Mrs Harker. I am writing", "assistant led"),
        ("能帮我写一封给面包店的申请信吗？", BRIEF, "我曾在磨坊担任六人小组的组长", "助手曾在磨坊"),
    ],
)
def test_the_assistant_is_not_told_to_have_done_what_it_drafts(
    asked: str, answer: str, quotation: str, wrong: str
) -> None:
    told = " ".join(
        each.content for each in claims(talk(("user", asked), ("assistant", answer)), screen={"keep_share": 1})
    )

    assert quotation in told
    assert wrong not in told


TALK = """Here is how the talk could go, and how you could open your application for the mill:

**You:** "Hi Robin, I was wondering if you would mind me moving closer to the mill. What do you think?"
**Robin:** "I think it could be good for both of us. But let's talk about the rent before we tell the crew of the mill."

### Opening

My ten years of experience in bakeries make me a good fit.

I boosted the sales of rye bread by 42% within three months, and I would love the chance to do so again. Rye bread is
what the mill is known for in the whole valley, and the crew is proud of it.

I can help you with the closing, too."""
CHAT = """可以这样开口，再附上申请的开头：

**您：**“罗宾，我想问问，我搬到磨坊附近住，你介意吗？”
**罗宾：**“我觉得对我们俩都好，不过先谈谈房租。”

我的工作经验主要在烘焙方面。

我把黑麦面包的销量提高了四成，也想了解贵店的培训安排。

我可以再帮您改结尾。"""


@pytest.mark.parametrize(("answer", "lang"), [(TALK, "en"), (CHAT, "zh")])
def test_what_is_drafted_elsewhere_in_the_answer_is_no_deed_of_the_assistant(answer: str, lang: str) -> None:
    asked = {"en": "Can you help me with the talk and the application?", "zh": "能帮我准备这次谈话和申请吗？"}[lang]
    told = [each.content for each in claims(talk(("user", asked), ("assistant", answer)), screen={"keep_share": 1})]

    wrong = {
        "en": ("assistant boosted", "assistant was wondering", "assistant would love"),
        "zh": ("助手把", "助手也想了解"),
    }
    assert not [each for each in told if any(words in each for words in wrong[lang])]


@pytest.mark.parametrize(
    ("words", "lang", "drafted"),
    [
        ("I boosted the sales of rye bread by 42%.", "en", True),
        ("I can help you with the closing.", "en", False),
        ("Rye bread sells best in winter.", "en", False),
        ("我想了解贵店的培训安排。", "zh", True),
        ("我可以再帮您改结尾。", "zh", False),
    ],
)
def test_in_an_answer_with_a_draft_only_its_own_offers_are_the_assistants(words: str, lang: str, drafted: bool) -> None:
    assert has_draft({"en": TALK, "zh": CHAT}[lang], lang)
    assert is_drafted(words, lang) == drafted


@pytest.mark.parametrize(
    ("before", "words", "whole"),
    [
        ('Say:\n- **You:** "Hi Robin.', 'I moved."\n- Wait.', '"I moved."\n- Wait.'),
        ('**You:** "Hi." ', '**Robin:** "I moved.', '**Robin:** "I moved."'),
        ('A board of 5" and one of 3" ', "and a nail.", "and a nail."),
    ],
)
def test_a_passage_keeps_the_marks_of_the_quotation_it_was_cut_out_of(before: str, words: str, whole: str) -> None:
    assert with_whole_quotations(words, before) == whole
