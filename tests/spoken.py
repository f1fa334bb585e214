"""Talk for the tests of the first three phases: messages in, claims out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from memory_system.config import Config, parse_config
from memory_system.phases import Night, extract, screen, segment
from memory_system.turns import Claim, Message, Turn

AT = datetime(2026, 2, 4, 3, tzinfo=UTC)


def night(**config: Any) -> Night:
    return Night(AT, parse_config(config, "config.json") if config else Config())


def said(
    text: str,
    role: str = "user",
    speaker: str = "",
    *,
    entry: str = "1",
    session: str = "s",
    at: str = "2026-02-03T10:30:00Z",
) -> Message:
    """One message, on a Tuesday."""
    return Message(session, entry, role, speaker, at, text)


def talk(*turns: tuple[str, str] | tuple[str, str, str]) -> list[Message]:
    """One session: role, text and perhaps the speaker's name of each message."""
    return [said(each[1], each[0], *each[2:], entry=str(number)) for number, each in enumerate(turns, 1)]


def segmented(messages: Iterable[Message], tally: Counter[str] | None = None) -> list[Turn]:
    return list(segment.run(messages, night(), Counter() if tally is None else tally))


def pieces(text: str, role: str = "user", speaker: str = "") -> list[str]:
    """The texts of the segments of one message."""
    (turn,) = segmented([said(text, role, speaker)])
    return [turn.text_of(each) for each in turn.segments]


def screened(messages: Iterable[Message], tally: Counter[str] | None = None, **config: Any) -> list[Turn]:
    messages = list(messages)
    counts: Counter[str] = Counter() if tally is None else tally
    segmented(messages, counts)
    return list(screen.run(segment.run(messages, night(), Counter()), night(**config), counts))


def kept(messages: Iterable[Message], **config: Any) -> list[str]:
    return [turn.text_of(each) for turn in screened(messages, **config) for each in turn.segments]


def claims(messages: Iterable[Message], tally: Counter[str] | None = None, **config: Any) -> list[Claim]:
    """What the first three phases make of the messages."""
    counts: Counter[str] = Counter() if tally is None else tally
    turns = screened(messages, counts, **config)
    return list(extract.run(turns, night(**config), counts, {}))


def told(text: str, role: str = "user", speaker: str = "", **config: Any) -> list[str]:
    """The contents of the claims of one message."""
    return [claim.content for claim in claims([said(text, role, speaker)], **config)]


def claim_of(text: str, role: str = "user", speaker: str = "", **config: Any) -> Claim:
    """The only claim of one message."""
    (claim,) = claims([said(text, role, speaker)], **config)
    return claim
