"""Messages that say nothing but that what was said right before them stays between the two."""

from __future__ import annotations

from memory_system.phases.understanding.confided import wish_alone
from memory_system.phases.understanding.withheld import SOON
from memory_system.turns import Turn


class Wishes:
    """What each one has said lately, of which a wish that follows may be."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str, str], list[int]] = {}  # the numbers of the last turns of each voice

    def heard(self, number: int, turn: Turn, lang: str) -> dict[int, str]:
        """The turns that the turn may mean, each with the wish: nobody can tell which of them is the secret."""
        message = turn.message
        if not message.is_first_hand:
            return {}
        voice = (message.session, message.role, message.speaker)
        soon = [each for each in self._last.get(voice, ()) if number - each < SOON]
        if soon and (wish := wish_alone(message.text, lang)):
            return dict.fromkeys(soon, wish)
        self._last[voice] = [*soon, number]
        return {}
