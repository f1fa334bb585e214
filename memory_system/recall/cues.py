"""What a message calls for from memory, beside its words: `rules/cues.toml` holds the cues."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory_system.records import Row
from memory_system.rules import Rule, load
from memory_system.text import fold

MOST_ASKED = 4  # questions in one message that are looked at one by one
_QUESTION = re.compile(r"[^?？]+[?？]")
_THE_USER = re.compile(
    r"\b(does|is|was|has|did|can|will|should|would) the user\b(?!')|\bthe user's\b|用户(?!名|们|体验|界面)"
)
_AS_ASKED = {"does": "do i", "is": "am i", "has": "have i"}  # by the user


@dataclass(frozen=True, slots=True)
class Kind:
    """Memories of one of these categories or attributes (a dotted attribute by its first part as well); of a whole
    that is asked for, at most `most`; with `named` only those whose value the message names."""

    name: str
    categories: frozenset[str]
    attributes: frozenset[str]
    most: int = 0
    named: bool = False

    @classmethod
    def of(cls, rule: Rule) -> Kind:
        data = rule.data
        kinds = frozenset(data["categories"]), frozenset(data["attributes"])
        return cls(data["name"], *kinds, data.get("most", 0), data.get("named", False))

    def holds(self, row: Row) -> bool:
        attribute = row.get("attribute", "")
        known = {attribute, attribute.partition(".")[0]}
        return row.get("category", "general") in self.categories or bool(known & self.attributes)


@dataclass(frozen=True, slots=True)
class Cues:
    """`idle`: the message says nothing to look for; `past`: it speaks of what was before; `topics` count for more,
    `wholes` are asked for as a whole."""

    idle: bool
    past: bool
    topics: tuple[Kind, ...] = ()
    wholes: tuple[Kind, ...] = ()

    @property
    def names(self) -> list[str]:
        """What fired, each once."""
        return list(dict.fromkeys(["past"] * self.past + [kind.name for kind in self.topics + self.wholes]))


def cues_of(message: str) -> Cues:
    """The cues in a message; never raises, whatever it holds."""
    text, groups = _THE_USER.sub(_as_the_user, fold(message).encode(errors="replace").decode()), load("cues")
    if not text or groups["idle"].fires(text):
        return Cues(idle=True, past=False)
    topics, wholes = _kinds(groups["topics"].firing(text)), [*groups["wholes"].firing(text)]
    asked = [each for each in _QUESTION.findall(text) if each != text]
    for each in asked[:MOST_ASKED]:  # of several questions each calls for its own
        wholes += [rule for rule in groups["wholes"].firing(each) if rule not in wholes]
    return Cues(idle=False, past=groups["past"].fires(text), topics=topics, wholes=_kinds(wholes))


def _as_the_user(found: re.Match[str]) -> str:
    """An agent asks of the user what the user asks of themselves: "where does the user live", 用户住在哪."""
    if verb := found[1]:
        return _AS_ASKED.get(verb, f"{verb} i")
    return "我" if found[0] == "用户" else "my"


def _kinds(rules: Iterable[Rule]) -> tuple[Kind, ...]:
    return tuple(map(Kind.of, rules))
