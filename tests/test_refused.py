"""What the owner does not want to be so fills no slot."""

from __future__ import annotations

import pytest
from spoken import claims, said


@pytest.mark.parametrize(
    ("words", "refused"),
    [("别叫我小满了，叫阿满吧。", "小满"), ("不要叫我王总。", "王总"), ("Don't call me Bobby, please.", "Bobby")],
)
def test_a_name_that_is_refused_is_none(words: str, refused: str) -> None:
    names = [each.value for each in claims([said(words)]) if each.polarity and each.attribute in ("name", "nickname")]
    assert not [each for each in names if refused in each]
