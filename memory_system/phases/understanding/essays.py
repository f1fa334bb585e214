"""Long answers of an assistant: where they are cut into passages, and how a passage with its headings, lists and
formulas is told in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memory_system import text
from memory_system.rules import load

PASSAGE = 420  # columns of a passage

_HEADING = re.compile(r"\s*(?:#+\s|\*\*[^*\n]+\*\*:?\s*$)")
_ANNOUNCES = re.compile(
    r"\s*(?:#+\s.*|(?:[-*•+]|\d+[.)、])?\s*(?:\*\*[^*\n]+\*\*)?.*[:：]|[-*•+]|(?:#+\s*)?\d+[.)、]"
    r"|\*\*.*\*\*)\s*$"
)
_LINE_MARK = re.compile(r"^\s*(?:#+|[-*•+>]|\d+[.)、])\s+")
_EMPTY = re.compile(r"\W*(?:\d+\W*)?$|\\(?:\[|\]|begin|end).{0,12}$")
_PLAIN_HEADING = re.compile(
    r"(?:conclusion|summary|overview|introduction|next steps|final thoughts|key (?:points|takeaways)|steps?|example"
    r"|总结|结论|小结|概述|步骤|示例|说明)\W*$",
    re.IGNORECASE,
)
_ENDS = " \t.:*。：；;"
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|‘[^’]*’|「[^」]*」')
_STRAIGHT_MARK = re.compile(r'(?<!\d)"')
_I = re.compile(r"\b(?:I|me|[Mm]y)\b(?!')|我|本人")
_MAY_BE_SAMPLE = re.compile(rf"{_I.pattern}|[\[［【]|敬|此致|,$|\b(?:Dear|Hi)\b", re.MULTILINE)  # no other is a sample
_INTRODUCED = re.compile(r"^(?:for (?:example|instance)[,:]? |(?:例如|比如)[，：]?)", re.IGNORECASE)
_STOP = {"en": ". ", "zh": "。"}
_FOR_EXAMPLE = {"en": "for example “{}”", "zh": "例如“{}”"}


def passages_of(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A stretch of an answer in passages: as many sentences and lines together as PASSAGE columns hold. A heading and
    whatever else announces something stays with what it announces."""
    first, last, columns = start, start, 0
    for begin, stop in _glued(body, start, end):
        more = width(body[last:stop])
        if columns and columns + more > PASSAGE:
            yield first, last
            first, columns = begin, 0
            more = width(body[begin:stop])
        last, columns = stop, columns + more
    if last > first:
        yield first, last


def _glued(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences and lines, those that only announce joined with the next."""
    waiting: int | None = None
    stop = 0
    for first, last in text.sentences(body[start:end]):
        begin, before, stop = start + first, stop, start + last
        waiting = begin if waiting is None else waiting
        if not _ANNOUNCES.fullmatch(body, _line_of(body, begin, before), stop):
            yield waiting, stop
            waiting = None
    if waiting is not None:
        yield waiting, stop


def _line_of(body: str, begin: int, before: int) -> int:
    """Where the line begins that the sentence opens; where the sentence does, if it opens none. Looks no further back
    than the end of the sentence before: a line may be a megabyte."""
    line = body.rfind("\n", before, begin) + 1
    opens = (line or not before) and not body[line:begin].strip()
    return line if opens else begin


def in_one_line(words: str, lang: str, *, drafts: bool = False) -> str:
    """Paragraphs, headings and items of a list as parts of one sentence: "Pots: take clay; water in the morning". What
    was written for the user to send stands in quotation marks: its "I" is not the assistant. `drafts` says that the
    answer holds such words elsewhere."""
    told: list[str] = []
    heading, quoted = "", False
    drafts = drafts or is_sample(words, lang)
    for line in words.split("\n"):
        plain = _without_closing(_LINE_MARK.sub("", _LINE_MARK.sub("", line)), lang).replace("**", "").strip(_ENDS)
        if not plain or _EMPTY.fullmatch(plain):
            continue
        if _HEADING.match(line) or line.rstrip().endswith((":", "：")):
            heading, quoted = "" if _PLAIN_HEADING.match(plain) else plain, False
            if drafts and _I.search(plain) and is_drafted(plain, lang):
                heading = f"“{_unquoted(heading)}”"
            continue
        before, quoted = quoted, drafts and is_drafted(plain, lang)
        if before and quoted:
            told[-1] = f"{told[-1][:-1].rstrip('.。,，')}{_STOP[lang]}{_unquoted(plain)}”"
        else:
            told.append(_item(heading, plain, lang, sample=quoted))
        heading = ""
    return ("；" if lang == "zh" else "; ").join(told)


def _item(heading: str, plain: str, lang: str, *, sample: bool) -> str:
    """A line under its heading, or by itself."""
    if not heading:
        return as_sample(plain, lang) if sample else plain
    return f"{heading}{'：' if lang == 'zh' else ': '}{f'“{_unquoted(plain)}”' if sample else plain}"


def is_sample(words: str, lang: str) -> bool:
    """Whether any of the words, a part of an assistant's answer, was written for the user to send or to say."""
    if not _MAY_BE_SAMPLE.search(words):
        return False
    return load(lang)["sample"].fires(_QUOTED.sub("", words))


@lru_cache(maxsize=2)  # its passages come one after the other
def has_draft(answer: str, lang: str) -> bool:
    """Whether a long answer holds words for the user to send or to say."""
    return "\n" in answer and is_sample(answer, lang)


def is_drafted(words: str, lang: str) -> bool:
    """Whether words of such an answer are of those: they are as only a person speaks, or their "I" does nothing that
    an assistant does."""
    if is_sample(words, lang):
        return True
    return bool(_I.search(_QUOTED.sub("", words))) and not load(lang)["own_voice"].fires(words)


def with_whole_quotations(words: str, before: str) -> str:
    """A passage with the marks of the quotations that it was cut out of. `before` is what the answer says up to it."""
    opened = _opens_one(before[before.rfind("\n") + 1 :])
    first, *rest = words.split("\n")
    lines = [f'"{first}' if opened else first, *rest]
    return "\n".join(f'{each}"' if _opens_one(each) else each for each in lines)


def _opens_one(line: str) -> bool:
    """Whether a quotation is still open where the line ends; an inch (5") opens none."""
    return len(_STRAIGHT_MARK.findall(line)) % 2 == 1


def as_sample(words: str, lang: str) -> str:
    """The words of a sample in quotation marks, introduced as one."""
    return _FOR_EXAMPLE[lang].format(_unquoted(_INTRODUCED.sub("", words)))


def _unquoted(words: str) -> str:
    """The words without quotation marks that would end the quotation they stand in."""
    return words.replace('"', "").replace("“", "").replace("”", "")


def _without_closing(line: str, lang: str) -> str:
    """The line without the sentences that only round an answer off."""
    if not closes(line, lang):
        return line
    told = (line[start:end] for start, end in text.sentences(line))
    return " ".join(each for each in told if not closes(each, lang))


def closes(words: str, lang: str) -> bool:
    """Whether the words round an answer off: "feel free to ask"."""
    return load(lang)["closing"].fires(words)


def width(piece: str) -> int:
    """Columns: a CJK character counts two."""
    return len(piece) if piece.isascii() else len(piece) + text.cjk_count(piece)
