"""The text of a summary: the facts of one topic as a person would sum them up. The newest comes first, values of one
kind stand in one clause, and nothing is said that no fact says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory_system.attributes import about
from memory_system.records import Fact, told
from memory_system.text import essence, told_in

_ENDS = "。.；; "
_MARK = {"en": "; ", "zh": "；"}
_STOP = {"en": ". ", "zh": "。"}
_AND = {"en": (", ", " and "), "zh": ("、", "和")}
# "One of User's favorite books is" (最喜欢的书之一是) names one; how several are named.
_SEVERAL = {
    "en": (re.compile(r"^One of (.+) is $"), r"\1 include "),
    "zh": (re.compile("之一是$"), "包括"),
}


class _Clause(NamedTuple):
    """What several facts say with the same words up to their values; a fact that stands alone is all `head`."""

    head: str
    values: tuple[str, ...] = ()


def compose(facts: Iterable[Fact], name: str = "") -> str:
    """The facts as one text, each language by itself, the one that says more first. `name` is whom or what they are
    about; left out, it is the user, by the name that the facts have for them."""
    by_language: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_language[told_in(fact.lang)].append(fact)
    ordered = sorted(by_language.items(), key=lambda each: (-len(each[1]), each[0]))
    return " ".join(_told(group, name, lang) for lang, group in ordered)


def _told(facts: Sequence[Fact], name: str, lang: str) -> str:
    newest = sorted(facts, key=lambda fact: fact.said_at, reverse=True)
    name = name or next((fact.entities[0] for fact in newest if fact.entities), "")
    said = dict.fromkeys(_said(clause, lang) for clause in _clauses(_not_said_by_others(newest)))
    about_it = [each for each in said if _without(name, each, lang) != each]
    others = [each for each in said if each not in about_it]
    # the subject that clauses share is named once
    opened = _MARK[lang].join([*about_it[:1], *(_without(name, each, lang) for each in about_it[1:])])
    return _STOP[lang].join(filter(None, (opened, *others))) + _STOP[lang].rstrip()


def _not_said_by_others(facts: Sequence[Fact]) -> list[Fact]:
    """The facts without those whose words stand in the words of another: it says the same and more."""
    said = {fact.id: essence(fact.content.rstrip(_ENDS)) for fact in facts}
    covered = {mine for mine in said.values() for other in said.values() if mine in other and mine != other}
    return [fact for fact in facts if said[fact.id] not in covered]


def _clauses(facts: Iterable[Fact]) -> list[_Clause]:
    """The facts as clauses: those that differ in a value alone, of a slot of many values, as one."""
    clauses: dict[str, _Clause] = {}
    for fact in facts:
        content = told(vars(fact)).rstrip(_ENDS)
        head = content[: -len(fact.value)] if _is_listed(fact) and content.endswith(fact.value) else ""
        if head:
            known = clauses.get(head, _Clause(head))
            clauses[head] = known._replace(values=(*known.values, fact.value))
        else:
            clauses[content] = _Clause(content)
    return list(clauses.values())


def _is_listed(fact: Fact) -> bool:
    """Whether the slot holds things of one kind, which can be listed: tastes and tools, but not the names of people."""
    row = about(fact.attribute)
    return bool(fact.value) and not row.get("single") and "value_type" not in row


def _said(clause: _Clause, lang: str) -> str:
    values = list(dict.fromkeys(clause.values))
    if len(values) < 2:
        return clause.head + "".join(values)
    comma, last = _AND[lang]
    several, plural = _SEVERAL[lang]
    return several.sub(plural, clause.head) + comma.join(values[:-1]) + last + values[-1]


def _without(name: str, content: str, lang: str) -> str:
    """The clause without the name that opens it as its subject; 用户的… and User's … have another subject."""
    rest = content.removeprefix(name) if name else content
    if lang == "zh":
        return content if rest.startswith(("的", "和", "等", "与", "跟", "：")) else rest
    return rest[1:] if rest[:1] == " " and rest[1:2].islower() else content
