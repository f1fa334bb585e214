"""Who and what a question names, so that what is known of somebody else is not taken for its answer; which of those
who speak, and of whom memories tell, it means; and the question as they would ask it of themselves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from memory_system.recall import terms
from memory_system.recall.schema import session_of
from memory_system.records import ASSISTANT, STOCK_NAMES, USER, Row
from memory_system.rules import load, table
from memory_system.text import CJK, is_cjk, language, nfkc

if TYPE_CHECKING:  # these import what is here
    from memory_system.recall.asked import Question
    from memory_system.recall.candidates import Candidates

Name = frozenset[str]  # words, in lower case, any of which speaks of the one who is meant

NO_OTHERS = ("", USER, ASSISTANT)  # whom a memory is about that is about nobody else
_TITLES = 0.6  # share of capitals from which they say nothing
_SHORTEST = 3  # letters of a short form of a name

_BEFORE, _AFTER = rf"(?<![^\W{CJK}])", rf"(?![^\W{CJK}])"  # no letter, or one of Chinese, which has no blanks
_WORD = re.compile(rf"[^\W\d_{CJK}][^\W{CJK}]*(?:['’-][^\W{CJK}]+)*")
_LONG_WORD = re.compile(rf"[^\W\d_{CJK}]{{3,}}")
_PARTS = re.compile(r"\w{3,}")
_CHINESE = re.compile(rf"(?<![{CJK}])[{CJK}]{{2,4}}(?![{CJK}])")
_OWNER = re.compile(r"['’](?:s|m|d|ll|re|ve)?$")
# In Chinese whom it is about comes first: 小林对什么过敏, 小林的生日是几号.
_TOPIC = re.compile(
    rf"(?:请问|那么?|你?还?(?:知道|记得))?([{CJK}]{{2,3}}?)"
    r"(?:的(?:生日|名字|电话|手机|号码|邮箱|地址|年龄|职业|工作|爱好|老家|家乡|血型|星座)|对什么|对啥|有没有|住|多大|几岁"
    r"|喜欢|讨厌|害怕|叫什么|在哪|是做什么|是哪|养了?什么)"
)
_NOBODY = re.compile("[我你您他她它咱谁哪几这那]|用户|自己|大家|别人|什么|最近|今天|昨天|上次|现在|以前|之前|平时")
# Before and after the name of somebody who is spoken to.
_GREETS = (
    r"(?:^|[.!?。！？\n])\s*(?:(?:hi|hey|hello|hiya|dear|bye|thanks|thank you|good (?:morning|afternoon|evening|night)"
    r"|morning)\b[\s,!]*(?:there|again|so much|a lot)?|[嗨嘿早]|哈喽|[你您]好|早安|早上好|晚上好"
    r"|晚安|多?谢谢?|亲爱的)[\s,!，！]*"
)
_GREETED = r"[\s,!，！]*(?:[你您早]|晚上好|晚安|谢谢)"
# Before a name: what is said, sent or done to somebody, and with whom.
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
_NO_NAME = re.compile("[我你您他她它咱谁哪几这那]|用户|大家|别人|自己|[公客]司?户?$|老板$|朋友|同事|孩子|家人")
_NEAR_THE_USER = re.compile(  # where memories in Chinese name somebody near to the user: 用户的弟弟郑岩选了……
    "用户的(?:弟弟|哥哥|姐姐|妹妹|爸爸|妈妈|父亲|母亲|老公|老婆|丈夫|妻子|男友|女友|男朋友|女朋友|儿子|女儿|爷爷|奶奶|外公"
    "|外婆|叔叔|阿姨|舅舅|姑姑|表[哥姐弟妹]|堂[哥姐弟妹]|同事|同学|朋友|好友|闺蜜|老板|领导|室友|邻居|老师|学生|客户|医生)"
    f"([{CJK}]{{2}})"
)

# Names in a question


@cache
def _near() -> dict[str, Name]:
    """Who is near to somebody (my sister, 爸爸), and their animals, by each word that asks for them."""
    known: dict[str, Name] = {}
    for line in table("words", "near").split("|"):
        asked, _, told = line.partition(" > ")
        known |= dict.fromkeys(asked.split(), frozenset((*asked.split(), *told.split())))
    return known


def named(question: str) -> tuple[Name, ...]:
    """Who and what has a name in the question, or is near to somebody (my sister, 爸爸)."""
    return tuple(dict.fromkeys([*_capitals(question), *nearest(question), *_topic(question), *_foreign(question)]))


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
    stands_out = plain[:1].isupper() and (plain != word[0] or not begins)
    return stands_out and plain.lower() not in terms.listed("no_names") and terms.has_content(plain)


def nearest(message: str) -> tuple[Name, ...]:
    """Who of somebody's nearest, and which of their animals, the message names."""
    text = message.lower()
    return tuple(dict.fromkeys(name for word, name in _near().items() if word in text and terms.names(text, word)))


def _topic(question: str) -> Iterator[Name]:
    found = _TOPIC.match(question)
    if found and not _NOBODY.search(found[1]) and found[1] not in _near():
        yield frozenset({found[1]})


def _foreign(question: str) -> Iterator[Name]:
    """A Chinese name in an English question (What is 小林 allergic to?)."""
    if language(question) == "en":
        yield from (frozenset({name}) for name in _CHINESE.findall(question) if name not in _near())


# What a text says of those who are named


def is_asked_of(question: str, text: str) -> bool:
    """Whether a memory can answer a question of somebody's nearest, animals, car or bike; true where none is named."""
    asked, told = question.lower(), text.lower()
    (cars, driving), (bikes, riding) = (map(_words, table("words", key)) for key in ("driven", "ridden"))
    for kind, one, other in ((cars, cars | driving, bikes | riding), (bikes, bikes | riding, cars | driving)):
        is_asked = _has_word(kind, asked) and not _has_word(other, asked)
        if is_asked and _has_word(other, told) and not _has_word(one, told):
            return False
    near = nearest(asked)
    return not near or any(speaks_of(name, told) for name in (*near, frozenset({"pet", "宠物"})))  # of no kind told


def _words(row: str) -> Name:
    return frozenset(row.split("|"))


def _has_word(words: Name, text: str) -> bool:
    return any(terms.names(text, word) for word in words if word in text)


def is_of_the_sort(question: str, text: str) -> bool:
    """Whether the text names the sort of vehicle that the question does: a car may be a van, but who knows."""
    asked, told = question.lower(), text.lower()
    sorts = [sort for sort in table("words", "sorts").split("|") if sort in asked and terms.names(asked, sort)]
    return all(terms.names(told, sort) for sort in sorts)


def names_another(name: Name, text: str) -> bool:
    """Whether the text speaks of another of the nearest or animals: of a dog, where a cat is meant."""
    if name.isdisjoint(_near()):
        return False
    folded = text.lower()
    return any(speaks_of(each, folded) for each in {*_near().values()} if each.isdisjoint(name))


def speaks_of(name: Name, text: str) -> bool:
    """Whether the text (in lower case) has the name, or a short form of it (Mel for Melanie)."""
    if any(form in text and terms.names(text, form) for form in name):
        return True
    latin = tuple(form for form in name if not is_cjk(form)) if name not in _near().values() else ()
    short = (word for word in _WORD.findall(text) if len(word) >= _SHORTEST) if latin else ()
    return any(any(form.startswith(word) for form in latin) and terms.has_content(word) for word in short)


def is_addressed(name: Name, text: str) -> bool:
    """Whether the text (in lower case) speaks to somebody of that name: Hey Kate, 小林，你好."""
    if not any(form in text for form in name):
        return False
    forms = "|".join(rf"{re.escape(form)}{_AFTER}" for form in sorted(name))
    return bool(re.search(rf"{_GREETS}(?:{forms})|(?:^|[。！？\n])\s*(?:{forms}){_GREETED}", text))


# Those who speak, and of whom memories tell


def meant(question: Question, found: Candidates) -> str:
    """The one person whom the question means, as messages and memories call them; empty for none or several."""
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
    return {_only(each) for name, each in owners.items() if len(each) == 1 and terms.names(question, name)}


def people_named(question: Question, found: Candidates) -> Iterator[str]:
    """Who is named in the question among those who speak, and those whom memories are about."""
    people = {unit.speaker for unit in found.units.values()} | {each.speaker for each in found.memories.values()}
    return (person for person in sorted(people.difference(NO_OTHERS)) if terms.names(question.text, person))


def _only(names: Collection[str]) -> str:
    """The one; empty when there is none or more than one."""
    return next(iter(names)) if len(names) == 1 else ""


def _addressed(question: Question, found: Candidates, speakers: Collection[str]) -> set[str]:
    """Who is addressed by a name of the question: where anna says "Hey Kate!" and only em92 is there, Kate is em92."""
    found_so: set[str] = set()
    for name in question.names if len(speakers) > 1 else ():
        if any(terms.names(speaker, form) for form in name for speaker in speakers):
            continue
        said = [(session_of(number), unit) for number, unit in found.units.items() if unit.speaker]
        speaking = [(session, unit.speaker) for session, unit in said if is_addressed(name, unit.text.lower())]
        sessions = {session for session, _ in speaking}
        there = {unit.speaker for session, unit in said if session in sessions}
        found_so.add(_only(there.difference(speaker for _, speaker in speaking)))
    return found_so - {""}


def _called(question: Question, found: Candidates) -> str:
    """The name of the one near to the user whom the question means (Tom, for "my brother"); empty where unknown."""
    known = [(each.called, found.units[number].text.lower()) for number, each in found.memories.items() if each.called]
    return _only({called for called, text in known if any(speaks_of(name, text) for name in question.names)})


def _told_of(question: Question, found: Candidates) -> str:
    """The one whom the question names in the other language's script (What is 小林 allergic to?)."""
    people = {memory.speaker for memory in found.memories.values()}.difference(NO_OTHERS)
    others = (each for each in people if is_cjk(each) != (question.lang == "zh"))
    return _only(named_speakers(question.text, others))


def of_oneself(question: str, speakers: Collection[str]) -> str:
    """The question with "I" and "my" (我) for the speakers whom it names: "When did Nora move?" means less like what
    Nora says of her move than "When did I move?"."""
    text = nfkc(question)
    forms = {form for name in named_speakers(text, speakers) for form in (nfkc(name), *_PARTS.findall(nfkc(name)))}
    if not forms:
        return question
    one = "|".join(map(re.escape, sorted(forms, key=lambda form: (-len(form), form))))
    name = re.compile(rf"{_BEFORE}(?:{one})(?:\s+(?:{one}))*{_AFTER}(?P<owner>['’]s?(?!\w))?", re.IGNORECASE)
    return name.sub("我" if language(text) == "zh" else _first_person, text)


def _first_person(name: re.Match[str]) -> str:
    """Without a capital it may be another word: "when will it be ready", where one of the speakers is Will."""
    if name[0].islower():
        return name[0]
    return "my" if name["owner"] else "I"


# Whom a message is about or meant for, and what is in hand: of these something is given, whatever else it asks


def spoken_of(question: Question, rows: Iterable[Row]) -> list[Name]:
    """The people in the message, as far as memories (`rows`) or its words tell that they are people."""
    text = nfkc(question.text)
    people = named_speakers(text, {person for row in rows for person in _people(row)})
    known = [_forms(person, text) for person in sorted(people)]
    return list(dict.fromkeys(filter(None, [*known, *nearest(text), *_to_whom(question, text)])))


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
    """The projects and other things in hand (by `rows`) that the message names: with their capitals, if it has any."""
    text = nfkc(message)
    known = sorted({name for row in rows for name in _in_hand(row)})
    seen = (name for name in known if is_cjk(name) or name in text or text == text.lower())
    return [name for name in seen if terms.names(text, name)]


def tells_of(people: Iterable[Name], things: Iterable[str], text: str) -> bool:
    """Whether the text speaks of one of the people, or has the name of one of the things."""
    folded = text.lower()
    return any(speaks_of(name, folded) for name in people) or any(terms.names(text, name) for name in things)


def _in_hand(row: Row) -> Iterator[str]:
    """What the memory calls a project, and has for a name."""
    if row.get("attribute") == "project" and row.get("value"):
        yield row["value"]
    for found in load("cues")["in_hand"].found(row["content"]):
        yield from (name for name in found.given().values() if terms.has_content(name) and name not in STOCK_NAMES)
