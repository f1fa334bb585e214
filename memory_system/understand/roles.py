"""Which messages of a session are said in a role: from where parts are given out to where the play ends. Rules know
words that give out parts, and weights have learned from labelled messages how people begin and end such play
(`corpus/roles.*.jsonl`).
"""

from __future__ import annotations

import re

from memory_system.text import language, simplified, straight
from memory_system.turns import Message, Turn
from memory_system.understand import features
from memory_system.understand.hearing import LABELS, sums_of
from memory_system.understand.played import WITHIN_FROM, may_be_played
from memory_system.understand.weights import LANGUAGES, SCALE
from memory_system.understand.whose import framed, frames_in

PARTS = LABELS["roles"]
# Log-odds times `SCALE`, from which a message begins a play, and from which it ends the one that goes on.
BEGINS_FROM, ENDS_FROM = SCALE // 2, -SCALE // 2
PLAYED = 6  # of the owner's messages after parts were given out
EARNEST = 2 * SCALE  # of a later one, the judge's log-odds times its `SCALE`, from which it has left the role
_WORDS = 200  # characters of a message that are heard
_STOP = re.compile(r"[.!?:。！？：\n]")
_CLOSES = ' \n"”」』)）*'


def seen(words: str, lang: str) -> features.Seen:
    """What is seen of a message."""
    plain = simplified(straight(words))[:_WORDS]
    return features.of_words(plain, lang, features.beginnings_of(plain, lang))


def parts_of(words: str) -> tuple[int, ...]:
    """How surely a message begins a play, and ends one, in log-odds times `SCALE`."""
    lang = language(words)
    return sums_of("roles", lang, seen(words, lang)) if lang in LANGUAGES else (-SCALE * SCALE,) * 2


class Roles:
    """The plays that go on, session by session."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}  # by session: how many messages more are said in a role
        self._begun = ""  # the ref of the owner's message that gave out parts last

    def is_played(self, message: Message) -> bool:
        """Whether a person's message is said in a role. An assistant may give out parts as well."""
        words = straight(message.text)
        if not message.is_first_hand:
            self._hear_assistant(message.session, words)
        if not message.is_first_hand or message.speaker:
            return False
        left = self._left.pop(message.session, 0)
        begins, ends = parts_of(words)
        if begins >= BEGINS_FROM or "plays" in frames_in(words):
            self._left[message.session], self._begun = PLAYED, message.ref
            return False
        if left and ends >= ENDS_FROM:
            return False
        if left:
            self._left[message.session] = left - 1
        return bool(left)

    def begins(self, message: Message) -> bool:
        """Whether the owner's message, which was heard last, gives out parts."""
        return message.ref == self._begun

    def _hear_assistant(self, session: str, answer: str) -> None:
        """An assistant speaks in a role, or gives one out; whoever only asks whether to play gives none."""
        ends = (_STOP.search(answer, found.span[1]) for found in framed("plays", answer))
        if "speaks_as" in frames_in(answer) or any(end is None or end[0] not in "?？" for end in ends):
            self._left[session] = PLAYED

    def leaves(self, turn: Turn, earnest: int) -> bool:
        """End the role where a message that may be played is not, by how surely its segments are meant, taken together.
        What comes first after parts were given out is played however it sounds, and so is what answers a question."""
        left = self._left.get(turn.message.session, 0)
        answers = turn.follows == "before" and turn.before.rstrip(_CLOSES).endswith(("?", "？"))
        if left >= PLAYED - 1 or earnest < EARNEST or answers or may_be_played(turn.message.text, WITHIN_FROM):
            return False
        self._left.pop(turn.message.session, None)
        return True
