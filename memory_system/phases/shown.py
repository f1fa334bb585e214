"""What of a night's talk a language model reads: the owner's words (and those of people with a name) as numbered lines,
redacted and whole, what the assistant asked right before them, the beginning of what was pasted beside them, and
nothing that is withheld, held back or code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import Enum, auto
from itertools import groupby
from operator import itemgetter

from memory_system import clock, text
from memory_system.phases.screen import SECRET, Judged, Weighed
from memory_system.turns import Message, Segment, Turn
from memory_system.understand.quotes import leans
from memory_system.understand.whose import Owner, owners
from memory_system.understand.withheld import WITHHELD

LONG = 400  # characters of a line, above which a message is several
PASTED = 120  # characters of what the owner pasted, as what their words are about: its beginning
ASKED = 160  # characters of the assistant's words that stand before what they were answered with: their end
FRAME = 6  # tokens of a line beside its words
BARRED = frozenset({WITHHELD, "quarantined", SECRET})  # reasons for which words are not shown
QUOTED = "quoted"  # the reason of what is somebody else's
_FENCES = ("```", "~~~")
_DAYS = {
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
}


class Showing(Enum):
    """Where words may stand in a question."""

    LINE = auto()  # as their speaker's
    BRACKETS = auto()  # as somebody else's
    NOWHERE = auto()


@dataclass(slots=True)
class Line:
    """Neighbouring segments of one message as a line. `before` is what the assistant said right before it, `pasted` how
    that begins which the message holds of others' words."""

    message: Message
    judged: list[Judged]
    before: str = ""
    pasted: str = ""

    @property
    def span(self) -> tuple[int, int]:
        return self.judged[0].segment.start, self.judged[-1].segment.end

    @property
    def words(self) -> str:
        return self.message.text[slice(*self.span)]

    @property
    def worth(self) -> tuple[float, int]:
        """By what a line is preferred to others: how much what is kept of it matters, and how surely it is kept."""
        return max((0.0 if each.reason else each.segment.importance, each.worth) for each in self.judged)

    @property
    def tokens(self) -> int:
        return FRAME + sum(map(text.estimate_tokens, (plain(self.words), self.before, self.pasted)))

    @property
    def segments(self) -> list[Segment]:
        return [each.segment for each in self.judged]

    @property
    def turn(self) -> Turn:
        return Turn(self.message, self.segments, self.before)

    def text_of(self, judged: Judged) -> str:
        return self.message.text[judged.segment.start : judged.segment.end]

    def moment(self, zone: tzinfo) -> datetime:
        """When it was said, where the owner lives."""
        return clock.read_stamp(self.message.said_at).astimezone(zone)

    def to_row(self) -> dict[str, object]:
        """The line as it waits for a late answer."""
        return {"turn": self.turn.to_line().decode(), "why": [(each.worth, each.reason) for each in self.judged]}


def plain(words: str) -> str:
    """Words of a conversation as part of a line: on one line, and unable to close the frame around it."""
    return " ".join(words.split()).replace("<", "‹").replace(">", "›")


def lines_of(heard: Iterable[Weighed]) -> Iterator[Line]:
    """The lines of judged turns, session by session."""
    said: dict[str, str] = {}  # of the session, by ref, what may be shown of the assistant's words
    session = ""
    for turn, judged in heard:
        message = turn.message
        if message.session != session:
            session, said = message.session, {}
        visible, pasted = _runs(turn, judged)
        if not message.is_first_hand:
            said[message.ref] = " ".join(message.text[run[0].segment.start : run[-1].segment.end] for run in visible)
        elif message.role != "agent" and (message.speaker or not message.chat):  # it is known which person speaks
            for line in _lines(turn, visible, said.get(turn.before_ref, ""), pasted):
                if line.before:
                    said.pop(turn.before_ref)  # once is enough
                yield line


def _lines(turn: Turn, visible: Iterable[Sequence[Judged]], said: str, pasted: str) -> Iterator[Line]:
    before = _asked(said, turn.message.text)
    for part in (each for run in visible for each in _short(run)):
        yield Line(turn.message, part, before, pasted)
        before = pasted = ""


def _runs(turn: Turn, judged: Sequence[Judged]) -> tuple[list[list[Judged]], str]:
    """Stretches of neighbouring segments that may be shown, and how the words of others among the rest begin."""
    forms = owners(turn.message.text, [(each.segment.start, each.segment.end) for each in judged])
    places = [
        (each, _showing_of(each, form, turn.text_of(each.segment))) for each, form in zip(judged, forms, strict=True)
    ]
    runs = [(place, [each for each, _ in group]) for place, group in groupby(places, key=itemgetter(1))]
    others = " ".join(turn.text_of(each.segment) for place, run in runs if place is Showing.BRACKETS for each in run)
    return [run for place, run in runs if place is Showing.LINE], text.shortened(plain(others), PASTED)


def _showing_of(judged: Judged, form: Owner, words: str) -> Showing:
    """Where the words of a segment may stand."""
    if judged.reason in BARRED or words.startswith(_FENCES):
        return Showing.NOWHERE
    return Showing.BRACKETS if form is Owner.OTHERS or judged.reason == QUOTED else Showing.LINE


def _short(run: Sequence[Judged]) -> Iterator[list[Judged]]:
    part: list[Judged] = []
    for each in run:
        if part and each.segment.end - part[0].segment.start > LONG:
            yield part
            part = []
        part.append(each)
    if part:
        yield part


def _asked(said: str, answer: str) -> str:
    """What of the assistant's words an answer leans on: their last sentences, where it does."""
    said = said.rstrip()
    if not said.endswith(("?", "？")) and not leans(answer, text.language(answer)):
        return ""
    end = plain(said)[-ASKED:]
    if len(said) <= ASKED:
        return end
    spans = list(text.sentences(end))
    return end[spans[1][0] :] if len(spans) > 1 else f"…{end}"


def talk(lines: Sequence[Line], zone: tzinfo, lang: str) -> str:
    """The lines as the model reads them, numbered from one, under the day of each session."""
    told: list[str] = []
    headed: tuple[str, str] | None = None
    for number, line in enumerate(lines, 1):
        moment = line.moment(zone)
        day = f"{moment:%Y-%m-%d} {_DAYS[lang][moment.weekday()]}"
        if headed != (line.message.session, day):
            headed = line.message.session, day
            told.append(f"# {day}")
        if line.before:
            told.append(f"({line.before})")
        if line.pasted:
            told.append(f"[{line.pasted}]")
        who = f"{plain(line.message.speaker)}: " if line.message.speaker else ""
        told.append(f"{number} {moment:%H:%M} {who}{plain(line.words)}")
    return "\n".join(told)
