"""Phase 3, after a model has read the night: what it has added is put beside the memories that are most like it, and it
is asked which of these no longer hold. When it read the talk it was shown few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from pydantic import BaseModel

from memory_system import text
from memory_system.llm import AskError, Prompt, overhead, template
from memory_system.llm.asking import Asker
from memory_system.phases import beforehand
from memory_system.phases.basis import telling_of
from memory_system.phases.beforehand import told
from memory_system.phases.shown import plain
from memory_system.records import CLAIM, STATEMENT, Fact
from memory_system.store.store import Memories
from memory_system.turns import Claim

RECONCILE = "reconcile"  # the question's name
ANSWER = 80  # tokens of an answer
SAFE = 0.9  # of the tokens that are left: a model counts them otherwise
BESIDE = 2  # memories beside each new one
_FRAME = "<known>\n{}\n</known>\n<new>\n{}\n</new>"

Pair = tuple[int, Fact]  # the place of what is new, and a memory that is like it


class Over(BaseModel):
    """A memory that no longer holds, and the number of what is new by which that is known."""

    id: str
    new: int


class Overs(BaseModel):
    over: list[Over]


def reconciled(made: Sequence[Claim], memories: Memories, asker: Asker, left: int) -> Iterator[Claim]:
    """What a model has made of the night, each with the memories that no longer hold beside it. The night may ask with
    so many tokens more."""
    pairs = list(_fitting(_pairs(made, memories), made, int(SAFE * left)))
    over: dict[int, list[str]] = {}
    for place, record in _over(pairs, made, asker) if pairs else ():
        over.setdefault(place, []).append(record.id)
    for place, claim in enumerate(made):
        gone = over.get(place)
        yield replace(claim, targets=tuple(gone), change=claim.change or "corrects") if gone else claim


def _pairs(made: Sequence[Claim], memories: Memories) -> Iterator[Pair]:
    """What is new beside what is like it: first the likest of each."""
    added = (place for place, each in enumerate(made) if each.form in (CLAIM, STATEMENT) and not each.targets)
    beside = [[(place, each) for each in _like(made[place], memories)] for place in added]
    return filter(None, chain.from_iterable(zip_longest(*beside)))


def _like(claim: Claim, memories: Memories) -> list[Fact]:
    terms = telling_of(claim.content)
    found = (each for each in beforehand.alike([claim.content], memories) if terms & telling_of(each.content))
    return [each for each in found if each.content != claim.content][:BESIDE]


def _fitting(pairs: Iterator[Pair], made: Sequence[Claim], room: int) -> Iterator[Pair]:
    """As many of them as so many tokens are enough to ask about."""
    room -= max(overhead(template(RECONCILE, lang).text, Overs) for lang in ("en", "zh")) + ANSWER
    seen: set[object] = set()
    for place, record in pairs:
        fresh = {place: f"99 | {made[place].content}", record.id: f"m99 | {told(record)}"}
        room -= sum(text.estimate_tokens(f"{words}\n") for key, words in fresh.items() if key not in seen)
        if room < 0:
            return
        seen.update(fresh)
        yield place, record


def _over(pairs: Sequence[Pair], made: Sequence[Claim], asker: Asker) -> Iterator[Pair]:
    """The pairs of which the answer says that the memory no longer holds."""
    new = dict(enumerate(dict.fromkeys(place for place, _ in pairs), 1))
    known = {f"m{number}": each for number, each in enumerate({each.id: each for _, each in pairs}.values(), 1)}
    beside = {(place, each.id) for place, each in pairs}
    try:
        answer = asker.ask(_prompt(new, known, made), Overs)
    except AskError:
        return
    for each in answer.over:
        place, record = new.get(each.new), known.get(each.id)
        if place is not None and record is not None and (place, record.id) in beside:
            yield place, record


def _prompt(new: dict[int, int], known: dict[str, Fact], made: Sequence[Claim]) -> Prompt:
    lines = [f"{number} | {plain(made[place].content)}" for number, place in new.items()]
    memories = "\n".join(f"{name} | {told(each)}" for name, each in known.items())
    lang = "zh" if 2 * sum(text.has_cjk(each) for each in lines) > len(lines) else "en"
    return template(RECONCILE, lang).about(_FRAME.format(memories, "\n".join(lines)), ANSWER)
