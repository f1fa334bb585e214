"""Whom a clause is about: the speaker, a kin word or a name that is known, whom "she" surely means; else nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from memory_system.records import USER
from memory_system.understand.language import Language

_WINDOW = 60  # characters to the left in which a subject stands


@dataclass(frozen=True, slots=True)
class Heard:
    """What came before a sentence: the question that it may answer, its message up to it, who is known (name or kin
    word → what the memory calls them), the speaker's name where a named person speaks, and who takes which medicine."""

    asked: str = ""
    before: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    speaker: str = ""
    takers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class About:
    """Whom a predicate is about, and whether it is denied of them."""

    subject: str
    denied: bool = False
    plural: bool = False  # "we": good only for what is shared
    implied: bool = False  # the words themselves do not name them: not enough for what is grave


class People:
    """Who is spoken of in a sentence, as far as it was read."""

    def __init__(self, plain: str, language: Language, heard: Heard) -> None:
        self._plain, self._language, self._heard = plain, language, heard

    @cached_property  # most sentences need no names
    def _names(self) -> dict[str, str]:
        names = {name.casefold(): known for name, known in self._heard.names.items()}
        for found in self._language.mention.finditer(self._heard.before):
            if named := found.groupdict().get("named"):
                names.setdefault(named.casefold(), named)
                names.setdefault(found["kin"].casefold(), named)
        return names

    @cached_property
    def _women(self) -> set[str]:
        return self._with_names(self._language.women)

    @cached_property
    def _men(self) -> set[str]:
        return self._with_names(self._language.men)

    def _with_names(self, kin: frozenset[str]) -> set[str]:
        """The kin words and those who are known as one of them: "husband" → Ray, he is one."""
        return {*kin, *(known.casefold() for name, known in self._names.items() if name in kin)}

    @property
    def speaker(self) -> str:
        return self._heard.speaker or USER

    def learn(self, name: str, kin: str = "") -> None:
        """A name that the sentence introduces, maybe with what kin of the speaker's it is."""
        self._names[name.casefold()] = name
        if kin:
            self._names.setdefault(kin.casefold(), name)
        for group in (self._women, self._men):
            if kin.casefold() in group:
                group.add(name.casefold())

    def canonical(self, kin: str, named: str | None) -> str:
        """What the memory calls a kin word of the speaker's."""
        if named:
            self.learn(named, kin)
            return self._names.get(named.casefold(), named)
        return self._names.get(kin.casefold(), kin)

    def before(self, place: int, end: int, *, explicit: bool = False) -> About | None:
        """Whom the predicate between those places is about; None where it is not certain, or not `explicit`."""
        predicate = self._plain[place:end]
        if grown := self._language.contracted.match(self._plain, place):
            place = grown.end()
        window = self._plain[max(0, place - _WINDOW) : place]
        left, denied = self._bare(window)
        if relative := self._language.relative.search(left):
            left = left[: relative.start()]
        found = self._language.subject.search(left)
        if found and relative and found.start("kin") == found.start():  # "a country girl who hates fish" is anybody
            return None
        if found:
            return self._meant(found, place - 1, denied=denied)
        if name := self._known_at_end(left):
            return About(name, denied)
        among_friends = self._language.dropped and bool(self._heard.speaker)  # it may be whom the other one spoke of
        if explicit or relative or among_friends or not self._language.elided.search(left):
            return None
        if self._language.first.search(window):
            return About(self.speaker, denied)
        if self._language.third_before.search(window, len(left)):
            predicate = window[len(left) :] + predicate
        return self._left_out(place, predicate, denied=denied)

    def owner(self, words: str, place: int) -> About | None:
        """Whom a possessive means: my, her, Anna's, 我妈的."""
        words = words.strip()
        found = self._language.owner.fullmatch(words)
        if found:
            return self._meant(found, place)
        name = self._names.get(re.sub(r"(?:'s?|的)$", "", words).casefold())
        return About(name) if name else None

    def alone(self, place: int) -> About | None:
        """The speaker, where nobody else was spoken of in the message before that place, nor asked about."""
        around = f"{self._heard.asked}\n{self._heard.before}\n{self._plain[:place]}"
        if self._language.dropped:
            around = self._since_me(around)
        if next(self._mentioned(around), None) is not None:
            return None
        is_of_another = self._language.stranger.search(around) or self._language.other.search(around)
        return None if is_of_another else About(self.speaker, implied=True)

    def _since_me(self, words: str) -> str:
        """The words from the clause on where the speaker was last named, if nobody was after them."""
        for start in reversed([0, *(found.end() for found in self._language.clause.finditer(words))]):
            if found := self._language.topic.match(words, start):
                return words[start:] if found["me"] else words
        return words

    def begins_with_name(self, words: str) -> bool:
        """Whether the words begin with somebody who is known, and go on."""
        return any(words.casefold().startswith(name) and len(words) > len(name) for name in self._names)

    def _bare(self, left: str) -> tuple[str, bool]:
        """The text without what stands between a subject and its predicate, and whether that denies."""
        turned, denied = left[::-1], False
        while True:
            if found := self._language.between.match(turned):
                turned = turned[found.end() :]
            elif found := self._language.denied.match(turned):
                turned, denied = turned[found.end() :], True
            elif found := self._language.aside.search(turned[::-1]):
                turned = turned[len(found[0]) :]
            else:
                return turned[::-1], denied

    def _meant(self, found: re.Match[str], place: int, *, denied: bool = False) -> About | None:
        group = found.groupdict()
        if group.get("me"):
            return About(self.speaker, denied)
        if group.get("we"):
            return About(self.speaker, denied, plural=True)
        if kin := group.get("kin") or group.get("bare"):
            return About(self.canonical(kin, group.get("named")), denied)
        subject = self.antecedent(place, "she" if group.get("she") else "he")
        return About(subject, denied) if subject else None

    def topic(self, place: int, predicate: int) -> About | None:
        """Whom the words at that place are about where they name nobody themselves; None where the predicate, which
        begins at the other, is denied."""
        if self._bare(self._plain[max(0, predicate - _WINDOW) : predicate])[1]:
            return None
        if (subject := self._topic(self._plain[:place])) is not None:
            return About(subject) if subject else None
        return None if self._language.dropped and self._heard.speaker else self.alone(place)

    def taker(self, medicine: str, place: int) -> About | None:
        """The only one who is known to take the medicine, where nobody else near the speaker was spoken of before that
        place, and its clause tells of a change."""
        who, before = self._heard.takers.get(medicine.casefold()), self._plain[:place]
        clause = max((found.end() for found in self._language.clause.finditer(before)), default=0)
        if not who or self._language.unchanged.search(before, clause):
            return None
        around = f"{self._heard.asked}\n{self._heard.before}\n{before}"
        return About(who) if not {*self._mentioned(around)} - {who} else None

    def asked_about(self) -> About | None:
        """Whom an answer is about: the one near the speaker whom the question names, else the speaker."""
        asked = self._heard.asked
        named = set(self._mentioned(asked))
        if not named:
            return None if self._language.other.search(asked) else About(self.speaker)
        return About(named.pop()) if len(named) == 1 else None

    def antecedent(self, place: int, pronoun: str) -> str | None:
        """The one whom "he" or "she" means there: the only one spoken of before in the sentence, else in the sentence
        right before it, else in the question; whose sex is not known must be spoken of in the same sentence."""
        if self._language.stranger.search(self._plain, 0, place):
            return None
        other, same = (self._men, self._women) if pronoun == "she" else (self._women, self._men)
        here = self._plain[:place]
        for words in (here, self.sentence_before, self._heard.asked):
            fitting = {who for who in self._mentioned(words) if who.casefold() not in other}
            if len(fitting) > 1:
                return None
            if fitting:
                who = fitting.pop()
                return (who or None) if words is here or who.casefold() in same else None
        return None

    @cached_property
    def sentence_before(self) -> str:
        said = [each for each in self._language.sentence.split(self._heard.before) if each and each.strip()]
        return said[-1] if said else ""

    def _mentioned(self, words: str) -> Iterator[str]:
        """Those who are spoken of in the words: empty for somebody's whom nothing else is known of."""
        for found in self._language.mention.finditer(words):
            group = found.groupdict()
            own = group.get("own", "own") or group.get("bare")
            yield self.canonical(group.get("kin") or group["bare"], group.get("named")) if own else ""
        for name, known in self._names.items():
            if known != self.speaker and re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", words, re.IGNORECASE):
                yield known

    def _known_at_end(self, left: str) -> str | None:
        lower = left.rstrip().casefold()
        for name, known in self._names.items():
            if lower.endswith(name) and (self._language.dropped or not lower[: -len(name)][-1:].isalpha()):
                return known
        return None

    def _left_out(self, place: int, predicate: str, *, denied: bool) -> About | None:
        """Whom a predicate without a subject is about: the speaker, where the last clause with a subject is theirs, or
        nobody else was spoken of in the message."""
        if (topic := self._topic(self._plain[:place])) is not None:
            return About(topic, denied, implied=True) if topic == self.speaker else None
        if self._language.third.match(predicate) or not self.alone(place):
            return None
        return About(self.speaker, denied, implied=True)

    def _topic(self, before: str) -> str | None:
        """The subject that the last clause with one begins with; empty where it is not certain who that is."""
        starts = [0, *(found.end() for found in self._language.clause.finditer(before))]
        for start in reversed(starts):
            if found := self._language.topic.match(before, start):
                about = self._meant(found, start)
                return about.subject if about else ""
            if self._language.dropped and (name := self._known_at_start(before[start:])):
                return name
        return None

    def _known_at_start(self, words: str) -> str | None:
        lower = words.casefold()
        return next((known for name, known in self._names.items() if lower.startswith(name)), None)
