"""What the claim rules leave of a segment, to be told beside the slots that they fill."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_system import attributes, text
from memory_system.phases.understanding.filling import BLANKS, NAMED, Reading, named_in
from memory_system.phases.understanding.passage import Passage
from memory_system.phases.understanding.subjects import Subject
from memory_system.rules.words import is_word

_LONG_REST = 6  # Chinese characters that a clause may have beside its slot without saying more
_OWN_WORD = re.compile(r"\b[A-Z]{2,}\b|[^\W\d_]{4,}|\d+")
_WORD = re.compile(r"[a-z]{3,}")
_IDLE = re.compile(
    r"\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten) (?:year|month)s?\b(?! ago)"  # told as "since"
    r"|\b(?:and|too|also|as well|now|by the way|for me|there|here)\b|[了呢啊吧呀哦啦的]",
    re.IGNORECASE,
)
_LEAST_MORE = 6  # columns that are said of somebody who was named: 爱吃鱼
_HE_OR_SHE = re.compile("^(?:而且|不过|但是?)?[他她它](?!们)")
_OTHERS = ("我", "咱", "俺", "他们", "她们", "它们", "两", "都")  # whom it is about then, nobody can tell from the name
_LEAST_TAIL = 2  # characters behind a Chinese name that say something of who bears it
_CLAUSE = re.compile(r"[^，。！？；：,.!?;:]+[，。！？；：,.!?;:]*")


def left_over(readings: Iterable[Reading], plain: str, offset: int, lang: str) -> list[tuple[int, int, bool]]:
    """What the readings leave of the text: the clauses that none of them stands on, and those of which they leave a
    long rest (False: not the whole clause), or anything of who is only named in passing ("my sister Ruth sings"). What
    only announces ("one more thing:") is no rest."""
    readings = list(readings)
    taken = bytearray(len(plain))
    for each in readings:
        start, end = each.span
        if each.rule.data.get("reaches_back"):  # the clause before only tells of whom
            start = max(start, clauses_of(each, plain, offset)[0])
        if plain.startswith(" and ", each.value_span[1]):
            end = each.value_span[1]  # what the value ended at is the beginning of something else
        taken[start:end] = b"\1" * (end - start)
    rest = []
    for clause in _CLAUSE.finditer(plain, offset):
        if clause[0].rstrip().endswith((":", "：")):
            continue
        start, end = clause.span()
        left = clause[0]
        if 1 in taken[start:end]:
            left = "".join(plain[at] for at in range(start, end) if not taken[at])
        whole = len(left.strip()) >= len(clause[0].strip()) - 1
        if whole or _says_more(left, lang) or _tells_of_named(readings, plain, start, end, lang):
            rest.append((start, end, whole))
    return rest


def _says_more(left: str, lang: str) -> bool:
    """Whether what a clause has beside its slot is long, or has a word that not every sentence has."""
    if lang == "zh":
        return text.cjk_count(left) > _LONG_REST
    return any(not is_word("common", each.lower()) for each in _OWN_WORD.findall(_IDLE.sub("", left)))


def names_somebody(reading: Reading) -> bool:
    """Whether the slot says what a person or an animal is called."""
    return attributes.about(reading.attribute).get("value_type") in NAMED and bool(reading.content)


def _tells_of_named(readings: Iterable[Reading], plain: str, start: int, end: int, lang: str) -> bool:
    """Whether the clause names somebody in passing and goes on with what no other reading says."""
    for each in readings:
        first = each.value_span[1]
        if not (start <= first < end and names_somebody(each)):
            continue
        others = (other for other in readings if other is not each)
        if any(other.span[0] < end and first < other.span[1] for other in others):
            continue
        tail = _IDLE.sub("", plain[first:end]).strip(BLANKS)
        if text.cjk_count(tail) >= _LEAST_TAIL if lang == "zh" else _WORD.search(tail):
            return True
    return False


def of_named(
    readings: list[Reading], rest: list[tuple[int, int, bool]], passage: Passage
) -> tuple[str, Subject] | None:
    """What a Chinese sentence, which leaves the subject out, goes on to say of whom it has named, told of them, and who
    that is: 我的猫叫团子，爱吃鱼."""
    named = [each for each in readings if named_in(each, passage.scene)]
    if not named or not rest or not all(whole and named[-1].value_span[1] <= start for start, _, whole in rest):
        return None
    said = passage.dated("".join(passage.quote[start:end] for start, end, _ in rest))
    said = _HE_OR_SHE.sub("", said, count=1)
    if said.startswith(_OTHERS) or 2 * len(said) < _LEAST_MORE:
        return None
    return named[-1].value + said, Subject(named[-1].value, named[-1].value)


def clauses_of(reading: Reading, plain: str, offset: int) -> tuple[int, int]:
    """From where to where the clauses go that hold the reading's value, and what of it comes behind: a dose."""
    start, end = reading.value_span[0], max(reading.value_span[1], reading.span[1])
    touched = [each.span() for each in _CLAUSE.finditer(plain, offset) if each.start() < end and start < each.end()]
    return (touched[0][0], touched[-1][1]) if touched else reading.value_span
