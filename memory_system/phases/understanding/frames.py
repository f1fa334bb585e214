"""Made-up talk that goes on: who is somebody else in a story, a game or a play ("in my novel I'm a pirate") tells
nothing of themselves until the message ends or they say that it is over; who plays with the assistant, for some
messages more.
"""

from __future__ import annotations

import re
from datetime import timedelta

from memory_system import clock, rules
from memory_system.phases.understanding.gates import may_hold
from memory_system.phases.understanding.scene import as_rules_see
from memory_system.text import SENTENCE_SIGN
from memory_system.turns import Message

FICTION = "fiction"  # the reason why a segment inside is dropped

_PARAGRAPH = re.compile(r"\n\s*\n")
_MOST = 6  # messages for which a game goes on when nobody says that it is over
_PAUSE = timedelta(hours=1)  # after which nobody is playing any more


class Frames:
    """What is made up in the messages of a night, which are asked for in order."""

    def __init__(self) -> None:
        # by session: messages it may still go on for, and when the last was said
        self._open: dict[str, tuple[int, str]] = {}

    def made_up(self, message: Message, lang: str) -> tuple[int, int]:
        """The stretch of the message that is made up; empty for most."""
        words = message.text
        goes_on = self._goes_on(message) if self._open else 0
        marked = may_hold(words, "frame", lang)
        if not (goes_on or marked):
            return 0, 0
        plain = as_rules_see(words)
        start, plays = _opened(plain, lang) if marked else (-1, False)
        start = 0 if goes_on else start
        end = _over(plain, start, lang) if start >= 0 else start
        left = _MOST if plays else goes_on - 1
        if end == len(plain) and (plays or left > 0):
            self._open[message.session] = left, message.said_at
        else:
            self._open.pop(message.session, None)
        return max(0, start), max(0, end)

    def _goes_on(self, message: Message) -> int:
        """For how many messages a game of the session may go on, this one counted."""
        left, last = self._open.get(message.session, (0, ""))
        late = last and clock.read_stamp(message.said_at) - clock.read_stamp(last) > _PAUSE
        return 0 if late else left


def _opened(plain: str, lang: str) -> tuple[int, bool]:
    """Where the words begin that are said as somebody else (-1: nowhere), and whether the speaker plays them: behind
    the sentence that says so, which can be told by itself, and where two say it with the second."""
    firing = [rule for rule in rules.load(lang)["frame"].firing(plain) if not rule.data.get("over")]
    if not firing:
        return -1, False
    first, last = min(next(rule.found(plain)).span for rule in firing)
    within = [mark.end() for mark in SENTENCE_SIGN.finditer(plain, first, last)]
    mark = SENTENCE_SIGN.search(plain, last)
    start = within[-1] if within else mark.end() if mark else len(plain)
    return start, any(rule.data.get("plays") for rule in firing)


def _over(plain: str, start: int, lang: str) -> int:
    """Where the speaker is themselves again: at a new paragraph, or where they say so."""
    paragraph = _PARAGRAPH.search(plain, start)
    end = paragraph.start() if paragraph else len(plain)
    for rule in rules.load(lang)["frame"].firing(plain[start:end]):
        if rule.data.get("over"):
            first = start + next(rule.found(plain[start:end])).span[0]
            end = min(end, first)
    return end
