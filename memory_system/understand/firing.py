"""Which claim rules fire in a sentence: one pass over all patterns, then, for those whose values hold a word of a list,
whether such a word is there, and for those that read answers, whether it was asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from memory_system import attributes, rules
from memory_system.rules import Found, Rule, RuleSet
from memory_system.understand.language import language, lists_of, word_list


@dataclass(frozen=True, slots=True)
class ClaimRule:
    """One typed rule. Whom it is about is told by its group `who`, else by what stands to its left, else by `about`:
    `explicit` (the left, never left out), `speaker`, `assistant` (the user who talks to one), `you` (the one the user
    talks to), `alone` (the speaker if nobody else was spoken of), `topic` (the last subject, else the same), `asked`
    (whom the question is about)."""

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


def kin_asked(rule: ClaimRule, lang: str, asked: str) -> str:
    """The kin word that the question of such a rule is about; empty for none."""
    found = _gate(lang).asked[rule.id].search(asked)
    return str(found.group("kin") or "") if found else ""


def type_of(rule: ClaimRule) -> str:
    """The name of the type of the rule's values."""
    return rule.type or type_of_attribute(rule.attribute)


def type_of_attribute(attribute: str) -> str:
    """The name of the type of the attribute's values."""
    return str(attributes.about(attribute).get("type", "noun"))


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
    parts: dict[str, str] = rules.table(f"claims.{lang}", "parts")
    typed = claim_rules(lang)
    needed = {each.id: lists_of(type_of(each), lang) for each in typed}
    return _Gate(
        RuleSet(_rule(each.id, each.pattern, parts) for each in typed if not each.asked),
        RuleSet(_rule(each.id, each.pattern, parts) for each in typed if each.asked),
        {each.id: each for each in typed},
        {each.id: _rule(each.id, each.asked, parts) for each in typed if each.asked},
        needed,
        RuleSet((_rule(name, word_list(name, lang), {}) for name in sorted(set().union(*needed.values()))), short=True),
    )


def _rule(id_: str, pattern: str, parts: Mapping[str, str]) -> Rule:
    return Rule.from_row({"id": id_, "why": "", "pattern": pattern}, parts)
