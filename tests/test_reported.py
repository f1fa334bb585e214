"""What was said to somebody else keeps its words: its "you" is not the one who reads the memory."""

from __future__ import annotations

import pytest
from spoken import told


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I told my brother you can't park there", 'User told their brother "you can\'t park there"'),
        (
            "I said to my mum you should eat less salt and she laughed",
            'User said to their mum "you should eat less salt" and she laughed',
        ),
        ("I asked Tom do you want to come to Ghent", 'User asked Tom "do you want to come to Ghent"'),
        ("我跟我妈说你少吃点咸的", "用户跟自己的妈说“你少吃点咸的”"),
        ("我说你这算道歉吗，他脸都红了", "用户说“你这算道歉吗”，他脸都红了"),
        ("我对他说：你先回家，路上小心", "用户对他说“你先回家”，路上小心"),
        ("我告诉我弟你要早点睡", "用户告诉自己的弟“你要早点睡”"),
        ("我说你敢动我的画我就报警，我弟不敢吭声", "用户说“你敢动我的画我就报警”，用户的弟不敢吭声"),
    ],
)
def test_you_in_what_was_said_to_another_is_quoted(text: str, content: str) -> None:
    assert told(text) == [content]


@pytest.mark.parametrize(
    "text",
    [
        "I told Anna that you helped me with the garden plan",
        "I told you that the old bridge in Ghent is closed",
        "我说你帮我查一下去大理的航班",
        "我跟你说你要记得提醒我交水费",
        "听说你会下围棋和象棋",
        "她让我别告诉别人，你别说出去",
        "我跟老板说了四月走，你帮我算算假期",
    ],
)
def test_who_speaks_to_the_assistant_means_the_assistant(text: str) -> None:
    assert not any(mark in content for content in told(text) for mark in '"“')
