"""What flows through a run and is not stored as it is: messages with their segments, and what these claim. All are
slotted dataclasses; times are UTC text, as in `records`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import orjson

from memory_system.records import EventTime, Evidence, Place

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
    """The span text[start:end] of a message, and what phase 2 makes of it: the kind that it is kept as (`keep`), how it
    is meant (`stance`), what it does to something said before (`change`), importance, how surely it is meant in earnest
    (`earnest`), which attributes it tells of (`tells`), and how surely it does each of the judge's changes (`changes`);
    both as sums of the judge."""

    start: int
    end: int
    keep: str = ""
    stance: str = ""
    change: str = ""
    importance: float = 0.0
    earnest: int = 0
    tells: tuple[str, ...] = ()
    changes: tuple[int, ...] = ()


_values_of = attrgetter(*Segment.__slots__)


@dataclass(slots=True)
class Turn:
    """A message with those of its segments that are still in play. `before` is the end of what somebody else said right
    before it in the session, `earlier` the beginning of what its own speaker said last, each with its ref; `follows`
    says which of the two was said right before the message, and not long before; `namer` is where the session has last
    named somebody, of a message that speaks of "her". `barred` are the spans of what must
    not be quoted: others' words, what is withheld or held back."""

    message: Message
    segments: list[Segment] = field(default_factory=list)
    before: str = ""
    before_ref: str = ""
    earlier: str = ""
    earlier_ref: str = ""
    follows: str = ""  # before, earlier
    namer: Place | None = None
    barred: tuple[tuple[int, int], ...] = ()

    def text_of(self, segment: Segment) -> str:
        return self.message.text[segment.start : segment.end]

    def to_line(self) -> bytes:
        """The turn as one line of JSONL, as it is staged: of what there is very much, values without their names."""
        said = self.message
        row = {
            "message": (said.session, said.entry, said.role, said.speaker, said.said_at, said.text, said.chat),
            "segments": [_values_of(each) for each in self.segments],
            "before": (self.before, self.before_ref, self.earlier, self.earlier_ref, self.follows),
            "namer": self.namer and (self.namer.ref, self.namer.start, self.namer.end),
            "barred": self.barred,
        }
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)

    @classmethod
    def staged(cls, row: Mapping[str, Any]) -> Turn:
        segments = [Segment(*(*each[:-2], tuple(each[-2]), tuple(each[-1]))) for each in row["segments"]]
        barred = tuple((start, end) for start, end in row.get("barred", ()))
        before, before_ref, earlier, earlier_ref, follows = (*row["before"], "", "", "")[:5]  # older rows hold less
        named = row.get("namer")
        namer = Place(ref=named[0], start=named[1], end=named[2]) if named else None
        said = Message(*row["message"])
        return cls(said, segments, before, before_ref, earlier, earlier_ref, follows, namer, barred)


@dataclass(slots=True)
class Claim:
    """What a segment gives. A claim (`form` "claim") fills a slot; a quote ("quote") is kept word by word and fills
    none; a statement ("statement") is a model's sentence. `confidence` is 1 for what was asserted, less for what makes
    a belief; `change` says what it does to something said before; `context` are the spans that a quote leans on, and
    `beside` the words there, of one that changes something."""

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
    confidence: float = 1.0
    basis: str = ""
    entities: tuple[str, ...] = ()
    event_time: EventTime | None = None
    expires: str | None = None
    chat: str = ""  # as in Message
    trust: str = ""  # whose words they are where the role does not say it: a person's who speaks as the assistant
    form: str = "claim"
    stance: str = "asserted"
    speaker: str = ""  # the name of a person who is not the owner
    change: str = ""
    changes: tuple[int, ...] = ()  # as in Segment
    context: tuple[Place, ...] = ()
    beside: str = ""
    tells: tuple[str, ...] = ()  # attributes that a quote or a statement tells of
    asked_by: tuple[str, ...] = ()  # a question and other words by which somebody may ask for it
    also: tuple[Evidence, ...] = ()  # more words that a statement rests on
    target: str = ""  # the id of the memory that it changes, where that was named
    instead: tuple[str, ...] = ()  # the ids of quotes of the same words, in whose place it stands

    @property
    def origin(self) -> str:
        """Where the claim comes from, to the character: part of the memory's id."""
        return f"{self.ref}@{self.span[0]}-{self.span[1]}"

    def to_line(self) -> bytes:
        return orjson.dumps(self, default=vars) + b"\n"

    @classmethod
    def staged(cls, row: dict[str, Any]) -> Claim:
        event = row["event_time"] and EventTime.model_validate(row["event_time"])
        context = tuple(Place.model_validate(each) for each in row["context"])
        also = tuple(Evidence.model_validate(each) for each in row["also"])
        lists = {name: tuple(row[name]) for name in ("span", "entities", "instead", "tells", "asked_by", "changes")}
        return cls(**{**row, **lists, "event_time": event, "context": context, "also": also})
