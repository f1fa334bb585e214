"""What the words next to a pronoun or a verb say of it: whether it is asked, called, counted, or an object."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_system.phrasing.verbs import is_adverb
from memory_system.rules.words import is_word

MODALS = frozenset(("can", "could", "will", "would", "shall", "should", "may", "might", "must", "did", "do", "does"))
_SEEMING = re.compile(
    r"^(?:sound|look|seem|feel|appear)(?:s|ed)? like (?:you|u) (?:are|have|were|do|need|want|love|like|enjoy|know|had)"
    r"(?:n't)?$"
)
_ALL_OF_YOU = frozenset({"guys", "folks", "ladies"})
_BOTH_DO = MODALS | {"were", "are", "have", "had", "both", "having", "being", "going", "ever", "never"}
_SORTS = ("sort", "kind")


def is_adverb_at(low: str, tokens: Sequence[str], at: int) -> bool:
    """Whether the word may stand between a subject and its verb there: in "sort of" neither is a verb."""
    if low in _SORTS:
        return list(tokens[at + 1 : at + 3]) == [" ", "of"]
    return is_adverb(low) or (low == "of" and at > 1 and tokens[at - 2].lower() in _SORTS)


def of_several(following: Sequence[str]) -> int:
    """How many tokens behind "you" say that it is more than one: "you guys", "you, guys", "you two could talk", but not
    "sent you two photos"; 0 where none do."""
    words = [each for each in following if each not in (" ", ",")]
    if not words or following[0] not in (" ", ","):
        return 0
    several = words[0] in _ALL_OF_YOU or (words[0] == "two" and not _BOTH_DO.isdisjoint(words[1:2]))
    return following.index(words[0]) + 1 if several else 0


def is_seeming(tokens: Sequence[str], at: int) -> bool:
    """Whether a clause begins there that something seems to say: "it looks like you were right"."""
    return _SEEMING.search("".join(tokens[max(0, at - 4) : at + 3]).lower()) is not None


def is_called(tokens: Sequence[str], at: int) -> bool:
    """Whether a comma stands behind the word, as before a name that is called."""
    return list(tokens[at + 1 : at + 2]) == [","]


def is_gerund(low: str) -> bool:
    """Whether who comes next is its object: "getting you closer", "helping you decide"."""
    return low.endswith("ing") and len(low) > 5 and not is_word("no_gerunds", low)


def is_joined_verb(low: str, tokens: Sequence[str], at: int) -> bool:
    """Whether it is the second verb in "lives in Rome and works at a bank", or in "has moved and have got a cat", and
    no noun."""
    after = next((each.lower() for each in tokens[at + 1 :] if each[0].isalnum()), "")
    if low == "have":
        return is_word("past", after) or is_word("participles", after) or after.endswith("ed")
    return is_word("verbs", low) and is_word("after_verb", after)


def is_numeral(tokens: Sequence[str], at: int) -> bool:
    """Whether "I" is a number or a letter: Book I, World War I, I/O."""
    before = tokens[at - 2] if at > 1 and tokens[at - 1] == " " else ""
    return "/" in tokens[at + 1 : at + 2] or (before.istitle() and is_word("numbered", before.lower()))


def stands_alone(tokens: Sequence[str], at: int) -> bool:
    """Whether a small "i" is the pronoun: blanks around it, and no "i.e."."""
    if list(tokens[at + 1 : at + 3]) == [".", "e"]:
        return False
    return (at == 0 or not tokens[at - 1][0].isalnum()) and (at + 1 == len(tokens) or tokens[at + 1][0] in " ,.!?;")


def is_participle(tokens: Sequence[str], at: int) -> bool:
    """Whether "I'd" is "I had": what comes next is no plain verb."""
    words = (each.lower() for each in tokens[at + 1 :] if each[0].isalnum())
    verb = next((each for each in words if each == "never" or not is_adverb(each)), "")
    return is_word("participles", verb) or (verb.endswith("ed") and not is_word("base_ed", verb))
