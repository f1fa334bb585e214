"""Messages that only say what is to become of the ones before them: they stay between the two, or are not kept."""

from __future__ import annotations

from memory_system.phases.understanding.confided import wish_alone
from memory_system.phases.understanding.withheld import takes_back
from memory_system.turns import Turn

_SOON = 4  # turns within which a wish is about what the same one has said before


class Wishes:
    """Messages that say nothing but that what was said right before them stays between the two, or is not kept."""

    def __init__(self) -> None:
        self._before: dict[tuple[str, str, str], tuple[int, range]] = {}  # by voice its last turn, with its segments
        self._last: dict[tuple[str, str, str], list[int]] = {}  # the numbers of the last turns of each voice

    def heard(self, number: int, turn: Turn, lang: str) -> dict[int, str]:
        """The turns that the turn may mean, each with the wish: nobody can tell which of them is the secret."""
        message = turn.message
        if not message.is_first_hand:
            return {}
        voice = (message.session, message.role, message.speaker)
        soon = [each for each in self._last.get(voice, ()) if number - each < _SOON]
        if soon and (wish := wish_alone(message.text, lang)):
            return dict.fromkeys(soon, wish)
        self._last[voice] = [*soon, number]
        return {}

    def taken_back(self, number: int, turn: Turn, first: int) -> range:
        """The segments of what the same one said right before, where the turn asks not to keep it; `first` is the
        number of the turn's own first segment."""
        message = turn.message
        voice = (message.session, message.role, message.speaker)
        place, segments = self._before.get(voice, (-_SOON, range(0)))
        self._before[voice] = number, range(first, first + len(turn.segments))
        soon = number - place <= _SOON and message.is_first_hand and not message.is_noted
        return segments if soon and takes_back(message.text) else range(0)
