"""Who speaks to whom, when and in which language: what extraction must know of a message before it reads a segment."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from memory_system import clock, rules, text
from memory_system.phrasing import Voices
from memory_system.records import Message, Turn

USER, ASSISTANT = "user", "assistant"
_AHEAD = 12  # turns looked ahead for the name of the one spoken to
_USER_NAME = {"zh": "用户", "en": "User"}
_CONTACT = {"zh": "联系人", "en": "A contact"}
_FIRST_PERSON_QUOTE = re.compile(r"[\"“「][^\"”」]*(?:\bI\b|\bmy\b|我)[^\"”」]*[\"”」]")
_OPENING_NAME = re.compile(r"^[\w·]{1,12}[:：]\s*")


def as_rules_see(words: str) -> str:
    """The words as rules read them, as long as they were: ' for ’, and no first person out of a quotation of others."""
    return _FIRST_PERSON_QUOTE.sub(lambda found: "_" * len(found[0]), words.replace("’", "'"))


@dataclass(frozen=True, slots=True)
class Scene:
    """The message's setting. `subject` is the key of the speaker's memories: user, assistant or a person's name.
    `anchor` is the moment of speaking where the owner lives. `prefix` and `skip` come from a label in brackets."""

    lang: str
    voices: Voices
    subject: str
    anchor: datetime
    groups: rules.Groups
    known: set[str]  # names that were introduced, growing as the night is read
    prefix: str = ""
    skip: int = 0  # characters of the message that are label
    category: str = ""

    @property
    def first_hand(self) -> bool:
        """Whether the speaker is a person, who may speak about themselves."""
        return self.subject != ASSISTANT


def scenes(turns: Iterable[Turn], zone: tzinfo, known: set[str]) -> Iterator[tuple[Turn, Scene]]:
    """Each turn with its scene; they share the names that are known, which grow as the turns are read."""
    speakers: dict[str, dict[str, str]] = {}
    window: deque[Turn] = deque()
    for turn in turns:
        window.append(turn)
        speakers.setdefault(turn.message.session, {}).setdefault(turn.message.role, turn.message.speaker)
        if len(window) > _AHEAD:
            yield _scened(window, speakers, zone, known)
    while window:
        yield _scened(window, speakers, zone, known)


def _scened(
    window: deque[Turn], speakers: dict[str, dict[str, str]], zone: tzinfo, known: set[str]
) -> tuple[Turn, Scene]:
    turn = window.popleft()
    roles = speakers[turn.message.session]
    other = roles.get(ASSISTANT if turn.message.role == USER else USER, "")
    if not any(each.message.session == turn.message.session for each in window):
        del speakers[turn.message.session]
        if window:
            speakers.setdefault(window[0].message.session, {}).setdefault(window[0].message.role, window[0].message.speaker)
    return turn, scene_of(turn.message, other, zone, known)


def scene_of(message: Message, other: str, zone: tzinfo, known: set[str]) -> Scene:
    """The scene of one message; `other` is the name of the one spoken to, if it has one."""
    lang = text.language(message.text)
    groups = rules.load(lang)
    assistant = str(rules.table(lang, "words")["assistant"])
    anchor = clock.read_stamp(message.said_at).astimezone(zone)
    if message.role == ASSISTANT:
        voices = Voices(message.speaker or assistant, other or _USER_NAME[lang])
        return Scene(lang, voices, message.speaker or ASSISTANT, anchor, groups, known)
    scene = Scene(lang, Voices(message.speaker or _USER_NAME[lang], other or assistant), USER, anchor, groups, known)
    return _labelled(message, scene) if message.text[:1] in "[【" else scene


def _labelled(message: Message, scene: Scene) -> Scene:
    """The scene as the label before the text tells it."""
    fired = scene.groups["label"].firing(message.text)
    if not fired or "P<inside>" in fired[0].pattern:
        return scene
    rule = fired[0]
    found = rule.search(message.text)
    parts = {name: found.group(name).strip(" ·:：,，") for name in found.re.groupindex}
    return _as_said(scene, rule, parts, found.end(), message.text)


def _as_said(scene: Scene, rule: rules.Rule, parts: dict[str, Any], end: int, words: str) -> Scene:
    voices, subject = scene.voices, scene.subject
    who = parts.get("who") or _CONTACT[scene.lang]
    if rule.data.get("voice"):
        voices, subject = Voices(who, voices.speaker), who
    elif rule.data.get("other"):
        voices = Voices(voices.speaker, who)
    end += len(words[end:]) - len(words[end:].lstrip())
    if (rule.data.get("voice") or rule.data.get("other")) and (name := _OPENING_NAME.match(words[end:])):
        end += name.end()
    when = f"（{parts['when']}）" if parts.get("when") and scene.lang == "zh" else f" ({parts['when']})" if parts.get("when") else ""
    prefix = str(rule.data.get("prefix", "")).format(who=voices.speaker, when=when)
    category = str(rule.data.get("category", ""))
    return Scene(scene.lang, voices, subject, scene.anchor, scene.groups, scene.known, prefix, end, category)
