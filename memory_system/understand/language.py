"""What differs between English and Chinese where sentences are read, as data: one `Language` each, from the tables of
`rules/claims.<lang>.toml`. Nothing else in this package asks which language it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from memory_system import rules
from memory_system.rules import with_parts

_NEVER = re.compile("(?!)")


@dataclass(frozen=True, slots=True)
class ValueType:
    """How a value of one type is cut out of the words that follow a rule, and what it must be."""

    longest: int  # characters
    cut: re.Pattern[str]  # it ends before the first of these
    lead: re.Pattern[str]  # taken off its front
    tail: re.Pattern[str]  # taken off its end
    need: re.Pattern[str]  # what all of it must be
    never: re.Pattern[str]  # what must stand nowhere in it
    begins: re.Pattern[str] | None = None  # a group `value`: what it must begin with, whatever follows; then only that
    loose: re.Pattern[str] | None = None  # the same for a text without any capital letter
    several: bool = False  # "nuts and shellfish" are two
    anywhere: bool = False  # it may stand anywhere in the stretch, not only at its start
    unless: re.Pattern[str] = _NEVER  # what must not stand before it in its clause


@dataclass(frozen=True, slots=True)
class Language:
    """The grammar that claims need. Patterns that look to the left end at the predicate, so that what stands between a
    subject and its predicate is taken off first (`between`, `denied`), and then a `subject` or nothing (`elided`)."""

    name: str
    between: re.Pattern[str]  # read backwards: words that change nothing, "am currently", 现在也
    denied: re.Pattern[str]  # read backwards: "don't", "no longer", 不, 没有
    subject: re.Pattern[str]  # at the end: groups me, we, he, she, kin, named
    topic: re.Pattern[str]  # the same at the start of a clause
    owner: re.Pattern[str]  # all of a possessive: groups me, we, he, she, kin, named
    mention: re.Pattern[str]  # anywhere: groups kin, named; own where the kin is the speaker's
    elided: re.Pattern[str]  # at the end: nothing that could be a subject
    third: re.Pattern[str]  # a predicate that has another than the speaker for its subject: "works", "is"
    stranger: re.Pattern[str]  # somebody of whom nothing is known: "the patient", 客户
    opened: re.Pattern[str]  # what makes all that follows unsaid: if, she says, 如果
    hedged: re.Pattern[str]  # what makes its clause unsure
    refused: re.Pattern[str]  # what right before it says that it is not to be so: don't, 别
    question: re.Pattern[str]
    clause: re.Pattern[str]  # where a clause ends
    sentence: re.Pattern[str]  # where a sentence ends
    quoted: re.Pattern[str]  # a quotation with its marks, closed or not
    joined: re.Pattern[str]  # what stands between two values
    shared: frozenset[str]  # attributes that "we" have
    kin: Mapping[str, str]  # wife → partner
    women: frozenset[str]
    men: frozenset[str]
    types: Mapping[str, ValueType] = field(default_factory=dict)
    aside: re.Pattern[str] = _NEVER  # at the end: a time or place between a subject and its predicate
    relative: re.Pattern[str] = _NEVER  # at the end: "…, who": it is about what stands before that
    third_before: re.Pattern[str] = _NEVER  # what only another than the speaker has before a predicate: "is"
    ended: re.Pattern[str] = re.compile("")  # what tells that something denied was so before: "no longer"
    other: re.Pattern[str] = _NEVER  # anywhere: groups he, she
    told: re.Pattern[str] = _NEVER  # whose words follow: "she says"; up to a clause that begins `fresh`
    fresh: re.Pattern[str] = _NEVER
    slip: re.Pattern[str] = _NEVER  # before the words with which a sentence puts right what it has just told
    first: re.Pattern[str] = _NEVER  # at the end: a verb that only the speaker has, "am"
    contracted: re.Pattern[str] = _NEVER  # a pronoun grown together with its verb
    dropped: bool = False  # a sentence may do without its subject


@cache
def word_list(name: str, lang: str) -> str:
    """A word list of the language as one pattern, each word whole where words are told apart."""
    file = f"claims.{lang}"
    edge = r"\b" if rules.table(file, "language")["apart"] else ""
    lists = {**_lists(file), **rules.table(file, "parts")}
    return edge + with_parts(f"%{name}%", lists) + edge


def lists_of(type_name: str, lang: str) -> frozenset[str]:
    """The word lists of each of which every value of that type holds a word."""
    return frozenset(rules.table(f"claims.{lang}", "types")[type_name].get("words", "").split())


@cache
def language(name: str) -> Language:
    """The language of that name, `en` or `zh`; FileNotFoundError for another."""
    file = f"claims.{name}"
    data: dict[str, Any] = dict(rules.table(file, "language"))
    kin = kin_words(name)
    del data["kin"]
    parts = {**rules.table(file, "parts"), **_lists(file), **_kinship(kin)}
    subject = with_parts(data.pop("subject"), parts)
    backwards: dict[str, Any] = {key: _backwards(data.pop(key), data["apart"]) for key in ("between", "denied")}
    words: dict[str, Any] = {key: frozenset(data.pop(key).split()) for key in ("shared", "women", "men")}
    dropped = data.pop("dropped", False)
    del data["apart"]
    after = data.pop("after_topic", "")
    first = data.pop("first", "(?!)")
    patterns: dict[str, Any] = {key: _compiled(with_parts(pattern, parts)) for key, pattern in data.items()}
    ends: dict[str, Any] = {
        "first": _compiled(f"(?:{first})$"),
        "subject": _compiled(f"(?:{subject})$"),
        "topic": _compiled(f"(?:{subject}){after}"),
    }
    taken: dict[str, Any] = {**backwards, **words, **patterns, **ends}
    return Language(name=name, kin=kin, types=_Types(file, parts), dropped=dropped, **taken)


def kin_words(name: str) -> Mapping[str, str]:
    """What each kin word of the language means: wife → partner. Far cheaper than the whole language."""
    words: Mapping[str, str] = rules.table(f"claims.{name}", "language")["kin"]
    return {word: attribute for attribute, group in words.items() for word in group.split()}


def _lists(file: str) -> dict[str, str]:
    """The word lists of the file as alternatives, for the patterns of the language and of its types."""
    lists: Mapping[str, str] = rules.table(file, "lists")
    return {name: words if "(" in words else _alternatives(words.split("|")) for name, words in lists.items()}


def _kinship(kin: Mapping[str, str]) -> dict[str, str]:
    """The kin words as alternatives: all, and those for people."""
    people = (word for word, attribute in kin.items() if attribute != "pet")
    return {"kinship": _alternatives(kin), "folk": _alternatives(people)}


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


class _Types(dict[str, ValueType]):
    """The types of the file's table, each made when it is first asked for: their patterns hold long lists, and few are
    needed in a night. What a type leaves out it has from `any`."""

    def __init__(self, file: str, parts: Mapping[str, str]) -> None:
        super().__init__()
        self._rows: Mapping[str, Mapping[str, Any]] = rules.table(file, "types")
        self._parts = parts

    def __missing__(self, name: str) -> ValueType:
        made = self[name] = _type({**self._rows["any"], **self._rows[name]}, self._parts)
        return made


def _type(row: Mapping[str, Any], parts: Mapping[str, str]) -> ValueType:
    own = {each.name: row[each.name] for each in fields(ValueType) if each.name in row}
    patterns = {key: _compiled(with_parts(value, parts)) for key, value in own.items() if isinstance(value, str)}
    return ValueType(**{**own, **patterns})


def _backwards(words: str, apart: str) -> re.Pattern[str]:
    """Any number of these words (split at |), for a text that is read from its end. `apart` is what
    must follow a whole word there; what begins with an apostrophe is none."""
    longest_first = sorted(words.split("|"), key=len, reverse=True)
    turned = "|".join(re.escape(word[::-1]) + ("" if word[0] == "'" else apart) for word in longest_first)
    return _compiled(rf"\s*(?:{turned})(?:\s*(?:{turned}))*")


@cache
def pattern(file: str, lang: str, name: str) -> re.Pattern[str]:
    """A pattern that `<file>.toml` has for the language."""
    return _compiled(rules.table(file, lang)[name])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
