"""A question as those whom it names would ask it of themselves. What people say of themselves names nobody: "When did I
move?" means nearly the same as what Nora has said of her move, and "When did Nora move?" does not."""

from __future__ import annotations

import re
from collections.abc import Collection

from memory_system.recall.speakers import named_speakers
from memory_system.text import CJK, language, nfkc

_PARTS = re.compile(r"\w{3,}")
_BEFORE, _AFTER = rf"(?<![^\W{CJK}])", rf"(?![^\W{CJK}])"  # no letter, or one of Chinese, which has no blanks
_OWNER = r"(?P<owner>['’]s?(?!\w))?"


def of_oneself(question: str, speakers: Collection[str]) -> str:
    """The question with "I" and "my" (我) for the speakers whom it names; as it is where it names none."""
    text = nfkc(question)
    forms = {form for name in named_speakers(text, speakers) for form in (nfkc(name), *_PARTS.findall(nfkc(name)))}
    if not forms:
        return question
    one = "|".join(map(re.escape, sorted(forms, key=lambda form: (-len(form), form))))
    name = re.compile(rf"{_BEFORE}(?:{one})(?:\s+(?:{one}))*{_AFTER}{_OWNER}", re.IGNORECASE)
    return name.sub("我" if language(text) == "zh" else _english, text)


def _english(name: re.Match[str]) -> str:
    """Without a capital it may be another word: "when will it be ready", where one of the speakers is Will."""
    if name[0].islower():
        return name[0]
    return "my" if name["owner"] else "I"
