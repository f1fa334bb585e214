"""The system prompt, layer by layer: who the agent is first, then what it may do, what it knows and what is recent.
An unchanged workspace gives the same bytes all day long, and in a group nothing of it that is private.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from memory_system import clock, finder, text
from memory_system.disk import is_regular
from memory_system.errors import UsageError
from memory_system.finder import Giver
from memory_system.llm import Phrases, phrases, soul_in
from memory_system.phases.shortlist import short
from memory_system.privacy.masks import SHARED, may_be_told
from memory_system.readers.formats import SHARED as SHARED_CHATS
from memory_system.records import Belief, Fact, from_line
from memory_system.store.retention import effective
from memory_system.workspace import Workspace

Session = Literal["main", "group"]

USER_CHARACTERS = 4_000  # of USER.md, as OpenClaw has it
RULE = "\n\n---\n\n"
URGENCY = ("base", "recall", "soul", "identity", "user", "evergreen", "snapshot", "shared", "recent", "recalled")
MOST_SHARED = 40  # memories that a group's prompt shows

_PREFIXED = re.compile(r"^\s*(?:[-*+]\s+)?`?[WBO]`?(?:[:：]|\(c=|\s+@\S)", re.MULTILINE)
_NOT_SHOWN = dict.fromkeys(each for each in range(32) if each not in (9, 10))  # control characters


@dataclass(frozen=True, slots=True)
class Layer:
    """One part of the prompt: its name, the file it comes from (empty: the program), the heading over it (empty:
    none), what it says, and whether some of the file is left out."""

    name: str
    path: str
    title: str
    text: str
    cut: bool = False

    @property
    def shown(self) -> str:
        return f"## {self.title}\n\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Prompt:
    """The layers, in the order in which they stand."""

    session: Session
    layers: tuple[Layer, ...]

    @property
    def text(self) -> str:
        return RULE.join(each.shown for each in self.layers)

    def to_row(self) -> dict[str, Any]:
        """The answer of `memory prompt --json`."""
        layers = [
            {"name": each.name, "path": each.path, "characters": len(each.shown), "cut": each.cut}
            for each in self.layers
        ]
        whole = self.text
        tokens = text.estimate_tokens(whole)
        return {
            "session": self.session, "characters": len(whole), "tokens": tokens, "layers": layers, "text": whole,
        }  # fmt: skip


def compose(
    ws: Workspace, *, session: Session = "main", message: str = "", days: int | None = None, chat: str = ""
) -> Prompt:
    """The system prompt of a session at the workspace's moment. `message` adds, at the end, what it calls up and the
    snapshot does not show; `days` is how many days of notes are shown (as configured unless given). `chat` is the key
    of a group's conversation (or a session's id): of all memories, only those that were said there, and those that the
    owner lets be told in any group, stand in its prompt."""
    lang = language(ws)
    words = phrases(lang)
    if chat and session != "group":
        raise UsageError("a chat is named for a group alone", "memory prompt --session group --chat KEY")
    if session == "group":
        layers = [*_own(ws, lang, "group"), _shared(ws, chat, words)]
    else:
        layers = [*_own(ws, lang, "base"), *_private(ws, words, ws.config.prompt.days if days is None else days)]
        if message.strip() and (recalled := finder.context(ws, message, without_snapshot=True)["text"]):
            layers.append(Layer("recalled", "", words["recalled"], recalled))
    giver = Giver(ws)
    kept = [replace(each, text=giver.text(each.text, each.path)) for each in layers if each is not None]
    return Prompt(session, tuple(_within(kept, ws.config.prompt.total_characters, words)))


def _own(ws: Workspace, lang: str, rules: str) -> Iterator[Layer | None]:
    """Who the agent is, and the rules of such a conversation."""
    words, today = phrases(lang), clock.local_date(ws.now, ws.config.zone)
    soul = _file(ws, "soul", "SOUL.md", "", words)
    yield soul and replace(soul, text=soul_in(soul.text, lang))
    told = words[rules].strip().format(date=today.isoformat(), weekday=words["weekdays"][today.weekday()])
    yield Layer("base", "", "", told)
    yield _file(ws, "identity", "IDENTITY.md", words["identity"].format(name="IDENTITY.md"), words)


def _private(ws: Workspace, words: Phrases, days: int) -> Iterator[Layer | None]:
    """The layers that only a conversation with the owner alone has."""
    yield _file(ws, "user", "USER.md", words["user"].format(name="USER.md"), words, characters=USER_CHARACTERS)
    yield _file(ws, "evergreen", "MEMORY.md", words["evergreen"], words, limit=ws.config.prompt.memory_words)
    yield _file(ws, "snapshot", ws.layout.name(ws.layout.snapshot), words["snapshot"], words)
    yield _recent(ws, days, words)
    yield Layer("recall", "", words["recall_title"], words["recall"].strip())


def _shared(ws: Workspace, chat: str, words: Phrases) -> Layer | None:
    """What may be told to all members of a group, the most present first."""
    sessions = _sessions_of(ws, chat) if chat else ()
    mark = f'"{SHARED}"'.encode()
    lines = (line for kind in (Fact, Belief) for _, line in ws.store.lines("active", kind) if mark in line)
    standing = (each for each in map(from_line, lines) if not each.outdated_by)
    told = [each for each in standing if may_be_told(each, sessions)]
    told.sort(key=lambda each: (-effective(each, ws.faded_at(ws.now), ws.config), each.id))
    shown = _with_contexts(told[:MOST_SHARED], ws, sessions)
    return Layer("shared", "", words["shared"], shown) if shown else None


def _with_contexts(records: list[Fact], ws: Workspace, sessions: Collection[str]) -> str:
    """The memories, a line each; one that leans on what stood around it, with that in brackets."""
    contexts = finder.contexts(ws, records, sessions)
    beside = {key: f"({' '.join(context.split())}) " for key, context in contexts.items()}
    return "\n".join(f"- {beside.get(each.id, '')}{short(each)}" for each in records)


def _sessions_of(ws: Workspace, chat: str) -> set[str]:
    """The sessions of a shared chat, by its key or by the id of one of them."""
    cursors = {session: row for session, row in ws.checkpoint.state.cursors.items() if row.get("chat")}
    key = cursors.get(chat, {}).get("key") or chat
    names = {key, f"{key}:"} | {f"{key}:{kind}:" for kind in SHARED_CHATS}
    return {session for session, row in cursors.items() if session == chat or row.get("key") in names}


def language(ws: Workspace) -> str:
    """The configured language; else that of most of what is known; else the soul's."""
    if ws.config.language != "auto":
        return ws.config.language
    paths = (ws.layout.root / "USER.md", ws.layout.root / "MEMORY.md", ws.layout.snapshot, *_notes(ws, 1))
    return text.language("".join(map(_read, paths)) or _read(ws.layout.root / "SOUL.md"))


def _read(path: Path) -> str:
    """The text of a person's file as a prompt may hold it; empty when it is no plain file."""
    raw = path.read_bytes().decode(errors="replace") if is_regular(path) else ""
    return raw.removeprefix("\ufeff").translate(_NOT_SHOWN).strip()


def _file(
    ws: Workspace, name: str, path: str, title: str, words: Phrases, *, limit: int = 0, characters: int = 0
) -> Layer | None:
    """The layer of one file: less than `limit` words of it, and at most so many characters; None when it is empty."""
    whole = _read(ws.layout.root / path)
    if not whole:
        return None
    shown = _head(whole, characters or ws.config.prompt.file_characters, limit)
    if shown == whole:
        return Layer(name, path, title, whole)
    more, line = count_words(whole) - count_words(shown), shown.count("\n") + (2 if shown else 1)
    told = words["too_long" if limit else "cut"].format(name=path, more=more, line=line, limit=limit)
    return Layer(name, path, title, f"{shown}\n\n{told}".lstrip(), cut=True)


def count_words(said: str) -> int:
    """Words as people count them: a CJK character is one."""
    return text.cjk_count(said) + len(re.findall(rf"[^\W{text.CJK}]+(?:['’-][^\W{text.CJK}]+)*", said))


def _head(whole: str, room: int, limit: int) -> str:
    """The whole lines from the beginning that fit; a piece of the first one when not even that does."""
    kept: list[str] = []
    words = used = 0
    for line in whole.split("\n"):
        words, used = words + (count_words(line) if limit else 0), used + len(line) + 1
        if used > room + 1 or (limit and words >= limit):
            break
        kept.append(line)
    if not kept:
        return whole.split("\n")[0][: min(room, limit or room)]
    return "\n".join(kept).rstrip()


def _recent(ws: Workspace, days: int, words: Phrases) -> Layer | None:
    """The notes of the last days, the latest first; of a long one its end, which is the newest of it."""
    parts, cut, giver = [], False, Giver(ws)
    for path in _notes(ws, days):
        said = giver.text(_read(path), ws.layout.name(path))
        if not said:
            continue
        shown = _tail(said, ws.config.prompt.note_characters)
        notice = words["earlier"].format(name=ws.layout.name(path)) + "\n" if shown != said else ""
        cut = cut or bool(notice)
        parts.append(f"### {path.stem}\n{notice}{shown}")
    if not parts:
        return None
    told = "\n\n".join(parts)
    legend = words["prefixes"] + "\n\n" if _PREFIXED.search(told) else ""
    return Layer("recent", ws.layout.name(ws.layout.memory), words["recent"], legend + told, cut)


def _notes(ws: Workspace, days: int) -> Iterator[Path]:
    """The notes of the last days: of each day its own first, then those with a word behind the date."""
    today = clock.local_date(ws.now, ws.config.zone)
    for back in range(days):
        day = (today - timedelta(days=back)).isoformat()
        yield ws.layout.memory / f"{day}.md"
        yield from sorted(ws.layout.memory.glob(f"{day}-*.md"))


def _tail(said: str, room: int) -> str:
    """The whole lines at the end that fit; a piece of the last one when not even that does."""
    if len(said) <= room:
        return said
    piece = said[-room:]
    return piece.partition("\n")[2].strip() or piece


def _within(layers: list[Layer], room: int, words: Phrases) -> Iterator[Layer]:
    """The layers in their order, within so many characters: what is least urgent is cut first, then left out."""
    granted: dict[str, Layer] = {}
    for each in sorted(layers, key=lambda layer: URGENCY.index(layer.name)):
        fitting = each if len(each.shown) <= room else _squeezed(each, room, words)
        room -= len(fitting.shown) + len(RULE)
        granted[each.name] = fitting
    yield from (granted[each.name] for each in layers if granted[each.name].text)


def _squeezed(layer: Layer, room: int, words: Phrases) -> Layer:
    """As much of the layer as the room holds, and a word about it; nothing when there is no room even for that."""
    notice = words["full"].format(name=layer.path or layer.name)
    left = room - len(layer.shown) + len(layer.text) - len(notice) - 2
    if left < 0:
        return replace(layer, title="", text="", cut=True)
    return replace(layer, text=f"{_head(layer.text, left, 0)}\n\n{notice}".strip(), cut=True)
