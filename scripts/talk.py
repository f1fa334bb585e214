"""Labelled talk as `corpus/` holds it: dialogues one a line, each sentence of a person with what a memory should make
of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson

from memory_system.text import simplified
from memory_system.understand.features import Span, Talk

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
# attributes that tell a name, and whose it is
NAMING = {
    "name": "own", "nickname": "own", "partner": "near", "child": "near", "parent": "near", "sibling": "near",
    "relative": "near", "friend": "near", "colleague": "near", "boss": "near",
}  # fmt: skip
LIFE_WEIGHT = 0.5  # what a sentence of a life counts beside one of the other talk


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a person: who they are, the message as the judge sees it, and a label for each sentence."""

    person: str
    talk: Talk
    labels: tuple[dict[str, Any], ...]
    weight: float = 1.0  # of each of its sentences


def dialogues(path: Path) -> list[dict[str, Any]]:
    """The dialogues of a file, in order; ValueError names the line that is none."""
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            found.append(orjson.loads(line))
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from error
    return found


def learned_from(lang: str) -> list[Path]:
    """The files of labelled talk of a language from which is learned: talk of many, and whole lives."""
    return [CORPUS / f"{lang}.jsonl", CORPUS / f"lives.{lang}.jsonl"]


def labelled(lang: str) -> list[Message]:
    """The messages of a language from which is learned; a life's count half: so few people say so much in them."""
    talk, lives = map(messages, learned_from(lang))
    return [*talk, *(replace(each, weight=LIFE_WEIGHT) for each in lives)]


def plainly_told(lang: str) -> list[Message]:
    """Messages that tell of somebody one thing at a time, in so many words, and such as only sound alike."""
    return list(messages(CORPUS / f"plain.{lang}.jsonl"))


def is_made_up(message: Message) -> bool:
    """Whether every sentence of it is unreal."""
    return all(each["stance"] == "unreal" for each in message.labels)


def messages(path: Path) -> Iterator[Message]:
    """The labelled messages of a file, each with what the other said right before it."""
    for dialogue in dialogues(path):
        before, voice = "", ""
        for said in dialogue["messages"]:
            if labels := said.get("labels"):
                heard = before if voice != said["who"] else ""
                where = spans(said["text"], labels)
                talk = Talk(simplified(said["text"]), where, simplified(heard), dialogue["kind"] == "friends")
                yield Message(dialogue["person"], talk, tuple(labels))
            before, voice = said["text"], said["who"]


def owners_moments(lang: str) -> Iterator[dict[str, Any]]:
    """The messages of owners to their assistants, each with what was said before and answered, and the names that its
    speaker had told by then."""
    told = sorted(chain.from_iterable(map(dialogues, learned_from(lang))), key=itemgetter("person", "date"))
    for _, of_person in groupby(told, key=itemgetter("person")):
        names: dict[str, list[str]] = {"own": [], "near": []}
        for dialogue in of_person:
            said = dialogue["messages"] if dialogue["kind"] == "assistant" else []
            for before, message, after in zip([None, *said], said, [*said[1:], None], strict=False):
                labels = message.get("labels", ())
                if labels and all(each["stance"] != "others" for each in labels):
                    texts = {"s": message["text"], "before": _text(before), "after": _answer(after)}
                    yield {**{key: [*each] for key, each in names.items()}, **texts, "guest": False}
                for subject, attribute, value, *_ in (each for row in labels for each in row.get("claims", ())):
                    if subject == "user" and attribute in NAMING:
                        names[NAMING[attribute]].append(value.split()[0] if NAMING[attribute] == "near" else value)


def _answer(message: dict[str, Any] | None) -> str:
    return _text(message) if message and message["who"] == "assistant" else ""


def _text(message: dict[str, Any] | None) -> str:
    return str(message["text"]) if message else ""


def spans(text: str, labels: list[dict[str, Any]]) -> list[Span]:
    """Where the labelled sentences stand in their message; ValueError where one does not."""
    found, at = [], 0
    for each in labels:
        start = text.index(each["s"], at)
        at = start + len(each["s"])
        found.append((start, at))
    return found
