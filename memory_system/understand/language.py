"""What differs between English and Chinese where sentences are read, as data: one `Language` each, from the tables of
`rules/claims.<lang>.toml`; nothing else in this package asks which language it reads. And which claim rules of a
language fire in a sentence: one pass over all patterns, then, for those whose values hold a word of a list, whether
such a word is there, and for those that read answers, whether it was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from memory_system import attributes, rules
from memory_system.rules import Found, Rule, RuleSet, with_parts

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
    timed: bool = False  # a time at its end belongs to it


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
    unchanged: re.Pattern[str] = _NEVER  # in a clause: that nothing has changed, "haven't", "nearly", 没
    first: re.Pattern[str] = _NEVER  # at the end: a verb that only the speaker has, "am"
    contracted: re.Pattern[str] = _NEVER  # a pronoun grown together with its verb
    dropped: bool = False  # a sentence may do without its subject


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


@cache
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
    return _compiled(rf"(?:\s*(?:{turned}))+")


@cache
def pattern(file: str, lang: str, name: str) -> re.Pattern[str]:
    """A pattern that `<file>.toml` has for the language."""
    return _compiled(rules.table(file, lang)[name])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return rules.caseless(pattern)


@dataclass(frozen=True, slots=True)
class ClaimRule:
    """One typed rule. Whom it is about is told by its group `who`, else by what stands to its left, else by `about`:
    `explicit` (the left, never left out), `speaker`, `assistant` (the user who talks to one), `you` (the one the user
    talks to), `topic` (the last subject, else the speaker if nobody else was spoken of), `asked` (whom the question is
    about)."""

    id: str
    why: str
    pattern: str
    attribute: str
    polarity: bool = True
    type: str = ""  # of the value, where it is not the attribute's own
    asked: str = ""  # what the question before must hold
    about: str = ""


@dataclass(frozen=True, slots=True)
class _Gate:
    patterns: RuleSet
    answers: RuleSet  # the patterns of rules that read answers
    rules: Mapping[str, ClaimRule]
    asked: Mapping[str, Rule]  # what the question must hold, by the rule's id
    needed: Mapping[str, frozenset[str]]  # a word of which lists, by the rule's id
    lists: RuleSet  # those lists


@cache
def claim_rules(lang: str) -> tuple[ClaimRule, ...]:
    """The rules of the language, in the order of the file: at one place the first wins."""
    return tuple(ClaimRule(**row) for row in rules.table(f"claims.{lang}", "claim"))


def claim_rule(id_: str, lang: str) -> ClaimRule:
    """The rule of that id; KeyError for another."""
    return _gate(lang).rules[id_]


def type_of(rule: ClaimRule) -> str:
    """The name of the type of the rule's values."""
    return rule.type or type_of_attribute(rule.attribute)


def type_of_attribute(attribute: str) -> str:
    """The name of the type of the attribute's values; `any` where it has none of its own."""
    return str(attributes.about(attribute).get("type", "any"))


def matches(plain: str, lang: str, asked: str) -> list[tuple[ClaimRule, Found]]:
    """The matches of the rules that fire, from left to right, so that a name comes before its pronoun; at one place in
    the order of the file, and last those that look for their values anywhere."""
    found = [(rule, each) for rule, pattern in _fired(plain, lang, asked) for each in pattern.found(plain)]
    types = language(lang).types
    return sorted(found, key=lambda each: (types[type_of(each[0])].anywhere, each[1].places["value"][0]))


def _fired(plain: str, lang: str, asked: str) -> list[tuple[ClaimRule, Rule]]:
    gate = _gate(lang)
    answering = [rule for rule in gate.answers.firing(plain) if gate.asked[rule.id].search(asked)] if asked else []
    firing = gate.patterns.firing(plain) + answering
    held: set[str] = set()
    if any(gate.needed[rule.id] for rule in firing):
        held.update(each.id for each in gate.lists.firing(plain))
    return [(gate.rules[rule.id], rule) for rule in firing if gate.needed[rule.id] <= held]


@cache
def _gate(lang: str) -> _Gate:
    file, typed = f"claims.{lang}", claim_rules(lang)
    parts: dict[str, str] = rules.table(file, "parts")
    types = rules.table(file, "types")
    needed = {each.id: frozenset(types[type_of(each)].get("words", "").split()) for each in typed}
    edge = r"\b" if rules.table(file, "language")["apart"] else ""  # a word is whole where words are told apart
    words = {**_lists(file), **parts}
    return _Gate(
        RuleSet(_rule(each.id, each.pattern, parts) for each in typed if not each.asked),
        RuleSet(_rule(each.id, each.pattern, parts) for each in typed if each.asked),
        {each.id: each for each in typed},
        {each.id: _rule(each.id, each.asked, parts) for each in typed if each.asked},
        needed,
        RuleSet(
            (_rule(name, f"{edge}%{name}%{edge}", words) for name in sorted(set().union(*needed.values()))), short=True
        ),
    )


def _rule(id_: str, pattern: str, parts: Mapping[str, str]) -> Rule:
    return Rule.from_row({"id": id_, "why": "", "pattern": pattern}, parts)
