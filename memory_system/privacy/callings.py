"""What the owner is called, as far as a letter needs it: whom it greets, and who has signed it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from memory_system import rules

if TYPE_CHECKING:
    from memory_system.turns import Message

_GREETING = re.compile(
    r"^\s*(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|greetings|尊敬的|亲爱的|您好|你好)[ ,，]*"
)
_AFTER_NAME = re.compile("[,，:：!！]")
_EDGES = " \t\n\r,.!?:;—–-，。！？：；"
_SIGNATURE_LINES = 3  # a name, and what its bearer does


class Callings:
    """What the owner is called: the names that are known, and those by which they introduce themselves."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = {name.strip().casefold() for name in names if name.strip()}

    def hear(self, message: Message) -> None:
        """Take in the name that the owner gives in the first line of a message."""
        text = message.text
        if not _may_introduce(text):
            return
        for rule in rules.load("trust")["introduces"].firing(text):
            found = next(rule.found(text))
            if "\n" not in text[: found.span[1]]:
                self._names.add(found.parts["name"].casefold())

    def is_another(self, name: str) -> bool:
        """Whether it is surely not theirs: none of the names that are known, nor a short or long form of one."""
        who = name.casefold()
        mine = any(_calls(who, each) or who.startswith(each) or each.startswith(who) for each in self._names)
        return bool(self._names) and not mine

    def are_named(self, words: str) -> bool:
        """Whether the words speak of them by a name."""
        folded = words.casefold()
        return any(name in folded for name in self._names)

    def is_greeted(self, line: str) -> bool:
        """Whether the line greets the owner: Dear Ms Holm, 周女士您好."""
        who = _AFTER_NAME.split(_GREETING.sub("", line.casefold()).strip(_EDGES))[0].strip()
        return any(_calls(who, name) for name in self._names) if who else False

    def signs(self, letter: str) -> bool:
        """Whether the owner's name stands below the letter."""
        lines = [line.strip(_EDGES).casefold() for line in letter.splitlines()[1:] if line.strip(_EDGES)]
        return any(_is_name(line, name) for line in lines[-_SIGNATURE_LINES:] for name in self._names)


def _may_introduce(text: str) -> bool:
    """A look at every message, dearer than which no rule may be: whether somebody may say what they are called."""
    english = "'m " in text or "’m " in text or " am " in text or "im " in text or "ame" in text or "all me " in text
    return english or "我叫" in text or "我姓" in text or "名" in text


def _calls(who: str, name: str) -> bool:
    """Whether the words of a greeting are that name, or a part of it with a title."""
    if name.isascii():
        words = name.split()
        return who in (name, words[0]) or (
            len(words) > 1 and bool(re.fullmatch(rf"m[rs]s?\.? {re.escape(words[-1])}", who))
        )
    return who.startswith(name) or (len(name) > 2 and who.startswith(name[1:])) or bool(_titled(name[0]).match(who))


def _is_name(line: str, name: str) -> bool:
    """Whether the line of a signature is that name, with or without the family's."""
    if name.isascii():
        return line == name or line.split()[0].strip(_EDGES) == name.split()[0]
    return line in (name, name[1:]) or (len(line) > 1 and name.startswith(line)) or line.endswith(name)


@cache
def _titled(family: str) -> re.Pattern[str]:
    return re.compile(rf"{family}[^，,。]{{0,2}}(?:先生|女士|小姐|老师|经理|师傅|总|工|哥|姐)|[小老]{family}")
