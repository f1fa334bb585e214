"""What an assistant writes for the user to send or to say is a quotation: its "I" is not the assistant."""

from __future__ import annotations

import pytest
from spoken import claims, talk

from memory_system.phases.understanding.essays import in_one_line, is_sample

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
