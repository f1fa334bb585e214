"""What a question in plain words asks for: the words to look up, a time it names, what kind of answer it wants, what it
calls for beside its words (`rules/cues.toml`), and which of the user's attributes: those that its words name
(`rules/words.toml`), and those that are heard in it, as in what people say of themselves (`understand/judge`)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

import orjson

from memory_system import clock
from memory_system.privacy.pasted import Callings
from memory_system.recall import kinds, terms
from memory_system.recall.names import Name, named, nearest, of_oneself
from memory_system.recall.units import storable
from memory_system.recall.views import Standing
from memory_system.records import Row
from memory_system.rules import load, table, together
from memory_system.text import fold, is_cjk, language

MOST_ASKED = 4  # questions in one message that are looked at one by one

_ANSWERS = ("asks", "asks_when", "asks_day", "yours", "denies")  # groups of rules/asking.toml
# Where nothing of this stands, no time is named, and the rules of dates need not be read (a tenth of a search).
_TIMELY = re.compile(
    r"\d|[日天年月周週季旬晚早晨夜午节節号號點点时時刻今昨明春夏秋冬星礼禮末底初诞旦夕清端元腊黑至阳陽半后後]|[零〇一二两三四五六七八九十]|国庆|國慶|感恩|平安|除夕|中秋|受难"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|tod|ton|tom|tmr|yest|noon|min|hour"
    r"|hr|week|wk|fortnight|mos?\b|yr|day|month|year|decade|quarter|spring|summer|autumn|fall|winter|morning|mid|after"
    r"|evening|night|early|half|first|second|third|fourth|fif|six|sev|eigh|nin|ten|elev|twel|thirt|fourt|twent|one|two"
    r"|three|four|christmas|boxing|new year|valentine|women|st\b|children|independence|teachers|china|hallow|singles"
    r"|thanksgiving|black|mother|father|chinese|lunar|lantern|qing|dragon|good|easter|labor|qixi|zhong|double|chong"
    r"|dong|laba|xmas)"
)
# Between questions.
_ALSO = re.compile(r"(?<![^\s，,。；;！!？?])(?:另外|此外|还有(?=[，,]))|\b(?:and )?also,", re.IGNORECASE)
_ENDS = re.compile(r"(?<=[?？])")
_GOES_ON = re.compile(
    r"[\s，,]*(?:[这那该其他她它]"
    r"|(?:and )?(?:\w+ ){0,3}(?:it|this|that|he|she|they|there|those|these|his|hers?|its|their)\b)",
    re.IGNORECASE,
)
_ONE_QUESTION = re.compile(r"[^?？]+[?？]")

CALLED = 4  # memories of what the user is called, at most

_VERBS = {"does": "do i", "is": "am i", "has": "have i"}  # as one asks of oneself
_VERB = r"(?:\b(?P<verb>does|is|was|has|did|can|will|should|would|must) )"
_USER = re.compile(
    rf"{_VERB}?\bthe user\b(?!['’])|(?P<my>\bthe user['’]s)\b|(?P<zh>用户(?!名|们|体验|界面))"
    r"|\b(?P<before>does|is|has) i\b"
)
_THEY = re.compile(
    rf"{_VERB}?\b(?:he|she|they)\b(?!['’])|(?P<my>\b(?:his|their|her(?= *\w)))\b|(?P<zh>[他她](?!们))"
    r"|(?P<me>\b(?:him|them|her))\b"
)
_WHO = re.compile(r"\b(?:who|whose|names?|called)\b|谁|叫|名字")


@dataclass(frozen=True, slots=True)
class Question:
    """`terms` are looked up, those in `aside` only lead up to the question; where several things are asked, `several`
    has the terms of each, else it is empty. `asks` is false where words are only looked up; `asks_when` is whether it
    asks for a time, `asks_day` for one that the day of speaking may tell, `yours` for what the assistant said; `own` is
    whether it speaks of the user, `denies` whether of what is not so. `names` are who and what else is named, `kinds`
    the kinds of things (`kinds.kinds_of`), `spans` the times, each from a stamp to a stamp."""

    text: str
    lang: str
    now: datetime
    terms: list[str]
    aside: frozenset[str]
    several: list[frozenset[str]]
    names: tuple[Name, ...]
    kinds: tuple[str, ...]
    spans: list[tuple[str, str]]
    asks: bool
    asks_when: bool
    asks_day: bool
    yours: bool
    own: bool
    denies: bool


def understood(query: str, now: datetime, zone: ZoneInfo) -> Question:
    """What a question asks for; never raises, whatever it holds."""
    text = storable(query[: terms.MAX_CHARACTERS])
    put = together("asking", "kinds", *_ANSWERS).by_group(fold(text))
    main, rest, several = _parted(text)
    return Question(
        text=text,
        lang=language(text),
        now=now,
        terms=list(dict.fromkeys(main + rest))[: terms.MAX_TERMS],
        aside=frozenset(rest).difference(main),
        several=several,
        names=named(text),
        kinds=(*(rule.id for rule in put.get("kinds", ())), *kinds.asked_by_words(fold(text))),
        spans=_spans(text, now, zone),
        own=bool(in_first_person(text)),
        **{name: name in put for name in _ANSWERS},
    )


def _parted(text: str) -> tuple[list[str], list[str], list[frozenset[str]]]:
    """The question's terms; those that only lead up to it ("a summary of …"); of several questions those of each."""
    main: list[str] = []
    aside: list[str] = []
    asked: list[str] = []
    for part in _ALSO.split(text):
        before, start = _point(part)
        about, frame = _unframed(part[start:])
        if not terms.has_content(about):
            about, frame = part[start:], ""
        main += terms.asked(about)
        aside += [term for each in (part[:before], frame) if terms.has_content(each) for term in terms.asked(each)]
        asked += _questions(about)
    several = [frozenset(terms.asked(each)) for each in asked] if 1 < len(asked) <= MOST_ASKED else []
    return main or terms.asked(text), aside, several


def _point(text: str) -> tuple[int, int]:
    """Where the last words stand that say that the question comes now; 0 and 0 if none do, or nothing comes."""
    start, end = max((found.span for found in load("asking")["point"].found(text)), default=(0, 0))
    return (start, end) if terms.asked(text[end:]) else (0, 0)


def _questions(text: str) -> list[str]:
    """The questions one after the other; what goes on ("Who was it?", 这是谁…) belongs to the one before."""
    found: list[str] = []
    for piece in _ENDS.split(text):
        if found and _GOES_ON.match(piece):
            found[-1] += piece
        elif load("asking")["asks"].fires(piece.lower()) and terms.has_content(piece):
            found.append(piece)
    return found


def _unframed(text: str) -> tuple[str, str]:
    """The question without its frame (`rules/asking.toml`), and the frame."""
    folded = text.lower()
    if len(folded) != len(text):  # some letters get longer: places would not fit
        return text, ""
    about, framed, at = [], [], 0
    for start, end in sorted(found.span for found in load("asking")["frame"].found(folded)):
        about.append(text[at:start])
        framed.append(text[max(at, start) : end])
        at = max(at, end)
    return " ".join([*about, text[at:]]), " ".join(framed)


def may_name_a_time(folded: str) -> bool:
    """Whether the text (in lower case) may hold a time expression; true of every text in which `dates` finds one."""
    return bool(_TIMELY.search(folded))


def _spans(text: str, now: datetime, zone: ZoneInfo) -> list[tuple[str, str]]:
    if not may_name_a_time(text.lower()):
        return []
    from memory_system import dates

    try:
        found = dates.meant(text, now.astimezone(zone))
        return [(_stamp(start, zone), _stamp(end, zone)) for start, end in found]
    except OverflowError:  # at the ends of the calendar
        return []


def _stamp(moment: datetime, zone: ZoneInfo) -> str:
    return clock.stamp(moment.replace(tzinfo=zone))


# What a message calls for beside its words


@dataclass(frozen=True, slots=True)
class Kind:
    """Memories of one of these categories or attributes (a dotted attribute by its first part as well); of a whole
    that is asked for, at most `most`; with `named` only those whose value the message names."""

    name: str
    categories: Collection[str]
    attributes: Collection[str]
    most: int = 0
    named: bool = False

    def holds(self, row: Row) -> bool:
        attribute = row.get("attribute", "")
        known = {attribute, attribute.partition(".")[0]}
        return row.get("category", "general") in self.categories or not known.isdisjoint(self.attributes)


@dataclass(frozen=True, slots=True)
class Cues:
    """`idle`: the message says nothing to look for; `past`: it speaks of what was before; `topics` count for more,
    `wholes` are asked for as a whole."""

    idle: bool
    past: bool
    topics: tuple[Kind, ...] = ()
    wholes: tuple[Kind, ...] = ()

    @property
    def names(self) -> list[str]:
        """What fired, each once."""
        return list(dict.fromkeys(["past"] * self.past + [kind.name for kind in self.topics + self.wholes]))


def cues_of(message: str) -> Cues:
    """The cues in a message; never raises, whatever it holds."""
    plain, groups = storable(message), load("cues")
    text = as_asked(plain)
    if not text or groups["idle"].fires(text):
        return Cues(idle=True, past=False)
    topics, wholes = groups["topics"].firing(text), [*groups["wholes"].firing(text)]
    asked = [each for each in _ONE_QUESTION.findall(text) if each != text]
    for each in asked[:MOST_ASKED]:  # of several questions each calls for its own
        wholes += [rule for rule in groups["wholes"].firing(each) if rule not in wholes]
    kinds = (tuple(Kind(**rule.data) for rule in rules) for rules in (topics, wholes))
    return Cues(False, groups["past"].fires(text), *kinds)


# What is asked of the user


class Asked(NamedTuple):
    """The kinds of attributes (`rules/words.toml`), those of them that quotes tell of, and the slots that hold them."""

    kinds: tuple[str, ...] = ()
    told: frozenset[str] = frozenset()
    slots: frozenset[str] = frozenset()


def asked_of_user(question: str, standing: Standing) -> Asked:
    """What is asked of the user, who asks, or whom the question calls by name or speaks of as the only one."""
    from memory_system.understand import judge  # it reads the weights

    own = in_first_person(question) or in_first_person(of_oneself(question, _called(question, standing)))
    asked = own or fold(question)
    heard, of_others = judge.attributes_asked(asked, language(asked)), bool(nearest(question)) and not _WHO.search(own)
    if not own:  # what is asked of nobody may still ask how to answer
        heard &= {"instruction"}
    wanted = {
        name: row
        for name, row in table("words", "asked").items()
        if not heard.isdisjoint(row["told"].split()) or (own and _words(name).search(own))
        if not (of_others and row.get("near"))  # "where does my brother live" asks for no brother
    }
    told, slots = (frozenset(" ".join(row[key] for row in wanted.values()).split()) for key in ("told", "slots"))
    return Asked(tuple(wanted), told, slots)


def of_the_user(question: Question, standing: Standing) -> Question:
    """The question without the user's own name, by which their memories do not call them."""
    called = {word for name in _called(question.text, standing) for word in (name.lower(), *name.lower().split())}
    mine = {name for name in question.names if name <= called}  # not Anna Kowalska, where the user is Anna Schmidt
    said = frozenset().union(*mine)
    left = [term for term in question.terms if term not in said]
    if not mine or not left:
        return question
    return replace(question, terms=left, names=tuple(each for each in question.names if each not in mine), own=True)


def as_asked(question: str) -> str:
    """The question as what it asks for is heard in it."""
    return in_first_person(question) or fold(question)


def in_first_person(question: str) -> str:
    """The question, folded, as the user would ask it; empty where it is about somebody else, or about nobody. An agent
    asks of the user what the user asks of themselves: "where does the user live", "what does she take", 他住在哪."""
    text, own = _USER.sub(_as_oneself, fold(question)), load("asking")["own"]
    if not own.fires(text) and not others_named(question):
        text = _THEY.sub(_as_oneself, text)
    return text if own.fires(text) else ""


def _as_oneself(found: re.Match[str]) -> str:
    given = found.groupdict()
    if verb := given.get("verb") or given.get("before"):
        return _VERBS.get(verb, f"{verb} i")
    return "我" if given["zh"] else "my" if given["my"] else "me" if given.get("me") else "i"


def others_named(question: str) -> list[Name]:
    """Who has a name in the question, and is not just near to somebody."""
    near = nearest(question)
    return [name for name in named(question) if name not in near]


def _called(question: str, standing: Standing) -> list[str]:
    """By which of the names in the question the user is called, as far as memories tell."""
    asked = others_named(question)
    if not asked:
        return []
    slots = (orjson.loads(each.line) for each in standing.of_kind((), ("name", "nickname"), CALLED))
    introduced = Callings()
    for each in standing.telling({"name"}, CALLED):
        introduced.hear(orjson.loads(each.line)["content"])
    told = (form for name in asked for form in name if form in introduced.names)
    return [*told, *filter(None, (row.get("value", "") for row in slots))]


@cache
def _words(kind: str) -> re.Pattern[str]:
    """The words that ask for it; English ones in the plural as well."""
    words = table("words", "asked")[kind]["words"].split("|")
    latin = "|".join(each for each in words if not is_cjk(each))
    signs = [each for each in words if is_cjk(each)]
    return re.compile("|".join([*[rf"\b(?:{latin})(?:s|es)?\b"] * bool(latin), *signs]))
