"""What flows through a run and is not stored as it is: messages with their segments, and what these claim. All are
slotted dataclasses; times are UTC text, as in `records`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from memory_system import text
from memory_system.records import EventTime
from memory_system.text.traditional import simplified

NOTE_ROLES = frozenset({"note", "agent"})


@dataclass(slots=True)
class Message:
    """One message of a transcript or one entry of a daily note, redacted. `role` is user, assistant, note or agent (a
    note that an agent has written); `speaker` is a person's name where the session names one, else empty; `chat` is
    the kind of shared chat it was said in, empty for a private one."""

    session: str
    entry: str
    role: str
    speaker: str
    said_at: str
    text: str
    chat: str = ""

    @property
    def ref(self) -> str:
        return f"{self.session}:{self.entry}"

    @property
    def is_noted(self) -> bool:
        """Whether it stands in a note, whoever wrote it."""
        return self.role in NOTE_ROLES

    @property
    def is_first_hand(self) -> bool:
        """Whether a person speaks, and no nameless assistant."""
        return self.role != "assistant" or bool(self.speaker)


@dataclass(slots=True)
class Segment:
    """The span text[start:end] of a message. `kind`: statement, question, instruction, chat. Phase 2 adds importance
    and the ids of the rules that fired."""

    start: int
    end: int
    kind: str
    importance: float = 0.0
    rules: tuple[str, ...] = ()


@dataclass(slots=True)
class Turn:
    """A message with those of its segments that are still in play; `asked` is the question it may answer, `topic` what
    the talk was about before it, and `own_topic` whether the same one said so; `answered` whether an assistant's answer
    stands right before it, `confided` the wish, said after it, that it stays between the two; `follows` is the ref of
    the message before it that the same one said."""

    message: Message
    segments: list[Segment] = field(default_factory=list)
    asked: str = ""
    topic: str = ""
    own_topic: bool = False
    confided: str = ""
    answered: bool = False
    follows: str = ""

    def text_of(self, segment: Segment) -> str:
        return self.message.text[segment.start : segment.end]

    def to_line(self) -> bytes:
        """The turn as one line of JSONL, as it is staged: of what there is very much, values without their names."""
        said = self.message
        row = {
            "message": (said.session, said.entry, said.role, said.speaker, said.said_at, said.text, said.chat),
            "segments": [(each.start, each.end, each.kind, each.importance, each.rules) for each in self.segments],
            "around": (self.asked, self.topic, self.own_topic, self.confided, self.answered, self.follows),
        }
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)

    @classmethod
    def staged(cls, row: Mapping[str, Any]) -> Turn:
        """The turn of a staged row."""
        segments = [
            Segment(start, end, kind, importance, tuple(fired))
            for start, end, kind, importance, fired in row["segments"]
        ]
        return cls(Message(*row["message"]), segments, *row["around"])

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Turn:
        """The turn of a row with names, which a newer program may read: it waits for an answer."""
        segments = [
            Segment(each["start"], each["end"], each["kind"], each["importance"], tuple(each["rules"]))
            for each in row["segments"]
        ]
        asked, topic, own = row["asked"], row.get("topic", ""), row.get("own_topic", False)
        confided = row.get("confided", "")
        answered, follows = row.get("answered", False), row.get("follows", "")
        message = Message(**row["message"])
        return cls(message, segments, asked, topic, own, confided, answered, follows)


@dataclass(slots=True)
class Claim:
    """What a segment means. `confidence` is 1 for what was stated, less for what makes a belief; `modality` is stated,
    hedged, planned, past, hypothetical or reported; `correction` says that the speaker takes something back."""

    content: str
    category: str
    subject: str
    importance: float
    lang: str
    quote: str
    ref: str
    span: tuple[int, int]
    said_at: str
    role: str
    method: str
    attribute: str = ""
    value: str = ""
    polarity: bool = True
    modality: str = "stated"
    confidence: float = 1.0
    basis: str = ""
    correction: bool = False
    entities: tuple[str, ...] = ()
    event_time: EventTime | None = None
    expires: str | None = None
    chat: str = ""  # as in Message
    trust: str = ""  # whose words they are where the role does not say it: a person's who speaks as the assistant

    @property
    def origin(self) -> str:
        """Where the claim comes from, to the character: part of the memory's id."""
        return f"{self.ref}@{self.span[0]}-{self.span[1]}"

    @property
    def heard(self) -> str:
        """The quote as rules read it, as long as it is."""
        return text.paused(simplified(self.quote))

    def to_line(self) -> bytes:
        """The claim as one line of JSONL, as it is staged."""
        return orjson.dumps(self, default=vars) + b"\n"

    @classmethod
    def staged(cls, row: dict[str, Any]) -> Claim:
        """The claim of a staged row, which it uses up. Its values go by their order: each name would be looked for
        among all."""
        return cls(*map(_typed(row).__getitem__, cls.__match_args__))

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Claim:
        """The claim of a row that may be another program's, which it uses up."""
        return cls(**_typed(row))


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a claim, with what JSON has no types for."""
    event = row["event_time"] and EventTime.model_validate(row["event_time"])
    row["span"], row["entities"], row["event_time"] = tuple(row["span"]), tuple(row["entities"]), event
    return row
