"""Who and what a question names, so that what is known of somebody else is not taken for its answer; which of those
who speak, and of whom memories tell, it means; and the question as they would ask it of themselves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from memory_system.recall import terms
from memory_system.recall.schema import session_of
from memory_system.records import ASSISTANT, STOCK_NAMES, USER, Row
from memory_system.rules import load
from memory_system.text import CJK, is_cjk, language, nfkc

if TYPE_CHECKING:  # who asks imports these, and they import what is here
    from memory_system.recall.candidates import Candidates
    from memory_system.recall.question import Question

Name = frozenset[str]  # words, in lower case, any of which speaks of the one who is meant

# Who is near to somebody: as people ask, and in what other words the same may be told.
_NEAR = """
mother mom mum mama mommy 妈妈 母亲 老妈 我妈 > 妈|father dad papa daddy 爸爸 父亲 老爸 我爸 > 爸
parents > mother mom mum father dad 父母 爸 妈|父母 爸妈 > parents 爸 妈|sister sis > 姐 妹|brother > 哥 弟
姐姐 我姐 > 姐 sister|妹妹 我妹 > 妹 sister|哥哥 我哥 > 哥 brother|弟弟 我弟 > 弟 brother
wife 老婆 妻子 太太 爱人|husband 老公 丈夫 爱人|son 儿子|daughter 女儿
grandmother grandma granny > 奶奶 外婆 姥姥|grandfather grandpa granddad > 爷爷 外公 姥爷
奶奶 祖母 > grandmother grandma
外婆 姥姥 > grandmother grandma|爷爷 祖父 > grandfather grandpa|外公 姥爷 > grandfather grandpa
aunt auntie > 阿姨 姑 姨|uncle > 叔 舅 伯|阿姨 > aunt|姑姑 > aunt|叔叔 > uncle|舅舅 > uncle
cousin > 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹|表哥 > cousin|表姐 > cousin|表弟 > cousin|表妹 > cousin
niece 侄女 外甥女|nephew 侄子 外甥|boyfriend 男朋友 男友|girlfriend 女朋友 女友|boss manager 老板 上司 领导
roommate flatmate housemate 室友 舍友|neighbor neighbour 邻居
dog puppy 狗|cat kitten 猫|rabbit bunny 兔|hamster 仓鼠|parrot 鹦鹉
"""
# In Chinese whom it is about comes first: 小林对什么过敏, 小林的生日是几号.
_TOPIC = re.compile(
    rf"(?:请问|那么?|你?还?(?:知道|记得))?([{CJK}]{{2,3}}?)"
    r"(?:的(?:生日|名字|电话|手机|号码|邮箱|地址|年龄|职业|工作|爱好|老家|家乡|血型|星座)|对什么|对啥|有没有|住|多大|几岁"
    r"|喜欢|讨厌|害怕|叫什么|在哪|是做什么|是哪|养了?什么)"
)
_CHINESE = re.compile(rf"(?<![{CJK}])[{CJK}]{{2,4}}(?![{CJK}])")
_NOBODY = re.compile("[我你您他她它咱谁哪几这那]|用户|自己|大家|别人|什么|最近|今天|昨天|上次|现在|以前|之前|平时")
# Before and after the name of somebody who is spoken to.
_GREETS = (
    r"(?:^|[.!?。！？\n])\s*(?:(?:hi|hey|hello|hiya|dear|bye|thanks|thank you|good (?:morning|afternoon|evening|night)"
    r"|morning)\b[\s,!]*(?:there|again|so much|a lot)?|[嗨嘿早]|哈喽|[你您]好|早安|早上好|晚上好"
    r"|晚安|多?谢谢?|亲爱的)[\s,!，！]*"
)
_GREETED = r"[\s,!，！]*(?:[你您早]|晚上好|晚安|谢谢)"
_WORD = re.compile(rf"[^\W\d_{CJK}][^\W{CJK}]*(?:['’-][^\W{CJK}]+)*")
_OWNER = re.compile(r"['’](?:s|m|d|ll|re|ve)?$")
_MONTHS_AND_DAYS = """
january february march april may june july august september october november december jan feb mar apr jun jul aug sep
sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun ok
"""
_NO_NAMES = frozenset(_MONTHS_AND_DAYS.split())
_TITLES = 0.6  # share of capitals from which they say nothing
_SHORTEST = 3  # letters of a short form of a name


def _near() -> Iterator[tuple[str, Name]]:
    for line in _NEAR.replace("\n", "|").strip("|").split("|"):
        asked, _, told = line.partition(" > ")
        for word in asked.split():
            yield word, frozenset((*asked.split(), *told.split()))


_KIN = dict(_near())
_NEAREST = frozenset(_KIN)
_PET = frozenset({"pet", "宠物"})  # of a kind that is not told
_CARS = frozenset({"car", "cars", "van", "truck", "suv", "汽车", "轿车", "卡车", "开什么"})
_BIKES = frozenset({
    "bike", "bikes", "bicycle", "motorbike", "motorcycle", "moped", "scooter", "自行车", "单车", "摩托", "电动车",
    "骑什么",
})  # fmt: skip
_SORTS = (
    "van", "truck", "suv", "motorbike", "motorcycle", "moped", "scooter", "卡车", "面包车", "货车", "皮卡", "房车",
    "摩托", "电动车",
)  # fmt: skip
_DRIVEN = _CARS | {"drive a", "drives a", "drove a", "开着", "开的是", "开一辆"}  # 开 alone opens much else
_RIDDEN = _BIKES | {"ride a", "rides a", "rode a", "骑着", "骑的是", "骑一辆"}


def named(question: str) -> tuple[Name, ...]:
    """Who and what has a name in the question, or is near to somebody (my sister, 爸爸)."""
    return tuple(dict.fromkeys([*_capitals(question), *_kin(question.lower()), *_topic(question), *_foreign(question)]))


def is_asked_of(question: str, text: str) -> bool:
    """Whether a memory can be an answer to a question of somebody's nearest, of their animals, of what they drive or
    ride: that a dog is called Biscuit tells nothing of a cat, and a car nothing of a bike. True where the question
    names none of them."""
    asked, told = question.lower(), text.lower()
    if _has_word(_CARS, asked) and _tells_another(_DRIVEN, _RIDDEN, asked, told):
        return False
    if _has_word(_BIKES, asked) and _tells_another(_RIDDEN, _DRIVEN, asked, told):
        return False
    near = [*_kin(asked)]
    return not near or any(speaks_of(name, told) for name in (*near, _PET))


def _tells_another(one: Name, other: Name, asked: str, told: str) -> bool:
    """Whether nothing of the other is asked, and only that is told."""
    return not _has_word(other, asked) and _has_word(other, told) and not _has_word(one, told)


def _has_word(words: Name, text: str) -> bool:
    return any(terms.names(text, word) for word in words if word in text)


def _capitals(question: str) -> Iterator[Name]:
    """Words with a capital that do not just begin a sentence; those side by side are one name."""
    words = list(_WORD.finditer(question))
    if len(words) > 2 and sum(word[0][0].isupper() for word in words[1:]) > _TITLES * (len(words) - 1):
        return
    name: list[str] = []
    end = 0
    for word in words:
        plain = _OWNER.sub("", word[0])
        if not _is_name(plain, word, question):
            continue
        if name and question[end : word.start()].strip():
            yield frozenset(name)
            name = []
        name.append(plain.lower())
        end = word.end()
    if name:
        yield frozenset(name)


def _is_name(plain: str, word: re.Match[str], question: str) -> bool:
    before = question[: word.start()].rstrip()
    begins = not before or before[-1] in '.!?:。！？："“'
    return (
        plain[:1].isupper()
        and plain.lower() not in _NO_NAMES
        and terms.has_content(plain)
        and (plain != word[0] or not begins)
    )


def _kin(question: str) -> Iterator[Name]:
    return (name for word, name in _KIN.items() if word in question and terms.names(question, word))


def nearest(message: str) -> tuple[Name, ...]:
    """Who of somebody's nearest, and which of their animals, the message names (my sister, 爸爸)."""
    return tuple(dict.fromkeys(_kin(message.lower())))


def _topic(question: str) -> Iterator[Name]:
    found = _TOPIC.match(question)
    if found and not _NOBODY.search(found[1]) and found[1] not in _KIN:
        yield frozenset({found[1]})


def is_addressed(name: Name, text: str) -> bool:
    """Whether the text (in lower case) speaks to somebody of that name: Hey Kate, 小林，你好."""
    if not any(form in text for form in name):
        return False
    forms = "|".join(rf"{re.escape(form)}(?![^\W{CJK}])" for form in sorted(name))
    return bool(re.search(rf"{_GREETS}(?:{forms})|(?:^|[。！？\n])\s*(?:{forms}){_GREETED}", text))


def is_of_the_sort(question: str, text: str) -> bool:
    """Whether the text names the sort of vehicle that the question does: a car may be a van, but who knows."""
    asked, told = question.lower(), text.lower()
    return all(terms.names(told, sort) for sort in _SORTS if sort in asked and terms.names(asked, sort))


def names_another(name: Name, text: str) -> bool:
    """Whether the text speaks of another of somebody's nearest or animals than the one of that name: of a dog, where a
    cat is meant."""
    folded = text.lower()
    others = {each for each in _KIN.values() if each.isdisjoint(name)} if not _NEAREST.isdisjoint(name) else ()
    return any(speaks_of(each, folded) for each in others)


def _foreign(question: str) -> Iterator[Name]:
    """A Chinese name in an English question (What is 小林 allergic to?)."""
    if language(question) == "en":
        yield from (frozenset({name}) for name in _CHINESE.findall(question) if name not in _KIN)


def speaks_of(name: Name, text: str) -> bool:
    """Whether the text (in lower case) has the name, or a short form of it (Mel for Melanie)."""
    if any(form in text and terms.names(text, form) for form in name):
        return True
    return name not in _KIN.values() and any(
        form.startswith(word)
        for form in name
        if not is_cjk(form)
        for word in _WORD.findall(text)
        if len(word) >= _SHORTEST and terms.has_content(word)
    )


NO_OTHERS = ("", "user", "assistant")  # whom a memory is about that is about nobody else

_PARTS = re.compile(r"\w{3,}")


def meant(question: Question, found: Candidates) -> str:
    """The one person whom the question means, as messages and memories call them; empty where there is none, or more
    than one."""
    speakers = {unit.speaker for unit in found.units.values()}.difference(("",))
    named = named_speakers(question.text, speakers) | _addressed(question, found, speakers)
    return _only(named) or _called(question, found) or _told_of(question, found)


def named_speakers(question: str, speakers: Iterable[str]) -> set[str]:
    """The speakers whose name, or a part of it that no other has, stands in the question."""
    owners: dict[str, set[str]] = {}
    for speaker in speakers:
        folded = speaker.lower()
        for name in {folded, *_PARTS.findall(folded)} if speaker else ():
            owners.setdefault(name, set()).add(speaker)
    return {next(iter(each)) for name, each in owners.items() if len(each) == 1 and terms.names(question, name)}


def people_named(question: Question, found: Candidates) -> Iterator[str]:
    """Who is named in the question among those who speak, and those whom memories are about."""
    people = {unit.speaker for unit in found.units.values()} | {each.speaker for each in found.memories.values()}
    return (person for person in sorted(people.difference(NO_OTHERS)) if terms.names(question.text, person))


def _only(names: Collection[str]) -> str:
    """The one; empty when there is none or more than one."""
    return next(iter(names)) if len(names) == 1 else ""


def _addressed(question: Question, found: Candidates, speakers: Collection[str]) -> set[str]:
    """Who is spoken to by a name that the question has and no speaker: where anna says "Hey Kate!" to em92, and nobody
    else is there, Kate is em92."""
    if len(speakers) < 2:
        return set()
    found_so: set[str] = set()
    for name in question.names:
        if any(terms.names(speaker, form) for form in name for speaker in speakers):
            continue
        speaking = [
            (session_of(number), unit.speaker)
            for number, unit in found.units.items()
            if unit.speaker and is_addressed(name, unit.text.lower())
        ]
        sessions = {session for session, _ in speaking}
        there = {unit.speaker for number, unit in found.units.items() if session_of(number) in sessions}
        found_so.update(filter(None, [_only(there.difference(speaker for _, speaker in speaking))]))
    return found_so


def _called(question: Question, found: Candidates) -> str:
    """What the one person is called who is near to the user and whom the question means: Tom, where it asks of "my
    brother"; empty where that is not known."""
    names = {
        memory.called
        for number, memory in found.memories.items()
        if memory.called and any(speaks_of(name, found.units[number].text.lower()) for name in question.names)
    }
    return _only(names)


def _told_of(question: Question, found: Candidates) -> str:
    """The one whom the question names in the other language's script (What is 小林 allergic to?): no other word leads
    to what is told of them."""
    people = {memory.speaker for memory in found.memories.values()}.difference(NO_OTHERS)
    others = (each for each in people if is_cjk(each) != (question.lang == "zh"))
    return _only(named_speakers(question.text, others))


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
_NEAR_THE_USER = re.compile(  # where memories in Chinese name somebody near to the user: 用户的弟弟郑岩选了……
    "用户的(?:弟弟|哥哥|姐姐|妹妹|爸爸|妈妈|父亲|母亲|老公|老婆|丈夫|妻子|男友|女友|男朋友|女朋友|儿子|女儿|爷爷|奶奶|外公"
    "|外婆|叔叔|阿姨|舅舅|姑姑|表[哥姐弟妹]|堂[哥姐弟妹]|同事|同学|朋友|好友|闺蜜|老板|领导|室友|邻居|老师|学生|客户|医生)"
    f"([{CJK}]{{2}})"
)
_NO_NAME = re.compile("[我你您他她它咱谁哪几这那]|用户|大家|别人|自己|[公客]司?户?$|老板$|朋友|同事|孩子|家人")
_LONG_WORD = re.compile(rf"[^\W\d_{CJK}]{{3,}}")


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
    if near := _NEAR_THE_USER.match(row["content"]):
        yield near[1]


def _forms(person: str, text: str) -> Name:
    """The name and the parts of it that stand in the text."""
    folded = person.lower()
    return frozenset(form for form in (folded, *_LONG_WORD.findall(folded)) if terms.names(text, form))


def _to_whom(question: Question, text: str) -> Iterator[Name]:
    """Those with a name to whom something is to be said or given."""
    for found in _GIVEN.finditer(text):
        if not _NO_NAME.search(found[1]):
            yield frozenset({found[1]})
    folded = text.lower()
    for name in question.names:
        if any(_TO.search(text[: place.start()]) for form in name for place in re.finditer(re.escape(form), folded)):
            yield name


def things_in(message: str, rows: Iterable[Row]) -> list[str]:
    """The names in the message of what is in hand, as far as memories (`rows`) tell that it is."""
    text = nfkc(message)
    known = {name for row in rows for name in _in_hand(row)}
    return [name for name in sorted(known) if _stands_in(text, name)]


def tells_of(things: Iterable[str], text: str) -> bool:
    """Whether the text has one of the names, in whatever case."""
    return any(terms.names(text, name) for name in things)


def _in_hand(row: Row) -> Iterator[str]:
    """What the memory calls a project, and has for a name."""
    if row.get("attribute") == "project" and row.get("value"):
        yield row["value"]
    for found in load("cues")["in_hand"].found(row["content"]):
        yield from (name for name in found.given().values() if terms.has_content(name) and name not in STOCK_NAMES)


def _stands_in(text: str, name: str) -> bool:
    """Whether the text has the name: with its capitals, which tell it from a common word, unless nothing in the text
    has one."""
    return (is_cjk(name) or name in text or text == text.lower()) and terms.names(text, name)


_PARTS = re.compile(r"\w{3,}")
_BEFORE, _AFTER = rf"(?<![^\W{CJK}])", rf"(?![^\W{CJK}])"  # no letter, or one of Chinese, which has no blanks
_POSSESSIVE = r"(?P<owner>['’]s?(?!\w))?"


def of_oneself(question: str, speakers: Collection[str]) -> str:
    """The question with "I" and "my" (我) for the speakers whom it names; as it is where it names none."""
    text = nfkc(question)
    forms = {form for name in named_speakers(text, speakers) for form in (nfkc(name), *_PARTS.findall(nfkc(name)))}
    if not forms:
        return question
    one = "|".join(map(re.escape, sorted(forms, key=lambda form: (-len(form), form))))
    name = re.compile(rf"{_BEFORE}(?:{one})(?:\s+(?:{one}))*{_AFTER}{_POSSESSIVE}", re.IGNORECASE)
    return name.sub("我" if language(text) == "zh" else _english, text)


def _english(name: re.Match[str]) -> str:
    """Without a capital it may be another word: "when will it be ready", where one of the speakers is Will."""
    if name[0].islower():
        return name[0]
    return "my" if name["owner"] else "I"
