"""What is not believed for being written: words that want to steer an agent, and words that are somebody else's. A
memory can be relied on as far as the least of those whose words it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory_system import rules
from memory_system.records import Evidence, Message
from memory_system.secrets.checks import decoded
from memory_system.text import essence

TIERS = {"user": 2, "note": 2, "person": 2, "assistant": 1}  # whose words count more; all others' count nothing
OWNER = frozenset({"user", "note"})
SHORT = 160  # characters of two messages in a row that are read as one: orders may come in pieces
_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff\U000e0000-\U000e007f]"
)
_IMAGE = re.compile(r"!\[([^\]\n]{0,200})\]\([^)\s]*\)?")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\s]*\)")
_ADDRESS = re.compile(r"(?<!`)\b(?:https?|ftp|file|data|javascript)://?[^\s`<>]+", re.IGNORECASE)
_TAGS = str.maketrans("<>", "‹›")


@dataclass(frozen=True, slots=True)
class Suspect:
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


def suspects(text: str, *, owner: bool = True) -> list[Suspect]:
    """The stretches of a text that want to steer an agent; `owner` says that it is the owner's own."""
    fired = rules.load("trust")["attack"].firing(text)
    return [
        Suspect(match.start(), match.end(), rule)
        for rule in fired
        if not (owner and rule.data.get("owner") is False)
        for match in rule.matches(text)
        if rule.data.get("check") != "base64" or any(map(suspects, decoded(match[0])))
    ]


def borrowed(text: str) -> list[tuple[int, int]]:
    """Where somebody else's text stands in a message: what was forwarded, announced or put in tags."""
    return [match.span() for rule in rules.load("trust")["borrowed"].firing(text) for match in rule.matches(text)]


class Guard:
    """Watches the messages of a night go by, session by session. `found` are the segments that were held back: the
    ref, the words, when they were said and by whom, and the rule's id. `approved` are `key_of` what the owner has
    allowed."""

    def __init__(self, approved: Iterable[str] = ()) -> None:
        self.approved = frozenset(approved)
        self.found: list[dict[str, str]] = []
        self._before: Message | None = None
        self._open = False  # whether the message before could begin something

    def spans(self, message: Message) -> list[tuple[int, int, str]]:
        """The stretches of a message that are held back, and why: `quarantined` or `quoted`; most have none."""
        text, before, was_open = message.text, self._before, self._open
        self._before, self._open = message, rules.load("trust")["gate"].fires(message.text)
        if not (self._open or was_open):
            return []
        owner = message.role in OWNER and not message.speaker
        held = [(*_line_of(text, each), "quarantined") for each in suspects(text, owner=owner)]
        if not held and before and _goes_on(before, message) and suspects(f"{before.text} {text}", owner=owner):
            held = [(0, len(text), "quarantined")]
        if not held and not rules.load("trust")["borrowed"].fires(text):
            return held
        return [*held, *((*span, "quoted") for span in borrowed(text))]

    def held(self, message: Message, spans: Iterable[tuple[int, int, str]], start: int, end: int) -> str:
        """Why the segment is held back; empty when it is not. What is suspect is put down."""
        words = message.text[start:end]
        why = {reason for first, last, reason in spans if first < end and start < last}
        if "quarantined" in why and key_of(words) not in self.approved:
            self._put_down(message, words)
            return "quarantined"
        return "quoted" if "quoted" in why else ""

    def _put_down(self, message: Message, words: str) -> None:
        fired = suspects(words, owner=False)
        rule = fired[0].rule.id if fired else "in pieces"
        self.found.append(
            {"ref": message.ref, "quote": words, "said_at": message.said_at, "role": message.role, "rule": rule}
        )


def _line_of(text: str, suspect: Suspect) -> tuple[int, int]:
    """The whole line: what stands beside such words is of a piece with them; after a frame, all that is in it."""
    end = -1 if suspect.rule.data.get("rest") else text.find("\n", suspect.end)
    return text.rfind("\n", 0, suspect.start) + 1, len(text) if end < 0 else end


def _goes_on(before: Message, message: Message) -> bool:
    """Whether a short message goes on where a short one of the same voice ended."""
    same_voice = (before.session, before.role) == (message.session, message.role)
    return same_voice and len(before.text) + len(message.text) < SHORT


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
    if "://" in text or "data:" in text:
        text = _ADDRESS.sub(lambda found: f"`{found[0]}`", text)
    return text.translate(_TAGS) if "<" in text or ">" in text else text
