"""Whose words a message holds, by its form alone."""

from __future__ import annotations

import pytest

from memory_system.understand.whose import Owner, owners


def owned(*parts: str) -> list[Owner]:
    """Whose each part of a message is."""
    spans, at = [], 0
    for each in parts:
        spans.append((at, at + len(each.rstrip())))
        at += len(each)
    return owners("".join(parts), spans)


@pytest.mark.parametrize(
    ("parts", "own"),
    [
        (("ok\n", "产假到明年1月8号\n", "我对虾过敏"), 3),
        (("……\n", "他帽子是我妈织的\n"), 2),
        (("OK。", "订的三十份下午茶也免了。", "我去楼下买咖啡。", "这家好像换豆子了。"), 4),
        (("Also, I'm allergic to peanuts. ", "我在云帆科技上班。"), 2),
        (("帮我翻译一下 ", "My name is Lucy. ", "I am six years old. ", "I can't eat any peanuts."), 1),
        (("thanks ah\n", "我對海鮮過敏，", "請不要給我蝦子"), 1),
        (("她发我个方子你看行不行\n", "【清蒸鲈鱼】鲈鱼一条。", "本人对花生过敏。"), 1),
        (("老师要家长签字的\n", "《我的父亲》我的父亲是消防员。", "他左手被烧伤了。"), 1),
    ],
)
def test_what_may_be_another_text_is_doubted_and_nothing_else(parts: tuple[str, ...], own: int) -> None:
    found = owned(*parts)
    assert found[:own] == [Owner.OWN] * own
    assert all(each > Owner.OWN for each in found[own:])
