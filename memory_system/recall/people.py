"""Whom a message is about or meant for: what is known of them is worth giving, whatever else it asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory_system.recall import terms
from memory_system.recall.named import Name, nearest, speaks_of
from memory_system.recall.question import Question
from memory_system.recall.speakers import named_speakers
from memory_system.records import ASSISTANT, USER, Row
from memory_system.text import CJK, nfkc

# Before a name, in English: what is said, sent or done to somebody, and with whom.
_TO = re.compile(
    r"\b(?:(?:call|text|e-?mail|tell|ask|invite|meet|remind|message|phone|ring|thank|visit|write|send|give|help|join|buy|get)"
    r"|(?:message|note|letter|e-?mail|text|reply|card|gift|present|write|talk|speak|call|lunch|dinner|coffee|drinks|meeting"
    r"|party|invitation|surprise|birthday) (?:\w+ ){0,2}?(?:to|with|for|from))\s+$",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    rf"(?:给|跟|和|找|约|替|告诉|通知|联系|邀请|陪|问问?|感谢)([{CJK}]{{2,3}}?)"
    rf"(?:写|发|打电?话?|买|送|准备|挑|选|做|说|讲|约|一起|吃|见|聊|谈|回|道|庆|订|过(?=生日)|[我他她明今后下这周晚]|[，。！？,!?\s]|$)"
)
_NEAR = re.compile(  # where memories in Chinese name somebody near to the user: 用户的弟弟郑岩选了……
    "用户的(?:弟弟|哥哥|姐姐|妹妹|爸爸|妈妈|父亲|母亲|老公|老婆|丈夫|妻子|男友|女友|男朋友|女朋友|儿子|女儿|爷爷|奶奶|外公"
    "|外婆|叔叔|阿姨|舅舅|姑姑|表[哥姐弟妹]|堂[哥姐弟妹]|同事|同学|朋友|好友|闺蜜|老板|领导|室友|邻居|老师|学生|客户|医生)"
    f"([{CJK}]{{2}})"
)
_NO_NAME = re.compile("[我你您他她它咱谁哪几这那]|用户|大家|别人|自己|[公客]司?户?$|老板$|朋友|同事|孩子|家人")
_WORD = re.compile(rf"[^\W\d_{CJK}]{{3,}}")


def spoken_of(question: Question, rows: Iterable[Row]) -> list[Name]:
    """The people in the message, as far as memories (`rows`) or its words tell that they are people."""
    text = nfkc(question.text)
    people = {person for row in rows for person in _people(row)}
    known = [_forms(person, text) for person in sorted(named_speakers(text, people))]
    return list(dict.fromkeys(filter(None, [*known, *nearest(text), *_to_whom(question, text)])))


def is_about(names: Iterable[Name], text: str) -> bool:
    """Whether the text speaks of one of them."""
    folded = text.lower()
    return any(speaks_of(name, folded) for name in names)


def _people(row: Row) -> Iterator[str]:
    """Whom the memory is about, and who it says is near to the user."""
    if row.get("subject", USER) not in (USER, ASSISTANT):
        yield row["subject"]
    if row.get("category") == "relation" and row.get("value"):
        yield row["value"]
    if near := _NEAR.match(row["content"]):
        yield near[1]


def _forms(person: str, text: str) -> Name:
    """The name and the parts of it that stand in the text."""
    folded = person.lower()
    return frozenset(form for form in (folded, *_WORD.findall(folded)) if terms.names(text, form))


def _to_whom(question: Question, text: str) -> Iterator[Name]:
    """Those with a name to whom something is to be said or given."""
    for found in _GIVEN.finditer(text):
        if not _NO_NAME.search(found[1]):
            yield frozenset({found[1]})
    folded = text.lower()
    for name in question.names:
        if any(_TO.search(text[: place.start()]) for form in name for place in re.finditer(re.escape(form), folded)):
            yield name
