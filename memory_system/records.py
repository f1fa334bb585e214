"""What is stored: frozen pydantic models that keep keys they do not know. Times are UTC text as `clock.stamp` prints
them, so text order is time order. What only flows through a run is in `turns`.

Glossary (the words of the code, the docs and the output):

Workspace 工作区        a folder with one user's (or agent's) files
Transcript 会话记录     a session's file; read, never written
Session 会话 · Message 消息 · Segment 片段 (a span of one message that can be judged alone)
Turn                    a message with its segments, as it passes from phase to phase
Importance 重要度       0..1, how much it would matter to forget it
Claim                   what extraction says a segment means
Fact 事实 (stated) · Belief 推断 (inferred, with confidence and basis) · Summary 摘要
Entity 实体 · Profile 实体档案
Slot                    subject + attribute, such as user + lives_in
Ref 出处                `session:entry`, where words were said
Evidence 证据           ref + quote + said_at + role + trust
Supersede 取代          a newer value wins, the older is kept as history
Score 权重              retention; decays
Archive 归档 (cold, can return) · Reactivate 激活 · Forget 遗忘 (gone)
Snapshot 快照           layer 1: what the agent reads every morning
Consolidate 整合 · Phase 阶段 · Night (one scheduled slot) · Run (one call of consolidate) · Journal · Checkpoint 检查点
Inbox                   captures not yet folded in
Reader (of one transcript format) · Rule set · Problem (bad data, counted) · Capture (one memory by hand)
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, ClassVar, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

Pool = Literal["active", "archive"]
POOLS: tuple[Pool, ...] = ("active", "archive")

WORDS = frozenset({"content", "subject", "attribute", "value", "polarity"})  # fields that make what a memory says
# fields that stay as the owner has set them
SETTABLE = WORDS | {
    "importance", "category", "entities", "event_time", "expires", "pinned", "sensitivity", "confidence",
}  # fmt: skip
# fields that make how a memory is told: what another way of putting it replaces
TELLING = (
    "content", "attribute", "value", "category", "entities", "event_time", "expires", "lang", "method", "form",
    "speaker", "context", "tells", "asked_by",
)  # fmt: skip
NEWER = ("outdated_by", "likely_outdated_by")  # fields that name the newer memory by which one is outdated
NOT_LIKELY = {"likely_outdated_by": None, "likely_surely": None}  # what one has that nothing likely makes outdated
STANDING = {"outdated_by": None, **NOT_LIKELY}  # and one that nothing does
RETURNED = {"retired": None, "superseded_by": None, "valid_to": None}  # what one that leaves the archive loses
USER, ASSISTANT = "user", "assistant"  # the subjects that are no names
# what memories call a user and an assistant of whom no name is known
USER_NAME = {"zh": "用户", "en": "User"}
ASSISTANT_NAME = {"zh": "助手", "en": "the assistant"}
STOCK_NAMES = frozenset((*USER_NAME.values(), *ASSISTANT_NAME.values()))
CAPTURED = "capture"  # the method of a memory made by hand, and how its ref begins
ISO_DAY = 10  # characters of a date
SAID = {"year": 4, "decade": 4, "month": 7, "season": 7, "quarter": 7}  # and of what was told less exactly
UNSAID = "unsaid"  # why a memory is archived that the owner asks no longer to keep: it is out of sight
CLAIM, QUOTE, STATEMENT = "claim", "quote", "statement"  # the forms of what is read from talk

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PAIRS = tuple(one + other for one in _DIGITS for other in _DIGITS)  # two digits of base 36 at a time
ID_PAIRS = 5


class Stored(BaseModel):
    """Anything kept on disk: immutable, and faithful to keys a newer or older program wrote."""

    # built at first use: a command starts sooner
    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)


class Evidence(Stored):
    """The words a memory stands on."""

    ref: str
    quote: str = ""
    said_at: str = ""
    role: str = "user"
    trust: str = "user"
    chat: str = ""  # the kind of shared chat (group, channel); empty for a private one


class EventTime(Stored):
    """When the thing spoken of happens: [start, end) in local ISO form, how exact, and the words it came from."""

    start: str
    end: str
    granularity: str
    text: str

    @property
    def day(self) -> str:
        """The date on which it begins."""
        return self.start[:ISO_DAY]

    @property
    def as_said(self) -> str:
        """When it begins, as exactly as that was said: 2016, 2026-02, 2026-02-04; of an hour the date."""
        return self.start[: SAID.get(self.granularity, ISO_DAY)]


class Place(Stored):
    """A stretch of a message: text[start:end] of what stands at the ref."""

    ref: str
    start: int
    end: int


class Past(Stored):
    """A value that a slot held before, until when, and the memory that held it."""

    value: str
    content: str = ""
    until: str = ""
    id: str = ""


class Fact(Stored):
    """Something stated. `subject` + `attribute` is its slot; a fact without attribute is a general fact."""

    PREFIX: ClassVar[str] = "f"
    NAME: ClassVar[str] = "facts"

    id: str
    content: str
    importance: float = Field(ge=0, le=1)
    score: float = Field(ge=0, le=1)
    entities: tuple[str, ...] = ()
    created: str = ""
    source: str = ""
    category: str = "general"
    subject: str = "user"
    attribute: str = ""
    value: str = ""
    polarity: bool = True
    lang: str = ""
    said_at: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    event_time: EventTime | None = None
    evidence: tuple[Evidence, ...] = ()
    history: tuple[Past, ...] = ()
    supersedes: str | None = None
    superseded_by: str | None = None
    promoted_from: str | None = None
    last_confirmed: str | None = None
    scored_at: str = ""
    expires: str | None = None
    pinned: bool = False
    sensitivity: str = "normal"
    version: int = 1
    updated: str = ""
    method: str = ""
    retired: str | None = None  # why it left the active pool: decayed, expired, crowded, superseded, …
    edited: tuple[str, ...] = ()  # fields that the owner has set: consolidation leaves them as they are
    form: str = ""  # claim (fills a slot), quote (kept word by word), statement (a model's); empty: of earlier versions
    stance: str = ""  # how a quote was meant, where it was not asserted
    speaker: str = ""  # whose words a quote is, where they are not the owner's
    context: tuple[Place, ...] = ()  # what a quote leans on, and is shown with
    tells: tuple[str, ...] = ()  # attributes that a quote or a statement tells of, by the sound of its words
    asked_by: tuple[str, ...] = ()  # a question and words that are searched with what it says, and never shown
    outdated_by: str | None = None  # the memory by which it is moved, called off, ended or put right
    likely_outdated_by: str | None = None  # the newer memory that likely does so: both stand, and are shown together
    likely_surely: int | None = None  # how surely: log-odds times `understand.weights.SCALE`
    doubts: tuple[str, ...] = ()  # older memories that it may make otherwise: the snapshot goes without them

    @property
    def slot(self) -> tuple[str, str]:
        return self.subject, self.attribute

    @property
    def is_owners(self) -> bool:
        """Whether the owner has set what it says: consolidation never changes or retires it for what was said."""
        return bool(WORDS.intersection(self.edited))

    @property
    def told(self) -> str:
        """What it says, as it is shown."""
        return told(vars(self))


class Belief(Fact):
    """Something inferred, hedged or heard: `confidence` below 1, and the `basis` in words."""

    PREFIX: ClassVar[str] = "b"
    NAME: ClassVar[str] = "beliefs"

    confidence: float = Field(default=0.5, ge=0, lt=1)
    basis: str = ""


class Summary(Fact):
    """Several facts of one topic (`entity/category`) in one text; `source_facts` are their ids."""

    PREFIX: ClassVar[str] = "s"
    NAME: ClassVar[str] = "summaries"

    source_facts: tuple[str, ...] = ()
    topic: str = ""


Row = Mapping[str, Any]  # a memory as it stands in its file, not parsed further: for what looks at very many
KINDS: dict[str, type[Fact]] = {"f": Fact, "b": Belief, "s": Summary}
FILES = tuple((pool, kind) for pool in POOLS for kind in KINDS.values())  # that hold the truth
_ID_HEADS = frozenset(f"{letter}_" for letter in KINDS)
TYPES: dict[str, type[Fact]] = {"fact": Fact, "belief": Belief, "summary": Summary}


def kind_of(memory_id: str) -> type[Fact]:
    """The class of the memory with that id; ValueError when the id has no such form."""
    try:
        return KINDS[memory_id.split("_", 1)[0]]
    except KeyError:
        raise ValueError(f"not a memory id: {memory_id!r}") from None


def is_memory_id(name: str) -> bool:
    """Whether the name can only be a memory's: `f_20260204_001`, no ref and no path."""
    return name[:2] in _ID_HEADS and not {":", "/", ".", "#"} & set(name)


def type_name(record_class: type[Fact]) -> str:
    return record_class.__name__.lower()


def session_of(ref: str) -> str:
    """The session that a ref names: what stands before its first colon, for no session holds one; an entry may."""
    return ref.partition(":")[0]


def told(row: Row) -> str:
    """What a memory says, as it is shown: a quote with its speaker and in quotation marks, so that its "I" is never the
    reader's."""
    if row.get("form") != QUOTE:
        return str(row["content"])
    lang = "zh" if row.get("lang") == "zh" else "en"
    speaker = row.get("speaker") or (row.get("entities") or (USER_NAME[lang],))[0]
    return f"{speaker}：“{row['content']}”" if lang == "zh" else f"{speaker}: “{row['content']}”"


def successor_of(row: Row) -> str:
    """The id of the memory that took the place of this one, or by which it is outdated; empty where it stands."""
    return str(row.get("superseded_by") or row.get("outdated_by") or "")


def named_in(row: Row) -> set[str]:
    """The ids of the other memories that a memory names."""
    named = {
        row.get("supersedes"), row.get("superseded_by"), row.get("promoted_from"), *map(row.get, NEWER),
        *row.get("source_facts", ()),
    }  # fmt: skip
    return {each for each in named if each} | {past["id"] for past in row.get("history", ()) if past.get("id")}


def memory_id(record_class: type[Fact], day: date, origin: str, content: str) -> str:
    """`<f|b|s>_<local date>_<hash>`: the same for the same words from the same place (`origin`: first ref and span)."""
    text = f"{record_class.PREFIX}\0{origin}\0{content}"
    number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
    digits = ""
    for _ in range(ID_PAIRS):
        number, pair = divmod(number, len(_PAIRS))
        digits += _PAIRS[pair]
    return f"{record_class.PREFIX}_{day.isoformat().replace('-', '')}_{digits}"


def to_line(record: Stored) -> bytes:
    """The record as one line of JSONL: keys in the order of the class, empty fields left out."""
    kept = {key: value for key, value in _fields(record).items() if value or value == 0}
    return orjson.dumps(kept, default=_given) + b"\n"


def _fields(stored: Stored) -> dict[str, Any]:
    """The fields of a record, known ones first: what `model_dump` gives, without its detours. To be read only."""
    extra = stored.__pydantic_extra__
    return {**stored.__dict__, **extra} if extra else stored.__dict__


def _given(stored: Stored) -> dict[str, Any]:
    """Those of its fields that hold something."""
    fields = _fields(stored)
    if None in fields.values():
        return {key: value for key, value in fields.items() if value is not None}
    return fields


@lru_cache(maxsize=1024)  # a phase asks for the same few again and again, and records are frozen
def from_line(line: bytes) -> Fact:
    """The record that stands on a line; ValueError (pydantic's included) when it is none."""
    row = orjson.loads(line)
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise ValueError("a memory is an object with an id")
    return kind_of(row["id"]).model_validate(row)


@dataclass(slots=True, frozen=True)
class Problem:
    """Bad data: where it stands (path:line, or a key), what is wrong, what the owner can do."""

    where: str
    what: str
    hint: str = ""

    def to_row(self) -> dict[str, str]:
        return {"where": self.where, "what": self.what, "hint": self.hint}
