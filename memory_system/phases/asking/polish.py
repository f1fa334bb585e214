"""The question of phase 7: the snapshot's memories in the order in which they read best, and in fewer words. An order
moves lines and loses none; a shorter line is taken where only words that say nothing by themselves are gone. What was
found stands in `state/wording.json`, so that the snapshot can be made again at any time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from memory_system.errors import DamagedError
from memory_system.llm.asking import Asker
from memory_system.phases.asking import lines
from memory_system.phases.asking.support import LIGHT
from memory_system.store.gist import gist_of
from memory_system.text import estimate_tokens, fold, language
from memory_system.workspace import Workspace

NAME = "polish"
TOKENS = 600  # of the question, answer included
ENOUGH = 0.2  # share of the lines that are new before the whole is asked about again
_FORM = 14  # tokens of a line beside its words
_KNOWN = 400  # lines whose wording is kept: those of some weeks
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")


class _Line(BaseModel):
    n: int
    text: str


class Lines(BaseModel):
    lines: list[_Line]


@dataclass(slots=True)
class Wording:
    """What answers have said of the snapshot's lines: `shorter` ones by line (empty where there is none), the lines in
    the `order` of the last answer, and those that stood there when it was `asked` for."""

    shorter: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def learn(self, told: Sequence[str], answer: Lines) -> list[str]:
        """Take in what of an answer about these lines can be verified; the lines that it names, in its order."""
        named: dict[str, str] = {}
        for each in answer.lines:
            for place in lines.meant([each.n], range(len(told))):
                text = " ".join(each.text.split())
                named.setdefault(told[place], text if is_shorter(text, told[place]) else "")
        for line in told:
            known = self.shorter.pop(line, "")
            self.shorter[line] = named.get(line) or known  # at the end: the newest
        self.shorter = dict(list(self.shorter.items())[-_KNOWN:])
        return list(named)

    def arranged(self, told: Sequence[str], fixed: Collection[int]) -> list[tuple[int, str]]:
        """The places of the lines in the order in which they are to stand, each with its words. The `fixed` ones, and
        those of which no answer says where they belong, stay where they are."""
        rank = {line: number for number, line in enumerate(self.order)}
        slots = [place for place, line in enumerate(told) if place not in fixed and line in rank]
        order = list(range(len(told)))
        for slot, place in zip(slots, sorted(slots, key=lambda place: rank[told[place]]), strict=True):
            order[slot] = place
        return [(place, self.shorter.get(told[place]) or told[place]) for place in order]


_FORM_ON_DISK = TypeAdapter(Wording)


def wording(ws: Workspace) -> Wording:
    """What is known of the snapshot's lines; nothing where nobody may be asked about them."""
    if ws.config.llm.mode == "off" or NAME not in ws.config.llm.questions:
        return Wording()
    row = ws.files.read_object(ws.layout.wording)
    try:
        return _FORM_ON_DISK.validate_python(row)
    except ValidationError as error:
        raise DamagedError(f"{ws.layout.wording} holds no wording", "remove it: it is asked for again") from error


def ask(asker: Asker, told: Sequence[str], ws: Workspace) -> None:
    """Ask about the lines where enough of them are new, and keep what of the answer can be verified; what a batch has
    brought, too."""
    known = wording(ws)
    for rows, answer, _ in asker.answered(NAME, Lines):
        known.order = known.learn([row["line"] for row in rows], answer) or known.order
    if len(set(told).difference(known.asked)) > ENOUGH * len(told):
        _ask(asker, told, known)
    ws.files.replace_if_changed(ws.layout.wording, orjson.dumps(asdict(known), option=orjson.OPT_INDENT_2) + b"\n")


def _ask(asker: Asker, told: Sequence[str], known: Wording) -> None:
    form = lines.form(NAME, map(language, told), Lines, _expected)
    count = form.fitting(asker, told, min(TOKENS, asker.room(NAME)))
    answers = form.ask(asker, told[:count], [{"line": line} for line in told[:count]])
    order = [line for places, answer in answers for line in known.learn([told[n] for n in places], answer)]
    known.order = order or known.order
    if answers or (count and asker.queue is not None):
        known.asked = list(told)


def is_shorter(text: str, told: str) -> bool:
    """Whether the text is what was told without words that say nothing by themselves, and takes no more tokens."""
    if not 0 < len(text) < len(told) or estimate_tokens(text) > estimate_tokens(told):
        return False
    rest = iter(_TOKEN.findall(fold(told)))
    return all(token in rest for token in _TOKEN.findall(fold(text))) and _said(text) == _said(told)


def _said(sentence: str) -> list[str]:
    return [word for word in gist_of(sentence).words if word not in LIGHT]


def _expected(line: str) -> int:
    return _FORM + estimate_tokens(line)
