"""Whether a Chinese clause that names nobody is said of the one who speaks: 五岁 behind a cat's name is not."""

from __future__ import annotations

import re
from functools import cache

from memory_system import attributes
from memory_system.phases.understanding.known import Known
from memory_system.phases.understanding.subjects import PUNCTUATION
from memory_system.rules import table

_MARK = re.compile(f"[{PUNCTUATION}]")
_SENTENCE_MARK = re.compile("[。！？!?]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LEAST_BODY = {"weight": 30, "height": 120}  # kilograms and centimetres
_METRES = 3  # below which a height is given in metres
_OF_A_CHILD = re.compile("[1-9]|1[01]|[一二三四五六七八九十]|十一")  # years
_INTRODUCED = re.compile(  # before one's age, where anything is
    r"我|本人|^(?:大家好|你们?好|您好|[男女]|已婚|未婚|单身|[今到过]年|马上|快|都|已经|[，。,！!\s])*$"
)


def is_of_speaker(attribute: str, said: str, before: str, known: Known) -> bool:
    """Whether the value of the attribute, said in a clause behind the words `before`, can be the speaker's: neither
    those nor the value speak for another. `known` are the names that were introduced."""
    row = attributes.about(attribute)
    if attribute in _LEAST_BODY and _is_small(attribute, said):
        return False  # a cat's 6.8公斤, a child's 102cm
    if attribute == "age" and (_OF_A_CHILD.fullmatch(said) or not _INTRODUCED.search(before)):
        return False  # 汤圆是布偶，五岁: whoever tells of themselves names themselves
    if row.get("category") == "contact" and _somebodys().search(before):
        return False  # 紧急联系人是我姐姐，电话…: whose number it is nobody can tell
    if row.get("subject_type") != "person" or not before:
        return True
    return not (_kin().search(before) or (row.get("category") != "relation" and _goes_on(before, known)))


def _is_small(attribute: str, said: str) -> bool:
    """Whether a measure is too small to be a grown person's."""
    number = _NUMBER.search(said)
    if not number:
        return False
    size = float(number[0]) / (2 if "斤" in said and "公斤" not in said else 1)
    return _METRES <= size < _LEAST_BODY[attribute] or (attribute == "weight" and size < _METRES)


def _goes_on(before: str, known: Known) -> bool:
    """Whether a clause names another, and none behind it the speaker: 小李请假了，对花粉过敏."""
    for clause in reversed(_MARK.split(_SENTENCE_MARK.split(before)[-1])):
        if "我" in clause or "咱" in clause:
            return False
        if known.at(clause, 0) or _another().match(clause):
            return True
    return False


@cache
def _somebodys() -> re.Pattern[str]:
    """Somebody whose number may come next: a relative, 我的会计."""
    parts = table("zh", "parts")
    return re.compile(rf"{parts['kin_word']}|{parts['title']}|我们?的(?!电话|手机|号|邮箱|微信|联系)")


@cache
def _kin() -> re.Pattern[str]:
    """Somebody near as the topic of a clause, which the clauses after it go on about."""
    near = table("zh", "parts")["kin_word"]
    return re.compile(rf"(?:^|[，。！？；、,])[^，。！？；,]{{0,10}}(?:{near})[^，。！？；,]*(?:[，,；]|$)")


@cache
def _another() -> re.Pattern[str]:
    """A clause that begins with another person: 小李今天请假了, 隔壁王阿姨住院了, 她在北京, 豆豆三岁了."""
    parts = table("zh", "parts")
    titled = rf"(?:{parts['surname']})?(?:{parts['title']})|[小老阿][\u4e00-\u9fff]"
    twice = r"(?P<sign>[\u4e00-\u9fff])(?<![天刚常慢等谢好偷往渐时稍多])(?P=sign)"
    whoever = "[他她它]|[有来](?:一?[个位])|[这那][个位]"
    where = rf"{parts['time_word']}|隔壁|楼[上下]|对门|新来?的?|听说"
    return re.compile(rf"(?:{where})*(?:{titled}|{twice}|{whoever})")
