"""Which messages of a session somebody else types than the owner: from one that sounds like a guest's, or that is
announced ("I'll give him the phone"), to the one in which the owner is back. That one also shows who typed what stands
before it. Weights have learned from labelled moments when the device changes hands (`corpus/turns.*.jsonl`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import dropwhile
from operator import itemgetter

from memory_system.privacy.pasted import Callings
from memory_system.text import language, simplified, straight
from memory_system.turns import Message
from memory_system.understand import features, guests
from memory_system.understand.guests import Names
from memory_system.understand.hearing import LABELS, sums_of
from memory_system.understand.weights import LANGUAGES, SCALE

TURNS = LABELS["turns"]
RETURNS, HANDS, LEAVES = TURNS
# Log-odds times `SCALE`, from which the device changes hands, and from which it does while a guest types.
TURN_FROM, WITHIN_FROM = 0, -SCALE
# The same, from which a guest may have typed what stands before the owner's return, and types who was announced.
SUSPECT, ANNOUNCED = -2 * SCALE, -7 * SCALE // 2
SURELY = 2 * SCALE  # the same, from which whoever types next after an announcement is a guest, however it sounds
VISITED = 2  # of a guest's messages after one that shows who types
REACH = 4  # of a person's messages that stand before the one in which the owner is back
_WORDS = 80  # characters of a message, and of the answer before it, that are heard


@dataclass(slots=True)
class _Typed:
    """A message, the names that were known by then, whether it was the session's first, how the device changes hands
    with it, and how surely, and the assistant's answer."""

    message: Message
    names: Names
    opens: bool
    turn: str
    surely: int
    answer: str = ""

    def sounds(self) -> int:
        """How much it sounds like a guest's, in log-odds times `SCALE`."""
        return guests.sum_of(straight(self.message.text), self.names, opens=self.opens, answer=self.answer)


def seen(words: str, before: str, lang: str) -> features.Seen:
    """What is seen of a message, and of what the assistant said right before it."""
    plain, answer = (simplified(straight(each))[:_WORDS] for each in (words, before))
    return features.of_words(plain, lang, features.beginnings_of(plain, lang), features.tokens_of(answer, lang))


def turn_of(words: str, before: str, least: int) -> str:
    """How the device changes hands with a message, from so many log-odds on; empty where it does not."""
    turn, surest = _surest_turn(words, before)
    return turn if surest >= least else ""


def _surest_turn(words: str, before: str) -> tuple[str, int]:
    lang = language(words)
    if lang not in LANGUAGES:
        return "", 0
    sums = sums_of("turns", lang, seen(words, before, lang))
    return max(zip(TURNS, sums, strict=True), key=itemgetter(1))


class Visits:
    """Who types the messages that pass by, session by session. In a group everybody has a name, and speaks for
    themselves."""

    def __init__(self, owner: Callings, near: Collection[str] = ()) -> None:
        self._owner = owner
        self._near = frozenset(near)  # names of those near the owner
        self._left: dict[str, int] = {}  # by session: how many messages more are a guest's
        self._typed: dict[str, deque[_Typed]] = {}  # by session: what was typed last

    def hear(self, message: Message) -> tuple[bool, list[str]]:
        """Whether a guest types the message, and the refs of those before it that it shows to be a guest's."""
        if not message.is_first_hand:
            return False, [*self._greeted(message)]
        if message.speaker:
            return False, []
        left = self._left.pop(message.session, 0)
        typed = self._put(message, WITHIN_FROM if left else TURN_FROM)
        sounds = typed.sounds()
        if typed.turn in (RETURNS, LEAVES) and sounds < guests.FROM:
            earlier = [*self._before(message.session)]
            return typed.turn == LEAVES and bool(left or earlier), earlier
        if sounds >= self._guests_from(message.session):
            left = VISITED + 1
        if left:
            self._left[message.session] = left - 1
        return bool(left), []

    def _put(self, message: Message, least: int) -> _Typed:
        held = self._typed.setdefault(message.session, deque(maxlen=REACH + 1))
        before = held[-1].answer if held else ""
        names = Names(self._owner.names, self._near)
        turn, surely = _surest_turn(message.text, before)
        held.append(_Typed(message, names, not held, turn if surely >= least else "", surely))
        return held[-1]

    def _guests_from(self, session: str) -> int:
        """From which sum the last message is a guest's, by what the one before it announces."""
        held = self._typed[session]
        if len(held) < 2 or held[-2].turn != HANDS:
            return guests.FROM
        return ANNOUNCED if held[-2].surely < SURELY else guests.SURELY_NOT

    def _before(self, session: str) -> Iterator[str]:
        """The refs of what a guest has typed before the owner is back: from the first that may be a guest's on."""
        *held, last = self._typed[session]
        self._typed[session] = deque([last], maxlen=REACH + 1)
        return (each.message.ref for each in dropwhile(lambda each: each.sounds() < SUSPECT, held))

    def _greeted(self, answer: Message) -> Iterator[str]:
        """The ref of the message that an assistant answers, where the answer shows that somebody else has typed it: it
        greets them."""
        if not (held := self._typed.get(answer.session)):
            return
        last = held[-1]
        last.answer = answer.text
        if guests.shows_whom(last.message.text, last.names, answer.text) and last.sounds() >= guests.FROM:
            # as a rule the next message is a guest's as well
            self._left[answer.session] = max(1, self._left.get(answer.session, 0))
            yield last.message.ref
