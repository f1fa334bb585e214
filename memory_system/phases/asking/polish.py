"""The question of phase 7: the snapshot's memories in fewer words. A shorter line is taken where only words that say
nothing by themselves are gone. The snapshot is made from what is recorded, so that it can be made again at any time.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from memory_system import clock
from memory_system.gist import gist_of, tells_not
from memory_system.llm.answers import Answers
from memory_system.llm.asking import Asker
from memory_system.llm.ledger import Ledger
from memory_system.phases.asking import lines
from memory_system.phases.asking.support import LIGHT, words
from memory_system.text import estimate_tokens, language
from memory_system.workspace import Workspace

NAME = "polish"
TOKENS = 600  # of the question, answer included: fixed, so that the same lines are always the same question
_FORM = 14  # tokens of a line beside its words


class _Line(BaseModel):
    n: int
    text: str


class Lines(BaseModel):
    lines: list[_Line]


def recorded(ws: Workspace) -> Asker | None:
    """Whom to ask for what was answered before; None where nobody may be asked."""
    if ws.config.llm.mode == "off" or NAME not in ws.config.llm.questions:
        return None
    ledger = Ledger(ws.layout.ledger, ws.files, ws.config)
    return Asker(ws.config, Answers(ws.layout.answers, ws.files), ledger, clock.stamp(ws.now))


def shorter(asker: Asker, told: Sequence[str]) -> dict[int, str]:
    """By place of the line: the same in fewer words, where that can be verified."""
    form = lines.form(NAME, map(language, told), Lines, _expected)
    count = form.fitting(asker, told, TOKENS)
    found: dict[int, str] = {}
    for start, answer in form.ask(asker, told[:count]):
        for each in answer.lines:
            place, text = start + each.n - 1, " ".join(each.text.split())
            if 0 < each.n <= count - start and is_shorter(text, told[place]):
                found.setdefault(place, text)
    return found


def is_shorter(text: str, told: str) -> bool:
    """Whether the text says the same with fewer characters and no other words."""
    mine, said = words(text), words(told)
    same = not (mine - said or said - mine - LIGHT)
    return same and 0 < len(text) < len(told) and tells_not(gist_of(text)) == tells_not(gist_of(told))


def _expected(line: str) -> int:
    return _FORM + estimate_tokens(line)
