"""Which of those who speak, and of whom memories tell, a question means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from memory_system.recall import terms
from memory_system.recall.candidates import Candidates
from memory_system.recall.named import is_addressed, speaks_of
from memory_system.recall.numbers import session_of
from memory_system.recall.question import Question
from memory_system.text import is_cjk

NO_OTHERS = ("", "user", "assistant")  # whom a memory is about that is about nobody else

_NAMES = re.compile(r"\w{3,}")


def meant(question: Question, found: Candidates) -> str:
    """The one person whom the question means, as messages and memories call them; empty where there is none, or more
    than one."""
    speakers = {unit.speaker for unit in found.units.values()}.difference(("",))
    named = named_speakers(question.text, speakers) | _addressed(question, found, speakers)
    return _only(named) or _called(question, found) or _told_of(question, found)


def named_speakers(question: str, speakers: Iterable[str]) -> set[str]:
    """The speakers whose name, or a part of it that no other has, stands in the question."""
    owners: dict[str, set[str]] = {}
    for speaker in speakers:
        folded = speaker.lower()
        for name in {folded, *_NAMES.findall(folded)} if speaker else ():
            owners.setdefault(name, set()).add(speaker)
    return {next(iter(each)) for name, each in owners.items() if len(each) == 1 and terms.names(question, name)}


def people_named(question: Question, found: Candidates) -> Iterator[str]:
    """Who is named in the question among those who speak, and those whom memories are about."""
    people = {unit.speaker for unit in found.units.values()} | {each.speaker for each in found.memories.values()}
    return (person for person in sorted(people.difference(NO_OTHERS)) if terms.names(question.text, person))


def _only(names: Collection[str]) -> str:
    """The one; empty when there is none or more than one."""
    return next(iter(names)) if len(names) == 1 else ""


def _addressed(question: Question, found: Candidates, speakers: Collection[str]) -> set[str]:
    """Who is spoken to by a name that the question has and no speaker: where anna says "Hey Kate!" to em92, and nobody
    else is there, Kate is em92."""
    if len(speakers) < 2:
        return set()
    found_so: set[str] = set()
    for name in question.names:
        if any(terms.names(speaker, form) for form in name for speaker in speakers):
            continue
        speaking = [
            (session_of(number), unit.speaker)
            for number, unit in found.units.items()
            if unit.speaker and is_addressed(name, unit.text.lower())
        ]
        sessions = {session for session, _ in speaking}
        there = {unit.speaker for number, unit in found.units.items() if session_of(number) in sessions}
        found_so.update(filter(None, [_only(there.difference(speaker for _, speaker in speaking))]))
    return found_so


def _called(question: Question, found: Candidates) -> str:
    """What the one person is called who is near to the user and whom the question means: Tom, where it asks of "my
    brother"; empty where that is not known."""
    names = {
        memory.called
        for number, memory in found.memories.items()
        if memory.called and any(speaks_of(name, found.units[number].text.lower()) for name in question.names)
    }
    return _only(names)


def _told_of(question: Question, found: Candidates) -> str:
    """The one whom the question names in the other language's script (What is 小林 allergic to?): no other word leads
    to what is told of them."""
    people = {memory.speaker for memory in found.memories.values()}.difference(NO_OTHERS)
    others = (each for each in people if is_cjk(each) != (question.lang == "zh"))
    return _only(named_speakers(question.text, others))
