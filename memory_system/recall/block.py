"""The block of lines that an agent is given: what is found, one line each, with date and source, and of a long text
what the question is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import tzinfo
from typing import Literal

from memory_system import clock
from memory_system.recall.units import Unit
from memory_system.records import Belief, is_memory_id, kind_of
from memory_system.rules import table
from memory_system.text import estimate_tokens, sentences

Level = Literal["high", "middle", "low"]
State = Literal["", "over", "outdated"]  # of what a line tells

LONGEST_TOKENS = 90  # of the text of one line
MOST_WORDS = 6  # of the question, that a pointer shows
TAG = "recalled-memories"
_TAGS = re.compile(r"<(?=/?\s*[\w-]*memor)", re.IGNORECASE)


def line_of(
    unit: Unit,
    source: str,
    level: Level,
    worth: Mapping[str, float],
    lang: str,
    zone: tzinfo,
    *,
    state: State = "",
    context: str = "",
    later: str = "",
) -> str:
    """The unit as one line, marked where its time is over or a newer memory stands in its place: it must not be taken
    for what is still to come. `worth` is what each word of the question weighs; of what is only pointed to (`low`) the
    words of the question that stand there are shown, not the text. What it leans on (`context`) stands before it, what
    was said `later` and likely makes it outdated behind it."""
    words = table("words", "told")[lang]
    moment, source = clock.parse_instant(unit.said_at), _tame(source)
    day = f"{clock.local_date(moment, zone)} " if moment else ""
    marked = words[state] if state else ""
    if level == "low":
        shown = words["comma"].join(_found(unit.text, worth))
        return f"- {marked}{words['see']}{day}[{source}]" + (words["colon"] + _tame(shown) if shown else "")
    speaker = unit.speaker or words.get(unit.role, unit.role)
    text = _tame((speaker + words["colon"] if speaker else "") + gist(unit.told, worth))
    if level == "middle":  # what is certain may still belong here less surely
        is_supposed = is_memory_id(unit.key) and kind_of(unit.key) is Belief
        marked += words["unsure" if is_supposed else "related"]
    before = words["beside"].format(context=_tame(context)) if context else ""
    behind = words["behind"].format(later=_tame(later)) if later else ""
    return f"- {marked}{day}{before}{text}{behind} [{source}]"


def wrapped(lines: list[str], lang: str) -> str:
    """The lines between marks that keep them from being remembered once more; empty without lines."""
    return "\n".join((f"<{TAG}>", table("words", "told")[lang]["head"], *lines, f"</{TAG}>")) if lines else ""


def gist(text: str, worth: Mapping[str, float]) -> str:
    """The text on one line; of a long one the sentence with most of the question, and what fits around it."""
    if estimate_tokens(text) <= LONGEST_TOKENS:
        return " ".join(text.split())
    pieces = [text[start:end] for start, end in sentences(text)]
    values = [sum(worth[term] for term in _standing_in(piece, worth)) for piece in pieces]
    first = last = values.index(max(values)) if values else 0
    kept = _cut(pieces[first], worth) if pieces else ""
    room = LONGEST_TOKENS - estimate_tokens(kept)
    while True:
        if last + 1 < len(pieces) and (price := estimate_tokens(pieces[last + 1]) + 1) <= room:
            last, kept, room = last + 1, f"{kept} {pieces[last + 1]}", room - price
        elif first and (price := estimate_tokens(pieces[first - 1]) + 1) <= room:
            first, kept, room = first - 1, f"{pieces[first - 1]} {kept}", room - price
        else:
            break
    lead, trail = "…" if first else "", "…" if last + 1 < len(pieces) else ""
    return f"{lead}{' '.join(kept.split())}{trail}"


def _cut(sentence: str, worth: Mapping[str, float]) -> str:
    """As much of an overlong sentence as there is room for, from a little before the first word of the question."""
    if estimate_tokens(sentence) <= LONGEST_TOKENS:
        return sentence
    folded = sentence.lower()
    start = max(0, min(map(folded.find, _standing_in(sentence, worth)), default=0) - LONGEST_TOKENS // 2)
    kept = sentence[start : start + 4 * LONGEST_TOKENS]
    while estimate_tokens(kept) > LONGEST_TOKENS - 2:
        kept = kept[: len(kept) * 9 // 10]
    return ("…" if start else "") + kept + ("…" if start + len(kept) < len(sentence) else "")


def _found(text: str, worth: Mapping[str, float]) -> list[str]:
    """The words of the question that stand in the text, the weightiest of them."""
    there = _standing_in(text, worth)
    return sorted(sorted(there, key=lambda term: (-worth[term], term))[:MOST_WORDS], key=there.index)


def _standing_in(text: str, worth: Mapping[str, float]) -> list[str]:
    folded = text.lower()
    return [term for term in worth if term in folded]


def _tame(text: str) -> str:
    """The text without marks that would end the block it stands in."""
    return _TAGS.sub("‹", " ".join(text.split()))
