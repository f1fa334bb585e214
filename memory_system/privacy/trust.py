"""What is not believed for being written: words that want to steer an agent, and words that are somebody else's. A
memory can be relied on as far as the least of those whose words it stands on.

What wants to steer is held back in `state/quarantine.jsonl`. The owner looks at it, lets it in or throws it out; what
was let in once is not held back again. Lines are only added, beside whatever else writes: the last one about something
counts. A line that a crash has torn says nothing and stops nobody."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import orjson

from memory_system import rules
from memory_system.disk import Files
from memory_system.errors import NotFoundError, UsageError
from memory_system.layout import Layout
from memory_system.privacy.pasted import Callings, borrowed, excepts
from memory_system.privacy.secrets import decoded
from memory_system.records import Belief, Evidence, Fact, Problem, session_of
from memory_system.rules import worded
from memory_system.text import essence

if TYPE_CHECKING:
    from memory_system.turns import Message


# Whose words count more; all others' count nothing.
TIERS = {"user": 2, "note": 2, "person": 2, "assistant": 1, "agent": 1}
OWNER = frozenset({"user", "note"})
SHORT = 160  # characters of a voice that are read as one over several messages: orders may come in pieces
CODE = ("```", "~~~")  # how code in a message begins
SHINGLE = 5  # bytes; a Han character has three
ECHOED = 0.8  # share of shingles from which words are an echo
SIGNATURE = "<!-- by: assistant, {lines} lines -->"  # below what an agent has written into a note
_SIGNATURE = re.compile(r"[ \t]*<!-- by: assistant, (\d{1,6}) lines -->[ \t]*\r?")
IN_PIECES = "in pieces"  # the rule of words that only together with those before them are an order
_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff\U000e0000-\U000e007f]"
)
_IMAGE = re.compile(r"!\[([^\]\n]{0,200})\]\([^)\s]*\)?")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\s]*\)")
_ADDRESS = re.compile(r"(?<!`)\b(?:https?|ftp|file|data|javascript)://?[^\s`<>]+", re.IGNORECASE)
_TAGS = str.maketrans("<>", "‹›")
WAITING, APPROVED, REJECTED = "waiting", "approved", "rejected"


class Suspect(NamedTuple):
    """A stretch of a message that wants to steer an agent, and the rule that says so."""

    start: int
    end: int
    rule: rules.Rule


def tier_of(role: str) -> int:
    """How much the words of a role count; a role that nobody knows counts nothing."""
    return TIERS.get(role, 0)


def tier_of_evidence(evidence: Iterable[Evidence]) -> int:
    """How far a memory can be relied on: as far as the lowest of its evidence. One without any is as good as its
    facts, which are people's alone (a summary)."""
    return min((tier_of(each.trust) for each in evidence), default=TIERS["user"])


def is_owners(evidence: Iterable[Evidence]) -> bool:
    """Whether a memory stands on the owner's own words alone: only such may bind an agent."""
    return all(each.trust in OWNER for each in evidence)


def is_unproven(record: Fact) -> bool:
    """Whether a memory rests on what an agent has noted, and nothing has borne it out yet."""
    return isinstance(record, Belief) and all(each.trust == "agent" for each in record.evidence)


def is_owners_word(message: Message) -> bool:
    """Whether only the owner can have said it: not an assistant, an agent or another person, and not in a chat where
    others speak in the same role."""
    return message.role in OWNER and not message.chat


def signed(entry: str) -> str:
    """The entry of a note as an agent's; of signatures that stand in it nothing is left."""
    words = _SIGNATURE.sub("", entry).rstrip("\n")
    return f"{words}\n{SIGNATURE.format(lines=words.count(chr(10)) + 1)}\n"


def signs(line: str) -> int:
    """How many lines above it a note's line says that an agent has written; 0 for any other line."""
    found = _SIGNATURE.fullmatch(line) if "<!-- by" in line else None
    return int(found[1]) if found else 0


def without_signatures(text: str) -> str:
    """The note with signatures left blank: every line stays the line it was."""
    return _SIGNATURE.sub("", text) if "<!-- by" in text else text


@lru_cache(maxsize=256)  # agents say the same again and again
def suspects(text: str, *, owner: bool = True) -> tuple[Suspect, ...]:
    """The stretches of a text that want to steer an agent; `owner` says that it is the owner's own."""
    if not (fired := _watched().by_group(text)):  # as of most texts
        return ()
    attacks = ((rule, match.span()) for rule in fired.get("attack", ()) for match in rule.matches(text))
    told = (*attacks, *worded.load("trust", "order").said(text, fired.get("", ())))
    return tuple(
        Suspect(start, end, rule)
        for rule, (start, end) in told
        if not (owner and rule.data.get("owner") is False)
        if not excepts(rule, "unless_before", text[:start])
        if rule.data.get("check") != "base64" or any(map(suspects, decoded(text[start:end])))
    )


@cache
def _watched() -> rules.RuleSet:
    """What stands in each text that wants to steer: a pattern, or the rarest words of an order. One pass finds both."""
    rarest = worded.load("trust", "order").rarest
    return rules.RuleSet((*rules.load("trust")["attack"].rules, *rarest.rules), short=True)


def why(rule: str) -> str:
    """What a rule is for, by its id, which may have had a language before it."""
    known = (*rules.load("trust")["attack"].rules, *worded.load("trust", "order").rules)
    found = (each.why for each in known if each.id == rule.rpartition(".")[2])
    return next(found, "it ends what the message before it has begun")


class Stretch(NamedTuple):
    """A stretch of a message that is held back. `reason` is `quarantined` or `quoted`; what is quarantined stands
    around the words that want to steer (`core`), which `rule` knows."""

    start: int
    end: int
    reason: str
    rule: str = ""
    core: tuple[int, int] = (0, 0)
    in_code: bool = True  # whether it means anything in code, too

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and start < self.end

    def is_hit(self, start: int, end: int) -> bool:
        """Whether any of the words that want to steer stand there."""
        return self.core[0] < end and start < self.core[1]


class Guard:
    """Watches the messages of a night, session by session. `found` are the segments held back: ref, words, when and
    who, and the rule's id. `approved` are `key_of` what the owner has allowed, `names` what the owner is called."""

    def __init__(self, approved: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        self.approved = frozenset(approved)
        self.owner = Callings(names)
        self.found: list[dict[str, str]] = []
        self._session = ""
        self._tails: dict[tuple[str, str], str] = {}  # a voice's last words

    def stretches(self, message: Message) -> list[Stretch]:
        """The stretches of a message that are held back, and why; most have none."""
        text, voice = message.text, (message.role, message.speaker)
        if message.session != self._session:
            self._session = message.session
            self._tails.clear()
        tail = self._tails.pop(voice, "")
        owner = message.role in OWNER and not message.speaker
        if owner:
            self.owner.hear(message.text)
        is_short = len(text) < SHORT
        if is_short:
            self._tails[voice] = f"{tail} {text}"[-SHORT:]
        held = [_around(text, each) for each in suspects(text, owner=owner)]
        if not held and tail and is_short and _ends(tail, text, owner=owner):
            held = [Stretch(0, len(text), "quarantined", IN_PIECES, (0, len(text)))]
        spans = borrowed(text, drafted=not message.is_first_hand, owner=self.owner)
        return [*held, *(Stretch(*span, "quoted") for span in spans)]

    def held(self, message: Message, held: Iterable[Stretch], start: int, end: int, *, idle: bool = False) -> str:
        """Why the segment is held back; empty when it is not. What is quarantined is put down. An `idle` segment, of
        which nothing would be remembered, is held back only where it wants to steer itself."""
        words = message.text[start:end]
        is_code = idle and words.startswith(CODE)
        over = [each for each in held if each.overlaps(start, end) and (each.in_code or not is_code)]
        suspect = [each for each in over if each.reason == "quarantined" and (each.is_hit(start, end) or not idle)]
        if suspect and key_of(words) not in self.approved:
            hit = next((each for each in suspect if each.is_hit(start, end)), suspect[0])
            told = {"ref": message.ref, "quote": words, "said_at": message.said_at, "role": message.role}
            self.found.append({**told, "rule": hit.rule})
            return "quarantined"
        return "quoted" if any(each.reason == "quoted" for each in over) else ""


def _around(text: str, suspect: Suspect) -> Stretch:
    """The whole line: what stands beside such words is of a piece with them; after a frame, all that is in it."""
    data = suspect.rule.data
    rest = bool(data.get("rest"))
    end = -1 if rest else text.find("\n", suspect.end)
    start, end = text.rfind("\n", 0, suspect.start) + 1, len(text) if end < 0 else end
    core = suspect.start, end if rest else suspect.end
    return Stretch(start, end, "quarantined", suspect.rule.id, core, data.get("code") is not False)


def _ends(tail: str, text: str, *, owner: bool) -> bool:
    """Whether a message ends what the ones before it have begun: neither of the two says it alone."""
    across = [each for each in suspects(f"{tail} {text}", owner=owner) if each.start < len(tail) < each.end - 1]
    before = {each.rule.id for each in suspects(tail, owner=owner)} if across else ()
    return any(each.rule.id not in before for each in across)


def echoes(words: str, memory: str) -> bool:
    """Whether words only repeat what a memory says, in its own form: most of their shingles stand in it."""
    own, there = _shingles(words), _shingles(memory)
    return bool(own) and len(own & there) >= ECHOED * len(own)


def _shingles(words: str) -> set[bytes]:
    """The stretches of a few letters, or of a Han character and a little of its neighbours, in a text."""
    plain = essence(words)
    return {plain[start : start + SHINGLE] for start in range(len(plain) - SHINGLE + 1)}


def key_of(words: str) -> str:
    """What the same words have in common, however they are spaced and marked."""
    return essence(words).decode(errors="replace")


def shown(text: str) -> str:
    """A memory's text as it may stand before an agent: no characters that nobody sees, no images, no links that lead
    anywhere, no tags."""
    if _UNSEEN.search(text):
        text = _UNSEEN.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if ":/" in text:
        text = _ADDRESS.sub(lambda found: f"`{found[0]}`", text)
    return text.translate(_TAGS) if "<" in text or ">" in text else text


# ---- the quarantine --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """Words that were held back: where they were said, by whom and when; the rule, and what became of them."""

    id: str
    ref: str
    quote: str
    said_at: str
    role: str
    rule: str
    status: str = WAITING

    @property
    def why(self) -> str:
        return why(self.rule)


@dataclass(frozen=True, slots=True)
class Withheld:
    """What is held back, by the ref of its message and by the file of its note."""

    by_place: Mapping[str, list[Held]]

    def holds(self, place: str, text: str) -> bool:
        """Whether any of it stands in a text from that message or note."""
        return any(each.quote in text for each in self.by_place.get(place, ()))

    def out_of(self, place: str, text: str) -> str:
        """The text with the ids of what is held back in the place of the lines that say it."""
        for each in self.by_place.get(place, ()):
            mark = f"[held back: {each.id}]"
            for quote in {each.quote, orjson.dumps(each.quote).decode()[1:-1]}:  # as it stands in a line of JSON, too
                while quote not in mark and (start := text.find(quote)) >= 0:
                    first, last = _line_around(text, start, start + len(quote))
                    text = f"{text[:first]}{mark}{text[last:]}"
        return text


def _line_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The line in which a stretch stands; in a line of JSON the line of the text that it holds."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end) if "\n" in text[end:] else len(text)
    if not text.startswith("{", first):
        return first, last
    inside = [text.rfind(sign, first, start) + len(sign) for sign in ('":"', "\\n") if sign in text[first:start]]
    outside = [text.find(sign, end, last) for sign in ('","', '"}', "\\n") if sign in text[end:last]]
    return max(inside, default=start), min(outside, default=end)


class Quarantine:
    """The quarantine of one workspace."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.layout = layout
        self.path = layout.quarantine
        self.files = files

    def all(self) -> list[Held]:
        """Everything that was ever held back, oldest first."""
        latest = {held.id: held for held in map(_parsed, self._lines()) if held}
        return sorted(latest.values(), key=lambda held: (held.said_at, held.id))

    def problems(self, *, stopped: bool = False) -> list[Problem]:
        """The lines that tell of nothing that was held back; where a night was `stopped`, not the torn one at the end:
        what it told of is put down again."""
        what, hint = "this line tells of nothing that was held back", "put it aside: memory validate --repair"
        return [
            Problem(f"{self.layout.name(self.path)}:{number}", what, hint)
            for number, line in enumerate(self._lines()[: -1 if stopped else None], 1)
            if line.strip() and _parsed(line) is None
        ]

    def waiting(self) -> list[Held]:
        return [each for each in self.all() if each.status == WAITING]

    def approved(self) -> Iterator[str]:
        """The keys of the words that the owner has let in."""
        return (key_of(each.quote) for each in self.all() if each.status == APPROVED)

    def withheld(self) -> Withheld:
        """What no agent is to be shown: all that the owner has not let in."""
        by_place: dict[str, list[Held]] = {}
        for each in (held for held in self.all() if held.status != APPROVED):
            for place in (each.ref, session_of(each.ref)):
                by_place.setdefault(place, []).append(each)
        return Withheld(by_place)

    def get(self, held_id: str) -> Held:
        """NotFoundError when nothing was held back under that id."""
        if held := next((each for each in self.all() if each.id == held_id), None):
            return held
        raise NotFoundError(f"nothing is held back under {held_id}", "see what is: memory quarantine list")

    def add(self, rows: Iterable[Mapping[str, str]]) -> list[Held]:
        """Put down what was held back; what is there already (said again, or read again) is not put down twice."""
        known = {each.id: each for each in self.all()}
        new = {each.id: each for each in map(_held, rows) if each.id not in known}
        self._append(new.values())
        return list(new.values())

    def settle(self, held_id: str, status: str) -> Held:
        """Say what becomes of it. UsageError when it was let in: it is a memory by now."""
        held = self.get(held_id)
        if held.status == APPROVED and status != APPROVED:
            raise UsageError(f"{held_id} was let in: it is a memory", f'find it: memory search "{held.quote[:40]}"')
        settled = replace(held, status=status)
        self._append([settled])
        return settled

    def set_aside(self) -> int:
        """Put the lines that tell of nothing into `quarantine.jsonl.torn`; how many there were."""
        torn: list[bytes] = []

        def sound(lines: list[bytes]) -> list[bytes]:
            torn.extend(line for line in lines if line.strip() and _parsed(line) is None)
            if torn:
                self.files.append(self.path.with_name(f"{self.path.name}.torn"), b"".join(torn))
            return [line for line in lines if line not in torn]

        self.files.rewrite(self.path, sound)
        return len(torn)

    def _append(self, held: Iterable[Held]) -> None:
        if lines := b"".join(orjson.dumps(asdict(each)) + b"\n" for each in held):
            if self._lines()[-1]:  # torn by a crash: nobody would put it aside
                self.set_aside()
            self.files.append(self.path, lines, follow_renames=True)

    def _lines(self) -> list[bytes]:
        return self.files.read(self.path).split(b"\n")


def _parsed(line: bytes) -> Held | None:
    try:
        row = orjson.loads(line)
        held = Held(**row)
    except (orjson.JSONDecodeError, TypeError):
        return None
    return held if all(isinstance(each, str) for each in row.values()) else None


def _held(row: Mapping[str, str]) -> Held:
    origin = f"{row['ref']}\0{key_of(row['quote'])}"
    return Held(f"q_{hashlib.blake2b(origin.encode(errors='replace'), digest_size=6).hexdigest()}", **row)
