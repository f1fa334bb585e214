"""What the claim rules read from a segment: whom it is about, which attribute, which value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory_system import phrasing, rules, slots, text
from memory_system.phases.scene import Scene
from memory_system.rules import table

_LONGEST = {"en": 70, "zh": 30}  # characters of a value; more is a story, not a value
_ARTICLE = re.compile(r"^(?:a|an|the|my|some|any|our)\s+(?=\S)", re.I)
_TRAILING = re.compile(r"\s+(?:very much|so much|a lot|the most|a ton|so|really|also|already|now|anymore|myself|again|best|more)$", re.I)
_TRAILING_ZH = re.compile(r"(?:什么的|之类的?|等等|的时候|了|呢|啊|吧|呀|哦|啦)+$")
_NO_NAME = re.compile(r"[的了着过很也都就还会在是不没你您这那其之吗呢吧啊们每各某和跟与或但而且又再要想能可把被给让对从到向因为所以如果虽]|^(?:今|昨|明|前|后|上|下|最|目|现|以|平|其|已|正|刚|一|有|大家|全|自|本|真|老)|[时天年月日周点]$")
_CALLED = re.compile(r"(?:\b(?:called|named) |叫做?)([A-Za-z\u4e00-\u9fff][\w-]{0,20})")
_ADVERBIAL = re.compile(
    r"(?:今天|今晚|今早|明天|后天|昨天|昨晚|前天|刚才|刚刚|上午|中午|下午|晚上|早上|最近|目前|现在|以前|平时|后来|终于|已经|去年|今年|明年|"
    r"[上下这本]个?(?:周|月|星期|礼拜)[一二三四五六日天]?|周[一二三四五六日末]|也|还|都|就|又|而且|所以|然后|不过|但是?|另外|其实|对了|记住|说|因为|"
    r"[\d零一二三四五六七八九十]+[年月日号点]|年|底|初|，|\s)*"
)
_CLAUSE = re.compile(r"[^，。！？；：,.!?;:]+[，。！？；：,.!?;:]*")
_PUNCTUATION = "，。！？；：,!?;:、“” \n"
_DEEDS = frozenset({"instruction", "reminder", "todo", "plan"})  # their values are what is done, not names
_PRONOUNS = frozenset({"he", "she", "他", "她", "它", "其"})
_SELF = frozenset({"", "i", "my", "we", "我", "本人"})


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a statement is about: the key of the slot, how a sentence calls them, whether they are several."""

    key: str
    shown: str
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """One slot filled: by which rule, from which stretch of the text."""

    rule: rules.Rule
    subject: Subject
    attribute: str
    value: str
    content: str
    span: tuple[int, int]
    value_span: tuple[int, int]


def read(plain: str, scene: Scene, antecedent: Subject | None, offset: int = 0) -> list[Reading]:
    """The slots that the text fills, those said later after those said first. `antecedent` is whom "she" or an omitted
    subject means; what stands before `offset` is no part of the text."""
    readings: list[Reading] = []
    plain, named = _with_pronoun(plain, scene)
    last = named or antecedent or opening(plain[offset:], scene)
    for rule in scene.groups["claim"].firing(plain):
        for found in rule.matches(plain):
            reading = _reading(rule, found, plain, scene, last)
            if reading and reading.span[0] >= offset and not _known(reading, readings):
                readings.append(reading)
                _learn(reading, scene)
                last = reading.subject if reading.subject.key != scene.subject and last is None else last
    return sorted(readings, key=lambda each: each.span)


def _with_pronoun(plain: str, scene: Scene) -> tuple[str, Subject | None]:
    """Chinese text in which a name that was introduced opens a clause, with 他 for the name (and blanks, so that it stays
    as long), and whom it means."""
    if scene.lang != "zh":
        return plain, None
    opens = [each for each in sorted(scene.known) if f"，{each}" in f"，{plain}"]
    if not opens:
        return plain, None
    name = max(opens, key=len)
    masked = re.sub(rf"(^|[，。！？、；：,!?\s]){re.escape(name)}(?!的?[:：])", lambda found: found[1] + "他".rjust(len(name)), plain)
    return masked, Subject(name, name)


def _learn(reading: Reading, scene: Scene) -> None:
    """Names that a reading introduces are known from then on."""
    about = slots.about(reading.attribute)
    if about.get("value_type") in ("person", "animal", "project") and reading.rule.data.get("names", True):
        scene.known.update(each for each in _names_in(reading.value, scene.lang) if 1 < len(each) <= 24)


def _names_in(value: str, lang: str) -> list[str]:
    """The name in "grey kitten named Ash", 一只猫，叫团子, or the value itself where it is one."""
    found = _CALLED.search(value)
    if found:
        return [found[1]]
    named = re.fullmatch(r"[\u4e00-\u9fff]{2,4}", value) if lang == "zh" else re.fullmatch(r"[A-Z]\w+(?: [A-Z]\w+)?", value)
    return [value] if named else []


def _known(new: Reading, readings: Iterable[Reading]) -> bool:
    """Whether an earlier rule has read the same words, or the same slot."""
    start, end = new.value_span
    return any(
        (each.attribute == new.attribute and each.value == new.value and each.subject == new.subject)
        or (each.value_span[0] < end and start < each.value_span[1] and each.subject == new.subject)
        for each in readings
    )


def _reading(rule: rules.Rule, found: Any, plain: str, scene: Scene, last: Subject | None) -> Reading | None:
    parts = {name: found.group(name) or "" for name in found.re.groupindex}
    which = "value" if parts.get("value") else "thing"
    value = _cleaned(parts[which], scene.lang)
    if not value or len(value) > _LONGEST[scene.lang] or not _allowed(rule, parts[which]):
        return None
    if "who_unless" in rule.data and _compiled(str(rule.data["who_unless"]), re.I).search(parts["who"]):
        return None
    if scene.lang == "zh" and not parts.get("who") and not _opens_clause(plain, found.start()):
        return None
    subject = whose(parts.get("who", ""), scene, last if "who" in parts else None)
    attribute = _attribute(rule, parts, scene.lang)
    if subject is None or not attribute:
        return None
    said = parts[which].strip()
    told = phrasing.inner(said[:1].lower() + said[1:] if attribute in _DEEDS else said, scene.voices, scene.lang)
    shown = _cleaned(told, scene.lang) if scene.lang == "zh" else _TRAILING.sub("", told.strip(" '\""))
    content = _content(rule, {**parts, "who": subject.shown, "value": shown, "speaker": scene.voices.speaker}, subject, scene)
    number = found.re.groupindex[which]
    return Reading(rule, subject, attribute, value, content, found.span(), (found.start(number), found.end(number)))


def _opens_clause(plain: str, start: int) -> bool:
    """Whether nothing that could be a subject stands between the start of the clause and there."""
    while start < len(plain) and plain[start] in _PUNCTUATION:
        start += 1
    before = re.split(f"[{_PUNCTUATION}]", plain[:start])[-1]
    return bool(_ADVERBIAL.fullmatch(before))


def _content(rule: rules.Rule, parts: dict[str, str], subject: Subject, scene: Scene) -> str:
    """The template of the rule filled in; empty when the rule leaves the wording to the retelling."""
    template = str(rule.data.get("content", ""))
    if not template:
        return ""
    told = phrasing.fill(template, parts, subject.plural, scene.lang)
    return told[:1].upper() + told[1:]


def _attribute(rule: rules.Rule, parts: dict[str, str], lang: str) -> str:
    name = str(rule.data["attribute"])
    if name == "@kin":
        return kin_attribute(parts["kin"], lang)
    if name == "@noun":
        return slots.named(parts["thing"].lower())
    return name.format(thing=parts.get("thing", "").lower())


@cache
def kin_attribute(words: str, lang: str) -> str:
    """partner, child, friend …: the attribute under which the speaker has such a one; `relation` for what is none of them."""
    last = words.lower().split()[-1] if lang == "en" else words
    for attribute, nouns in table(lang, "kin").items():
        known = nouns.split()
        if last in known or (lang == "zh" and any(words.endswith(each) for each in known if len(each) > 1 or words == each)):
            return str(attribute)
    return "relation"


def _allowed(rule: rules.Rule, value: str) -> bool:
    unless, only = rule.data.get("unless"), rule.data.get("only")
    value = value.strip()
    return not (unless and _compiled(unless, re.I).search(value)) and not (only and not _compiled(only, 0).search(value))


@cache
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _cleaned(value: str, lang: str) -> str:
    """The bare value: no article, no particle or mark at its ends."""
    value = value.strip(" \t'\"“”‘’.,!?;:，。！？；：、~～-–—")
    if lang == "zh":
        return _TRAILING_ZH.sub("", value).strip()
    return _TRAILING.sub("", _ARTICLE.sub("", value)).strip()


def whose(who: str, scene: Scene, last: Subject | None) -> Subject | None:
    """Whom the words for the subject mean; None when nobody can tell."""
    low = who.strip().lower()
    if low in _PRONOUNS:
        return last
    if low == "" and last is not None and scene.lang == "zh":
        return last
    if low in _SELF:
        return Subject(scene.subject, scene.voices.speaker)
    if low.startswith("my ") or (scene.lang == "zh" and who.startswith("我")):
        return _near(who.strip(), scene)
    shown = phrasing.report(who.strip(), scene.voices, scene.lang) if "我" in who or "你" in who else who.strip()
    return None if _is_no_name(shown, scene) else Subject(shown, shown)


def _is_no_name(shown: str, scene: Scene) -> bool:
    if shown in scene.known:
        return False
    return shown in _never(scene.lang) or (scene.lang == "zh" and len(shown) <= 3 and bool(_NO_NAME.search(shown[1:])))


def _near(who: str, scene: Scene) -> Subject:
    """ "my sister", "my brother Tom", 我表弟: by name where the name is said."""
    if scene.lang == "en":
        who = who.removesuffix("'s")
        words = who.split()
        if words[-1][:1].isupper() and len(words) > 2:
            return Subject(words[-1], words[-1])
        shown = f"{scene.voices.speaker}'s {' '.join(words[1:])}"
        return Subject(shown, shown, words[-1].lower() in _plurals())
    if (named := _zh_named().fullmatch(who)) and not _is_no_name(named[1], scene):
        return Subject(named[1], named[1])
    shown = f"{scene.voices.speaker}的{who.removeprefix('我').removeprefix('的')}"
    return Subject(shown, shown)


def opening(plain: str, scene: Scene) -> Subject | None:
    """Whom or what the text begins with: "my sister …", 我妹妹…, or a name that was introduced; None when it is the speaker."""
    if name := next((each for each in sorted(scene.known, key=len, reverse=True) if _begins(plain, each)), ""):
        return Subject(name, name)
    found = _opening(scene.lang).match(plain)
    if found is None:
        return None
    return _near(found[1] if scene.lang == "zh" else f"my {found[1]}", scene)


def _begins(plain: str, name: str) -> bool:
    """Whether the name is the first word of the text, and no "Name: …" or "Name, …" that only addresses it."""
    rest = plain[len(name) :]
    return plain.startswith(name) and not rest.startswith(("'s ", ",", "，", ":", "：")) and not (name.isascii() and rest[:1].isalnum())


@cache
def _opening(lang: str) -> re.Pattern[str]:
    kin = table(lang, "parts")["kin_word"]
    if lang == "zh":
        return re.compile(rf"^(?:[\w，,]{{0,4}}[，,])?((?:我的?|(?=(?:{kin}).{{0,8}}(?:说|告诉|问|提到|觉得)))[大小二三老亲好前]?(?:{kin})(?:{table('zh', 'parts')['surname']}[\u4e00-\u9fff]{{1,2}}(?=[在是也有喜]))?)(?!们?[和跟与、]我)")
    return re.compile(rf"^(?:\w+,? ){{0,2}}?(?:my|an?|one of my) ((?:\w+ )?(?:{kin})(?-i:(?: [A-Z][a-z]+)?))\b(?!'s| and)", re.I)


@cache
def _never(lang: str) -> frozenset[str]:
    return frozenset(table(lang, "words")["not_names"].split())


@cache
def _plurals() -> frozenset[str]:
    return frozenset(table("en", "words")["plural"].split())


@cache
def _zh_named() -> re.Pattern[str]:
    parts = table("zh", "parts")
    return re.compile(rf"我的?(?:{parts['kin_word']})({parts['surname']}[\u4e00-\u9fff]{{1,2}}|[\u4e00-\u9fff]{{2}})")


def left_over(readings: Iterable[Reading], plain: str, offset: int) -> list[tuple[int, int, bool]]:
    """What the readings leave of the text: the clauses that none of them stands on, and those of which they leave a long
    rest (False: not the whole clause). What only announces ("one more thing:") is no rest."""
    places: set[int] = set()
    for each in readings:
        places.update(range(each.span[0], each.span[1]))
    rest = []
    for clause in _CLAUSE.finditer(plain, offset):
        if clause[0].rstrip().endswith((":", "：")):
            continue
        words = "".join(plain[at] for at in range(clause.start(), clause.end()) if at not in places)
        whole = len(words.strip()) >= len(clause[0].strip()) - 1
        if whole or len(words.split()) > 4 or text.cjk_count(words) > 6:
            rest.append((clause.start(), clause.end(), whole))
    return rest
