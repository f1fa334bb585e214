"""Who speaks to whom, when and in which language: what extraction must know of a message before it reads a segment."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cache

from memory_system import clock, dates, rules, text
from memory_system.phases.understanding.known import Known
from memory_system.phrasing import Voices
from memory_system.records import ASSISTANT, ASSISTANT_NAME, USER, USER_NAME
from memory_system.turns import Message, Turn

_KINDS = ("noise", "kind", "announcement")
_GROUPS = ("modality", "claim", "signal", "intrinsic", "weight", "assistant")
_AHEAD = 12  # turns looked ahead for the name of the one spoken to
_CONTACT = {"zh": "联系人", "en": "A contact"}
_NARROW = {ord(wide): ord(wide) - 0xFEE0 for wide in map(chr, range(0xFF10, 0xFF5B)) if wide.isalnum()}
_WIDE = re.compile(f"[{''.join(map(chr, _NARROW))}]")
_WHEN = {"zh": "（{}）", "en": " ({})"}
_OPENING_NAME = re.compile(r"^(?:[（(][^）)\n]{1,12}[）)]\s*(?:[\w·]{1,12}[:：]\s*)?|[\w·]{1,12}[:：]\s*)")
_LABEL = re.compile(rf"[\[【][^\]】：:]*[\]】]\s*(?:{_OPENING_NAME.pattern[1:]})?")
_TITLE = re.compile(
    r"[^：:。！？.!?\n，,；;]{2,20}[：:](?:[^：:。！？.!?\n，,；;\d]{6,20}：)?"
)  # and what it is a title of
_LEANS_ON_TODAY = re.compile(
    r"[今昨明]|[前后]天|[本上下这]个?(?:周(?!末)|月|星期)|\b(?:today|yesterday|tomorrow|tonight|this|last|next)\b",
    re.IGNORECASE,
)
_FIRST_PERSON_QUOTE = re.compile(r"[\"“「][^\"”」]*(?:\bI\b|\bmy\b|我)[^\"”」]*[\"”」]|‘[^‘']*我[^‘']*'")


def as_rules_see(words: str) -> str:
    """The words as rules read them, as long as they were: ' for ’, a comma for the blank that is one in Chinese, 我 for
    俺, a capital for the name in "my wife sarah", no dot within a name, and no first person out of a quotation of
    others."""
    words = text.without_inner_dots(text.paused(text.straight(words)).replace("俺", "我"))
    if "my " in words or "our " in words:
        words = _small_name().sub(lambda found: found[1] + found[2].capitalize(), words)
    if not words.isascii() and _WIDE.search(words):
        words = words.translate(_NARROW)
    if text.may_quote(words):
        words = text.SINGLE_QUOTATION.sub(_blank, words)
    if '"' not in words and "“" not in words and "「" not in words and "‘" not in words:
        return words
    return _FIRST_PERSON_QUOTE.sub(_blank, words)


@cache
def _small_name() -> re.Pattern[str]:
    """A common name without its capital behind a word for somebody near: "my wife sarah"."""
    kin, names = rules.table("en", "parts")["kin_word"], "|".join(rules.table("en", "words")["given"].split())
    return re.compile(rf"\b((?i:my|our) (?:[a-z]+ )?(?i:{kin}) )({names})\b")


def _blank(found: re.Match[str]) -> str:
    return "_" * len(found[0])


def fired_in(plain: str, lang: str) -> dict[str, list[rules.Rule]]:
    """The rules by which words are judged, and those by which they are told, by group: many are of both, and one
    automaton is made for all."""
    return rules.together(lang, *_GROUPS).firing(plain)


def kinds_in(plain: str, lang: str) -> dict[str, list[rules.Rule]]:
    """The rules that tell what kind of thing words are, by group: noise, a question or a request, what only announces
    the next. Each piece of each message is asked, and the patterns are short: one automaton is the fastest."""
    return rules.together(lang, *_KINDS, short=True).firing(plain)


def behind_label(words: str) -> str:
    """The words behind a label in brackets that says who speaks or writes; all, where nothing stands behind it."""
    label = _LABEL.match(words)
    return (words[label.end() :] if label else "") or words


def is_courtesy(plain: str, lang: str) -> bool:
    """Whether the words have a courtesy in them ("nice to meet you"), which tells nothing."""
    return _courtesies(lang).fires(plain)


@cache
def _courtesies(lang: str) -> rules.RuleSet:
    return rules.RuleSet(rule for rule in rules.load(lang)["weight"].rules if rule.data.get("idle"))


@dataclass(slots=True)
class Scene:
    """The message's setting. `subject` is the key of the speaker's memories: user, assistant or a person's name.
    `anchor` is the moment of speaking where the owner lives; `known` are the names that were introduced so far.
    A label in brackets before the text gives `prefix`, `category` and `skip`, the characters it takes; what was noted
    may begin with a `title`, which says of all of it what it is about."""

    lang: str
    voices: Voices
    subject: str
    anchor: datetime
    groups: rules.Groups
    known: Known
    prefix: str = ""
    category: str = ""
    skip: int = 0
    title: str = ""

    @property
    def first_hand(self) -> bool:
        """Whether the speaker is a person, who may speak about themselves."""
        return self.subject != ASSISTANT


def scenes(turns: Iterable[Turn], zone: tzinfo, known: Known) -> Iterator[tuple[Turn, Scene]]:
    """Each turn with its scene; they share the names that are known, which grow as the turns are read."""
    speakers: dict[str, dict[str, str]] = {}
    window: deque[Turn] = deque()
    for turn in turns:
        window.append(turn)
        message = turn.message
        speakers.setdefault(message.session, {}).setdefault(message.role, message.speaker)
        if len(window) > _AHEAD:
            yield _scened(window.popleft(), speakers, zone, known)
    while window:
        yield _scened(window.popleft(), speakers, zone, known)


def _scened(turn: Turn, speakers: dict[str, dict[str, str]], zone: tzinfo, known: Known) -> tuple[Turn, Scene]:
    message = turn.message
    other = speakers[message.session].get(ASSISTANT if message.role == USER else USER, "")
    return turn, scene_of(message, other, zone, known)


def scene_of(message: Message, other: str, zone: tzinfo, known: Known) -> Scene:
    """The scene of one message; `other` is the name of the one spoken to, if it has one."""
    lang = text.language(message.text)
    assistant = ASSISTANT_NAME[lang]
    anchor = clock.read_stamp(message.said_at).astimezone(zone)
    groups = rules.load(lang)
    if message.role == ASSISTANT:
        voices = Voices(message.speaker or assistant, other or USER_NAME[lang])
        return Scene(lang, voices, message.speaker or ASSISTANT, anchor, groups, known)
    voices = Voices(message.speaker or USER_NAME[lang], other or assistant)
    scene = Scene(lang, voices, message.speaker or USER, anchor, groups, known)
    return _labelled(message.text, scene) if message.text[:1] in "[【" else scene


def in_its_language(scene: Scene, words: str) -> Scene:
    """The scene for a piece of the message that may be in another language than the rest."""
    lang = text.language_within(words, scene.lang)
    if lang == scene.lang:
        return scene
    names = {USER_NAME[scene.lang]: USER_NAME[lang], ASSISTANT_NAME[scene.lang]: ASSISTANT_NAME[lang]}
    speaker, other = scene.voices.speaker, scene.voices.other
    voices = Voices(names.get(speaker, speaker), names.get(other, other))
    return replace(scene, lang=lang, voices=voices, groups=rules.load(lang))


def _labelled(words: str, scene: Scene) -> Scene:
    """The scene as the label before the words tells it; a described picture is no label."""
    for rule in scene.groups["label"].firing(words):
        found = next(rule.found(words))
        if "inside" not in found.parts:
            return _as_told(scene, rule, found, words)
    return scene


def _as_told(scene: Scene, rule: rules.Rule, found: rules.Found, words: str) -> Scene:
    voices, subject = scene.voices, scene.subject
    who = found.parts.get("who", "").strip(" ·:：,，") or _CONTACT[scene.lang]
    if rule.data.get("voice"):
        voices, subject = Voices(who, voices.speaker), who
    elif rule.data.get("other"):
        voices = Voices(voices.speaker, who)
    when = found.parts.get("when", "").strip()
    prefix = str(rule.data.get("prefix", ""))
    skip = _after_label(words, found.span[1], named=voices != scene.voices)
    title = _TITLE.match(words, skip) if prefix else None
    return replace(
        scene,
        voices=voices,
        subject=subject,
        prefix=prefix.format(who=voices.speaker, when=_WHEN[scene.lang].format(when) if when else ""),
        category=str(rule.data.get("category", "")),
        skip=skip,
        title=_dated(title[0], scene) if title else "",
    )


def _dated(title: str, scene: Scene) -> str:
    """The title as it is told, its dates written out: 今日小结： is told of each sentence below it."""
    leans = _LEANS_ON_TODAY.search(title)
    told = dates.resolve(title, scene.anchor, scene.lang)[0] if leans else title
    return told + " " * title.endswith(":")


def _after_label(words: str, end: int, *, named: bool) -> int:
    """Where the words begin, after blanks and, if the label names someone, after "Name: "."""
    end = len(words) - len(words[end:].lstrip())
    opening = _OPENING_NAME.match(words[end:]) if named else None
    return end + opening.end() if opening else end
