"""How far a transcript was read, and one reading of a span of it: a verdict on every entry, messages of those kept.

The source filter says what may never become a memory: the host's own prompts, injected context, tool text, recalled
memories and the workspace's files read back to us are refused or cut out for a counted reason (rules/sources.toml)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any

from memory_system import rules
from memory_system.disk import is_regular
from memory_system.layout import PEOPLES_FILES, Layout
from memory_system.privacy import secrets
from memory_system.privacy.tombstones import Tombstones
from memory_system.readers.formats import CONTROL, Entry
from memory_system.readers.transcript import Flaw, Transcript
from memory_system.records import Problem
from memory_system.text import cjk_count, fold
from memory_system.turns import NOTE_ROLES, Message

OWN_LINE = 20  # columns from which a line is long enough to be known again; a CJK character is two
SPEAKERS = frozenset(("user", "assistant", "note", "agent"))
ROLE = "role:"  # begins the reason of one that nobody knows
_ROLE_REASONS = {"system": "system", "developer": "system", "tool": "tool", "toolResult": "tool", "function": "tool"}
_MARKUP = re.compile(r"^[\s>#*+-]*(?:\d{1,3}[.)]\s+)?|[*_`]+")
ABANDONED, ECHO, KEPT = "abandoned", "echo", "kept"  # marks; any other mark is the stamp a message was given
OPTIONAL = ("base", "key", "chat", "reason", "marks", "skipped")  # left out of a row where they are empty
FORGOTTEN = "forgotten"  # why nothing is left of a message
ROLES_HINT = "say who it is: `roles` of `sources` in config.json; then let it be read again: memory rollback RUN --redo"
SHOWN = 20  # problems of one kind in one file; where there are more, they are counted


def spoils_turn(reason: str) -> bool:
    """Whether answers to a user's message that was refused for this reason are refused with it."""
    return reason in rules.table("sources", "turns")


def role_reason(role: str) -> str:
    """Why nothing in this role is kept; empty for those who speak."""
    return "" if role in SPEAKERS else _ROLE_REASONS.get(role) or f"{ROLE}{role}"


def session_reason(key: str) -> str:
    """Why a session with this key is no source; empty when it is one."""
    fired = rules.load("sources")["session"].firing(key) if key else []
    return fired[0].data["reason"] if fired else ""


def is_person(name: str) -> bool:
    """Whether a participant's name is a person's, and not a role's or a model's."""
    return bool(name.strip()) and not rules.load("sources")["nobody"].fires(fold(name))


def judge(text: str, role: str) -> tuple[str, str]:
    """What is left of a message without what its speaker did not say, and why it is refused (empty: it is not)."""
    ruleset = rules.load("sources")["text"]
    fired = ruleset.firing(text) if text else ()
    if not fired:
        return text.strip(), ""
    refused = _refusal(fired, role, before=True)
    for rule in fired:
        if rule.data["action"] == "strip" and rule.data.get("role", role) == role:
            cut = _without(text, rule)
            if cut != text and not cut.strip():
                return "", refused or rule.data["reason"]
            text = cut
    return text.strip(), refused or _refusal(ruleset.firing(text), role)


def _refusal(fired: Iterable[rules.Rule], role: str, *, before: bool = False) -> str:
    """The reason of the first rule that refuses a message of this role; with `before`, of those that look at the whole
    message before anything is cut out of it."""
    for rule in fired:
        data = rule.data
        if data["action"] == "drop" and data.get("role", role) == role and (data.get("before") or not before):
            return str(data["reason"])
    return ""


def _without(text: str, rule: rules.Rule) -> str:
    kept: list[str] = []
    done = 0
    unless = rule.data.get("unless")
    for match in rule.matches(text):
        if unless and re.match(unless, match.group(), re.IGNORECASE):
            continue
        kept.append(text[done : match.start()])
        done = match.end()
    return "".join((*kept, text[done:]))


class OwnFiles:
    """The long lines of the workspace's own files, by which a message that reads them back is known."""

    def __init__(self, layout: Layout) -> None:
        self.lines = frozenset[str]()
        for path in (*(layout.root / name for name in PEOPLES_FILES), layout.snapshot):
            with suppress(OSError):
                text = path.read_text("utf-8", errors="replace") if is_regular(path) else ""
                self.lines |= frozenset(_own_lines(text))

    def echoed(self, text: str, role: str) -> bool:
        """Whether most of the message's long lines stand word for word in those files. One line that a user says is
        the user saying it again; two are a paste."""
        alone = role in ("assistant", "agent")
        if not self.lines or not (alone or "\n" in text):
            return False
        lines = _own_lines(text)
        known = sum(line in self.lines for line in lines)
        return known > len(lines) / 2 and (known > 1 or alone)


def _own_lines(text: str) -> list[str]:
    """The lines long enough to be known again, without markup and folded."""
    found = []
    for line in text.split("\n"):
        if 2 * len(line) >= OWN_LINE:
            bare = fold(_MARKUP.sub("", line))
            if len(bare) + cjk_count(bare) >= OWN_LINE:
                found.append(bare)
    return found


# ---- reading --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one session was read. `path` is the file's name in the workspace, `lines` how many of its lines are used
    up and `digest` what they were; `entry` and `last` are the id and the stamp of the last message, `waiting` is the
    stamp of the oldest one that is unread (empty: none).

    The rest is what reading decided and the lines alone will not tell again: `base` the time of messages that have
    none, `key` what its host calls the conversation and `chat` which kind of shared chat it is (empty: none), `reason`
    why the whole session is no source, and `marks` (by line) of messages that were kept or abandoned
    while another branch was active, that echoed files as they were then, or that were given another time. `skipped` is
    the first line that could not be read, and how many could not."""

    path: str = ""
    size: int = 0
    mtime_ns: int = 0
    lines: int = 0
    digest: str = ""
    entry: str = ""
    last: str = ""
    waiting: str = ""
    base: str = ""
    key: str = ""
    chat: str = ""
    reason: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    skipped: Sequence[int] = ()

    def to_row(self) -> dict[str, Any]:
        row = {each.name: getattr(self, each.name) for each in fields(self)}
        return {key: value for key, value in row.items() if value or key not in OPTIONAL}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Cursor:
        """The cursor of a row; keys it does not know are left out."""
        return cls(**{each.name: row[each.name] for each in fields(cls) if each.name in row})


@dataclass(slots=True)
class Backlog:
    """What is unread: the sorted stamps of messages by session, if any; and files of which nothing can be read."""

    waiting: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class Batch:
    """What one reading gave. `read` is `len(messages)` and the sum of `filtered` together; `again` says that the
    transcript was read from its beginning once more, because it has changed."""

    messages: list[Message] = field(default_factory=list)
    read: int = 0
    filtered: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    cursor: Cursor = field(default_factory=Cursor)
    again: bool = False


class Reading:
    """The entries of a transcript from `start` to `end`, judged in their order. `marks` holds earlier decisions and
    takes new ones; `own` is given when messages are read for the first time, and not when they are read again."""

    def __init__(
        self, script: Transcript, cursor: Cursor, start: int, end: int,
        forgotten: Tombstones | None = None, own: OwnFiles | None = None,
    ) -> None:  # fmt: skip
        self.script = script
        self.start = start
        self.end = end
        self.own = own
        self.cursor = cursor
        self.marks = dict(cursor.marks)
        self.off = script.abandoned(end)
        source = script.place.source
        self.roles: Mapping[str, str] = {**script.header.roles, **(source.roles if source else {})}
        named: dict[str, str] = dict(script.header.participants)
        named.update((role, name) for role, name in (source.participants.items() if source else ()))
        self.speakers = {role: name for role, name in named.items() if is_person(name)}
        self.turn = ""  # why the user's message that is being answered was refused
        self.forgotten = forgotten
        if start:
            self._keep_decisions()
            self._enter_turn()

    def _keep_decisions(self) -> None:
        """Mark the earlier entries that would be judged otherwise now that the tree has grown."""
        before = self.script.abandoned(self.start)
        for number in before ^ {each for each in self.off if each < self.start}:
            entry = self.script.entries[number]
            if entry.role != CONTROL:
                self.marks.setdefault(str(entry.line), ABANDONED if number in before else KEPT)

    def _enter_turn(self) -> None:
        """Look at the user's last message before the start: the answers to it may be what comes next."""
        for number in range(self.start - 1, -1, -1):
            entry = self.script.entries[number]
            if self.role_of(entry) == "user" and self._speaks(number):
                self.verdict(number)
                return

    def role_of(self, entry: Entry) -> str:
        """The entry's role as the config understands it; notes that it gives to the assistant are an agent's."""
        role = self.roles.get(entry.role) or self.roles.get(entry.role.casefold(), entry.role)
        return "agent" if role == "assistant" and entry.role in NOTE_ROLES else role

    def _speaks(self, number: int) -> bool:
        entry = self.script.entries[number]
        plain = not entry.reason or spoils_turn(entry.reason)
        return plain and not entry.flaw and number not in self.script.repeated and not self._is_off(number)

    def _is_off(self, number: int) -> bool:
        mark = self.marks.get(str(self.script.entries[number].line)) if self.marks else None
        return mark == ABANDONED if mark else number in self.off

    def verdict(self, number: int) -> tuple[str, str]:
        """What is left of the entry's text, and why it is refused (empty: it is kept)."""
        entry = self.script.entries[number]
        role = self.role_of(entry)
        if refused := self._refused(number, role):
            return "", refused
        text, why = judge(entry.text, role)
        if role == "user":
            self.turn = why if why and spoils_turn(why) else ""
        elif self.turn and role == "assistant":
            return "", self.turn
        if why or not text:
            return "", why or "empty"
        echoes = self.own.echoed(text, role) if self.own else self.marks.get(str(entry.line)) == ECHO
        if echoes:
            self.marks[str(entry.line)] = ECHO
            return "", ECHO
        text = self._clean(number, text.replace("\0", ""))
        return text, "" if text else FORGOTTEN

    def _clean(self, number: int, raw: str) -> str:
        """The words of an entry without secrets, and without what is forgotten."""
        if not self.forgotten:
            return secrets.redact(raw)[0]
        entry, session = self.script.entries[number], self.script.session
        return self.forgotten.without(session, entry.name, self.said(number), secrets.redaction(raw))

    def as_written(self, number: int) -> str:
        """The words of an entry with their secrets: only what is forgotten may be compared with them."""
        entry = self.script.entries[number]
        return judge(entry.text, self.role_of(entry))[0].replace("\0", "")

    def _refused(self, number: int, role: str) -> str:
        """Why the entry is refused before its text is looked at."""
        entry = self.script.entries[number]
        if self.cursor.reason:
            return self.cursor.reason
        if number in self.script.repeated:
            return "duplicate"
        if (self.off or self.marks) and self._is_off(number):
            return ABANDONED
        if entry.reason:
            if role == "user" and spoils_turn(entry.reason):
                self.turn = entry.reason
            return entry.reason
        return "unreadable" if entry.flaw else role_reason(role)

    def message(self, number: int, said_at: str, text: str) -> Message:
        entry = self.script.entries[number]
        role = self.role_of(entry)
        speaker, chat = self.speakers.get(role, ""), self.cursor.chat
        return Message(self.script.session, entry.name, role, speaker, said_at, text, chat)

    def heard(self) -> Iterator[tuple[int, Message, str]]:
        """The messages of the span: the line of each, and why it is refused (empty: it is kept)."""
        for number in range(self.start, self.end):
            entry = self.script.entries[number]
            if entry.role != CONTROL:
                text, why = self.verdict(number)
                yield entry.line, self.message(number, self.said(number), text), why

    def said(self, number: int) -> str:
        """When the entry was said, as it was told when it was read."""
        mark = self.marks.get(str(self.script.entries[number].line), "") if self.marks else ""
        return mark if mark[:1].isdigit() else self.script.times[number]


def read_batch(reading: Reading, until: str | None) -> Batch:
    """The messages of the span, read for the first time, and the cursor after them."""
    script, cursor, batch = reading.script, reading.cursor, Batch()
    flaws: list[Flaw] = []
    entry_id, last = cursor.entry, cursor.last
    said = reading.said(reading.start - 1) if reading.start else ""
    for number in range(reading.start, reading.end):
        entry = script.entries[number]
        if entry.role == CONTROL:
            continue
        said = _said(reading, number, said, until, flaws)
        text, why = reading.verdict(number)
        batch.read += 1
        flaws += _flaws(script, number, why, said)
        if why.startswith(ROLE) and script.header.roles and not batch.filtered[why]:
            flaws.append((entry.line, f"nobody knows the role {entry.role!r}", ROLES_HINT))
        if why:
            batch.filtered[why] += 1
        else:
            batch.messages.append(reading.message(number, said, text))
        entry_id, last = entry.name, said
    batch.cursor = _moved(reading, replace(cursor, entry=entry_id, last=last))
    used = float("inf") if batch.cursor.lines == script.lines else batch.cursor.lines
    unread = [each for each in script.flaws if cursor.lines < each[0] <= used]
    flaws += unread
    batch.cursor = replace(batch.cursor, skipped=_skipped(reading, unread))
    batch.problems = problems(script.place.name, flaws)
    return batch


def _skipped(reading: Reading, unread: Iterable[Flaw]) -> Sequence[int]:
    """The first line that could not be read and how many could not, with those that the cursor knows of."""
    span = reading.script.entries[reading.start : reading.end]
    lines = [line for line, *_ in unread] + [entry.line for entry in span if entry.flaw]
    first, count = reading.cursor.skipped or (min(lines, default=0), 0)
    return (first, count + len(lines)) if first else ()


def _said(reading: Reading, number: int, before: str, until: str | None, flaws: list[Flaw]) -> str:
    """When the entry was said. A time that has not come yet, before a line whose time has, is a mistake: the entry is
    given the time of the one before it."""
    script = reading.script
    said = script.times[number]
    if until is None or said < until:
        return said
    entry = script.entries[number]
    given = before or script.floors[number]
    reading.marks[str(entry.line)] = given
    if entry.time and entry.role not in NOTE_ROLES:  # a time that it does not name is our own guess
        flaws.append((entry.line, f"said at {said}, after what follows it", f"it was taken as said at {given}"))
    return given


def _flaws(script: Transcript, number: int, why: str, said: str) -> Iterable[Flaw]:
    entry = script.entries[number]
    if entry.flaw:
        yield entry.line, entry.flaw, "it was skipped"
    if why == "duplicate" and script.entries[script.repeated[number]].text != entry.text:
        first = script.entries[script.repeated[number]].line
        yield entry.line, "another message has its id", f"it was skipped; the one in line {first} counts"
    if not why and not entry.time:
        yield entry.line, "it has no usable time", f"it was taken as said at {said}"


def _moved(reading: Reading, cursor: Cursor) -> Cursor:
    script = reading.script
    lines = max(cursor.lines, script.lines_before(reading.end))
    rest = range(reading.end, len(script.entries))
    timeless = bool(script.entries) and not script.entries[0].time and not script.header.time
    return replace(
        cursor,
        path=script.place.name,
        size=script.size,
        mtime_ns=script.mtime_ns,
        lines=lines,
        digest=script.digest(lines),
        waiting=min((script.times[n] for n in rest if script.entries[n].role != CONTROL), default=""),
        base=script.base if timeless else "",
        marks=reading.marks,
    )


def problems(name: str, flaws: Iterable[Flaw]) -> list[Problem]:
    """The flaws as problems; of very many alike the first ones, and with the first how many more there are."""
    kinds: dict[str, list[Flaw]] = defaultdict(list)
    for flaw in sorted(flaws):
        kinds[flaw[1].partition(":")[0]].append(flaw)
    found = []
    for alike in kinds.values():
        if len(alike) > SHOWN:
            line, what, hint = alike[0]
            alike[0] = line, f"{what}; and {len(alike) - 1} more lines like it", hint
        found += [Problem(f"{name}:{line}", what, hint) for line, what, hint in alike[:SHOWN]]
    return found
