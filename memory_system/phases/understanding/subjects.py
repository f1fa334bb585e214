"""Whom a statement is about: the speaker, someone near to them, or someone or something by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from memory_system.phases.understanding.pronouns import begins_with
from memory_system.phases.understanding.scene import Scene, as_rules_see
from memory_system.phrasing.naming import ALSO_NAMES
from memory_system.rules import table
from memory_system.rules.words import is_word, words_of
from memory_system.turns import Turn

PUNCTUATION = "，。！？；：,!?;:、“” \n"
_PRONOUNS = frozenset({"he", "she", "他", "她", "它", "其"})
_SELF = frozenset({"", "i", "my", "we", "我", "本人"})
_HE_OR_SHE = re.compile(r"\b(?:he|she|his|her)\b|[他她]", re.IGNORECASE)
_CLAUSE_START = re.compile(rf"(?:^|[{PUNCTUATION}])(?=[\u4e00-\u9fff])")
_LEANING = {
    "en": re.compile(r"\b(?:he|she)\b", re.IGNORECASE),
    "zh": re.compile(r"^\W*(?:他|她|它|其|住|在|今年|身高|生日|喜欢)|^(?!\W*我).*[他她其]"),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """The key of the slot, how a sentence calls them, whether they are several."""

    key: str
    shown: str
    plural: bool = False


def whose(who: str, scene: Scene, last: Subject | None) -> Subject | None:
    """Whom the words for a subject mean, "she" and a subject that Chinese leaves out being `last`; None when nobody can
    tell, or when they are no name."""
    who = who.strip()
    low = who.lower()
    if low in _PRONOUNS or (not who and last is not None and scene.lang == "zh"):
        return None if last and low in ("he", "she") and not may_be(low, last.shown) else last
    if low in _SELF:
        return Subject(scene.subject, scene.voices.speaker)
    if low.startswith(("my ", "our ")) or who.startswith("我"):
        return _near(who, scene)
    if scene.lang == "zh" and (circle := _circle(who)):
        owner = last is None or last.key == scene.subject or _circle_of(last, scene) == circle
        return _near(f"我{who}", scene) if owner else None
    if scene.lang == "zh" and kin().fullmatch(who):
        return _near(f"我{who}", scene)
    who = _without_opening(who, scene)
    return None if _is_no_name(who, scene) else Subject(who, who)


def _without_opening(who: str, scene: Scene) -> str:
    """The name without the word that opened the sentence before it: "Bet Max", "Maybe Max"."""
    first, _, rest = who.partition(" ")
    no_name = first in words_of("not_names", scene.lang) and first not in ALSO_NAMES and who not in scene.known
    return rest if rest[:1].isupper() and no_name else who


@cache
def kin() -> re.Pattern[str]:
    """The Chinese words for somebody near, whom a speaker may name without 我: 舅妈在青岛上班."""
    return re.compile(str(table("zh", "parts")["kin_word"]))


def begins_with_kin(plain: str, lang: str) -> bool:
    """Whether Chinese words begin with one of a family, and do not say whose: after 我同事小李 it is hers."""
    return lang == "zh" and _family().match(plain) is not None


def _circle_of(subject: Subject, scene: Scene) -> str:
    mine = f"{scene.voices.speaker}的"
    return _circle(subject.key.removeprefix(mine)) if subject.key.startswith(mine) else ""


def _circle(who: str) -> str:
    """Which part of a family 儿子 or 大女儿小雨 belongs to: who comes with a partner is named beside a child, who one
    grew up with beside a parent; empty for anybody else."""
    found = _family().match(who)
    return "own" if found and found[1] in _own_family() else "elders" if found else ""


@cache
def _family() -> re.Pattern[str]:
    return re.compile(rf"[大小二三]?({table('zh', 'parts')['family']})")


@cache
def _own_family() -> frozenset[str]:
    kin = table("zh", "kin")
    return frozenset(f"{kin['partner']} {kin['child']}".split())


def begins_with_another(plain: str, lang: str) -> bool:
    """Whether a clause begins with somebody near: "and my brother surfs", 爸爸爱钓鱼."""
    words = plain.lstrip(PUNCTUATION)
    return (_family().match(_mine().sub("", words)) if lang == "zh" else _anothers().match(words)) is not None


@cache
def _anothers() -> re.Pattern[str]:
    kin = table("en", "parts")["kin_word"]
    return re.compile(rf"(?:(?:and|but|so) )?(?:(?:my|our) )?(?:\w+ )?(?:{kin})\b", re.IGNORECASE)


def _is_no_name(who: str, scene: Scene) -> bool:
    if who in scene.known:
        return False
    if scene.lang == "en" and is_word("plural", who.lower()):
        return True  # "Dogs love toys" is said of all of them
    if who in words_of("not_names", scene.lang):
        return True
    return scene.lang == "zh" and len(who) <= 3 and _no_name().search(who[1:]) is not None


@cache
def _no_name() -> re.Pattern[str]:
    return re.compile(f"[{table('zh', 'words')['not_in_names']}]")


def _near(who: str, scene: Scene) -> Subject:
    """ "my sister", "my brother Tom", 我表弟: by name where the name is said."""
    if scene.lang == "en":
        words = who.removesuffix("'s").split()
        if name := _name_behind_kin(words):
            return Subject(name, name)
        kin, owner = words[-1], " ".join([f"{scene.voices.speaker}'s", *words[1:-1]])
        key = f"{owner} {_same_kin('en').get(kin.lower(), kin)}"
        return Subject(key, f"{owner} {kin}", kin.lower() in plural_words())
    if named := _named_near().fullmatch(who):
        if not _is_no_name(named[1], scene):
            return Subject(named[1], named[1])
        who = who.removesuffix(named[1])  # 我姐姐现在…
    mine, kin = _mine().match(who), _mine().sub("", who)
    speaker, home = scene.voices.speaker, "家" if mine and "家" in mine[0] else ""
    return Subject(f"{speaker}的{_same_kin('zh').get(kin, kin)}", f"{speaker}{home}的{kin}")


@cache
def _mine() -> re.Pattern[str]:
    return re.compile(r"^我(?:们?家)?的?")


def _name_behind_kin(words: list[str]) -> str:
    """The name at the end of "my brother Tom Hale"; empty where there is none."""
    name = list(takewhile(lambda each: each[:1].isupper() and not _kin_word().fullmatch(each), reversed(words[2:])))
    return " ".join(reversed(name))


@cache
def _kin_word() -> re.Pattern[str]:
    return re.compile(str(table("en", "parts")["kin_word"]), re.IGNORECASE)


@cache
def _same_kin(lang: str) -> dict[str, str]:
    """By every other word for somebody near the one that slots use: mum is mother, 妈 is 妈妈."""
    return {other: kin for kin, others in table(lang, "same_kin").items() for other in others.split()}


@cache
def plural_words() -> tuple[str, ...]:
    """Words for several people or animals: parents, kids."""
    return tuple(table("en", "words")["plural"].split())


@cache
def _named_near() -> re.Pattern[str]:
    kin, surname = table("zh", "parts")["kin_word"], table("zh", "parts")["surname"]
    return re.compile(rf"我(?:们?家)?的?(?:{kin})({surname}[\u4e00-\u9fff]{{1,2}}|[\u4e00-\u9fff]{{2}})")


def opening(plain: str, scene: Scene) -> Subject | None:
    """Whom or what the text begins with: "my sister …", 我妹妹…, or a name that was introduced; None when it is the
    speaker."""
    if name := scene.known.at(plain, 0):
        rest = plain[len(name) :]
        return None if rest.startswith(("'s ", ",", "，", ":", "：")) else Subject(name, name)
    found = _opening(scene.lang).match(plain)
    if found is None:
        return None
    return _near(found[1] if scene.lang == "zh" else f"my {found[1]}", scene)


@cache
def _opening(lang: str) -> re.Pattern[str]:
    parts = table(lang, "parts")
    kin = parts["kin_word"]
    if lang == "zh":
        said = rf"(?:{kin}).{{0,8}}(?:说|告诉|问|提到|觉得)"
        mine = rf"(?:我(?:们?家)?的?|(?={said}|(?:{parts['family']})[今昨明上下这刚最在有得].+[他她](?!们)))"
        name = rf"(?:{parts['surname']}[\u4e00-\u9fff]{{1,2}}(?=[在是也有喜]))?"
        doctors_word = (
            r"(?!(?:[^，,。]{0,6}[，,])?(?:我的?)?(?:家庭|主治)?(?:医生|大夫).{0,3}(?:说|诊断|确诊|建议|让|开了))"
        )
        return re.compile(
            rf"^{doctors_word}(?:[\w，,]{{0,4}}[，,])?({mine}[大小二三老亲好前]?(?:{kin}){name})(?!们?[和跟与、]我)"
        )
    name = r"(?-i:(?: [A-Z][a-z]+){0,2})"
    lead = "and|but|so|also|because|well|now|then|yes|yeah|hey|ok|no|sorry|actually|i was wrong|it turns out"
    whose = rf"(?:(?:{lead}),? ){{0,2}}(?:my|our|an?|one of my)"
    return re.compile(rf"^{whose} ((?:\w+ )?(?:{kin}){name})\b(?!'s| and)", re.IGNORECASE)


def as_own(told: str, subject: Subject, scene: Scene) -> str:
    """The sentence with its subject, where the clause has none and was told of the speaker: 每天吃药 behind 我妈."""
    speaker = scene.voices.speaker
    if scene.lang != "zh" or subject.key == scene.subject or told.startswith(f"{speaker}的"):
        return told
    bare = told.removeprefix(f"{speaker}说").removeprefix(speaker)
    return told if bare == told else subject.shown + bare


def talked_of(turn: Turn, scene: Scene) -> Subject | None:
    """Whom "he" or "she" means that the message begins with: the one person that the talk before it names; in Chinese
    whom the question is about."""
    if scene.lang == "zh":
        return _asked_about(turn, scene)
    pronoun = begins_with(turn.message.text, scene.lang)
    if pronoun not in ("he", "she"):
        return None
    before = turn.asked or turn.topic
    own = turn.own_topic and not turn.asked
    found = list(_anybody().finditer(as_rules_see(before)))
    if len(found) != 1 or (found[0]["whose"] == "your") == own:
        return None  # whom the other calls "my sister" is no sister of the speaker's
    kin, name = found[0]["kin"], found[0]["name"]
    meant = Subject(name, name) if name else _near(f"my {kin}", scene)
    return meant if may_be(pronoun, kin or "") else None


def may_go_on(turn: Turn, plain: str, lang: str) -> bool:
    """Whether the words may be about whom the talk before them was about: they have a pronoun, or in Chinese no subject
    where somebody near was asked about (你妈身体怎么样？)."""
    if _LEANING[lang].search(plain) or begins_with_kin(plain, lang):
        return True
    return lang == "zh" and "我" not in plain and len(_yours().findall(turn.asked)) == 1


def _asked_about(turn: Turn, scene: Scene) -> Subject | None:
    found = _yours().findall(turn.asked)
    return _near(f"我{found[0]}", scene) if len(found) == 1 else None


@cache
def _yours() -> re.Pattern[str]:
    kin = table("zh", "parts")["kin_word"]
    return re.compile(rf"(?<![和跟与])[你您](?:们?家)?的?((?:{kin}))(?![们和跟与]|家)")


def speaks_of_others(turn: Turn, start: int) -> bool:
    """Whether the talk right before the place in the message names somebody near, or "he" or "she"."""
    before = as_rules_see(f"{turn.asked}\n{turn.topic}")
    said = as_rules_see(turn.message.text[:start])
    return bool(_anybody().search(before) or _HE_OR_SHE.search(before) or _family_said().search(said))


@cache
def _family_said() -> re.Pattern[str]:
    """Somebody near at the beginning of a sentence, whom the next may go on about ("Mum is in hospital")."""
    kin = table("en", "parts")["kin_word"]
    return re.compile(rf"(?:^|[.!?\n] *)(?:(?:my|our) )?(?:\w+ )?(?:{kin})(?:'s|s)?\b", re.IGNORECASE)


def may_be(pronoun: str, called: str) -> bool:
    """Whether somebody who is called so may be "he" or "she": no sister is "he", and no parents are either."""
    words = called.lower().split()
    unfit = "women" if pronoun.lower() == "he" else "men"
    return not (any(is_word(unfit, each) for each in words) or (words and words[-1].endswith(plural_words())))


@cache
def _anybody() -> re.Pattern[str]:
    """Somebody near to one of the two, or a name within a sentence."""
    kin = table("en", "parts")["kin_word"]
    near = rf"\b(?i:(?P<whose>my|our|your)) (?P<kin>(?i:(?:\w+ )?(?:{kin}))\b(?: [A-Z][a-z]+){{0,2}})"
    no_name = rf"I\b|(?i:{table('en', 'parts')['day_or_month']})"
    with_whom = r"(?:met|meet|meeting|with|invited|told|asked|texted|phoned|married|dating)"
    return re.compile(rf"{near}|\b{with_whom} (?P<name>(?!{no_name})[A-Z][a-z]+)\b")


@cache
def _taken_up() -> re.Pattern[str]:
    """Somebody who is named and taken up by a pronoun at once: 我叔叔他在广州上班."""
    kin = table("zh", "parts")["kin_word"]
    return re.compile(
        rf"(我的?(?:{kin}))[他她]们?(?=在|是|公司|单位|的?工作|今年|生日|家在|老家|叫|姓|电话|邮箱|身高|性格)"
    )


def with_pronoun(plain: str, scene: Scene) -> tuple[str, Subject | None]:
    """Chinese text in which a known name opens a clause, with 他 for the name (and blanks, so that it stays as long),
    and whom it means: the rules know pronouns, not every name."""
    if scene.lang != "zh":
        return plain, None
    if "他" in plain or "她" in plain:
        plain = _taken_up().sub(lambda found: found[1].rjust(len(found[0])), plain)
    starts = [found.end() for found in _CLAUSE_START.finditer(plain)]
    name = next((name for start in starts if (name := scene.known.at(plain, start))), "")
    if not name:
        return plain, None
    for start in starts:
        if plain.startswith(name, start) and plain[start + len(name) : start + len(name) + 1] not in (":", "："):
            plain = plain[:start] + "他".rjust(len(name)) + plain[start + len(name) :]
    return plain, Subject(name, name)
