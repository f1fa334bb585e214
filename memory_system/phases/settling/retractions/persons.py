"""Whom words are said of that take something back: the speaker, somebody near, nobody by name; and who says them."""

from __future__ import annotations

import re
from functools import cache

from memory_system import rules, text
from memory_system.records import USER, Fact
from memory_system.turns import Claim

SHOWN = {"en": "User", "zh": "用户"}
FIRST, HE, SHE = frozenset({"i", "我"}), frozenset({"he", "他"}), frozenset({"she", "她"})
NOBODY = frozenset({"", "it", "this", "它", "这", "那"})
MANY = frozenset({"we", "they"})
PRONOUNS = FIRST | HE | SHE | NOBODY | MANY
_MEN = re.compile(
    r"\b(?:\w*father|dad(?:dy)?|brother|husband|boyfriend|son|\w*grandpa|grandson|uncle|nephew|his|he|him)\b"
    "|[爸爹父哥弟叔伯舅爷]|老公|丈夫|男|儿子|先生|姥爷|外公|他"
)
_WOMEN = re.compile(
    r"\b(?:\w*mother|mum|mom(?:my)?|sister|wife|girlfriend|daughter|grandma|aunt(?:ie)?|niece|her|she)\b"
    "|[妈娘母姐妹姑姨婶奶婆嫂]|老婆|妻子|女|太太|她"
)
DOCTORS = re.compile(
    r"\b(?:my |the |our |a )?(?:doctors?|gp|specialist|consultant|dr\.? [a-z]+)\b|医生|大夫", re.IGNORECASE
)
_NAMES = re.compile(  # capitals within a sentence, and at its beginning what is followed by a verb
    r"(?<=[\w,;:] )(?!I\b)[A-Z][a-z]+|\b(?!(?:I|It|He|She|This|That|We|They|There|What)\b)[A-Z][a-z]+"
    r"(?='s\b| (?:is|was|has|had|went|says?|said|isn't|saw|got|does|doesn't|told|just|did|didn't|and|\w+ed)\b)"
)
_SAID = {  # somebody says so
    "en": re.compile(
        r"\b(?:says?|said|saying|thinks?|thought|claim(?:s|ed)|tells?|told|believes?|insists?|reckons?|jok(?:es|ed)"
        r"|according to|if|whether|hopes?|wish(?:es)?)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("说|认为|觉得|以为|告诉|如果|要是|希望|万一"),
}
_TRUSTED = {  # the speaker and the doctor
    "en": re.compile(
        r"\b(?:doctors?|gp|specialist|consultant|i)(?: (?:now|just|finally|also|had|have))?"
        r" (?:says?|said|told|thinks?|thought)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("(?:医生|大夫|我)(?:都|也|今天|昨天|后来|刚|之前|上次)?(?:说|认为|觉得|以为|告诉)"),
}
_MISTAKEN = re.compile(
    r"\bi (?:was (?:wrong|mistaken)|got (?:it|that) wrong|said|thought|told you|misunderstood|made a mistake)\b"
    "|我(?:之前|上次|刚才|可能|好像)*(?:搞错|弄错|说错|记错|听错|看错|以为|说)",
    re.IGNORECASE,
)
MINE = re.compile(r"\b(?:i|i'm|i've|my|me)\b|我", re.IGNORECASE)
_THIRD = re.compile(r"\b(?:he|she|his|her|him)(?:'s)?\b|[他她]", re.IGNORECASE)


@cache
def others_in(lang: str) -> re.Pattern[str]:
    """Those who are named by what they are to somebody: a sister, a vet."""
    kin = rules.table(lang, "parts")["kin_word"]
    return re.compile(rf"\b(?:{kin}|vet|animal|patient)\b" if lang == "en" else f"{kin}|兽医|病人", re.IGNORECASE)


def words_of(claim: Claim | Fact) -> str:
    """The words that were said."""
    said = claim.quote if isinstance(claim, Claim) else claim.evidence[0].quote
    return text.straight(said)


def says_another(quote: str, lang: str) -> bool:
    """Whether somebody says or supposes it who is neither the speaker nor a doctor."""
    return bool(_SAID[lang].search(_TRUSTED[lang].sub("", quote)))


def may_be_of(fact: Fact, quote: str, pronoun: str = "") -> bool:
    """Whether words that do not name anybody may be about the one whom the fact is about: they name nobody else."""
    content, plain = fact.content.casefold(), DOCTORS.sub("", quote)
    others = [each[0] for each in others_in(fact.lang).finditer(plain)]
    names = _NAMES.findall(plain) if fact.lang == "en" else []
    if any(not re.search(rf"\b{re.escape(each.casefold())}(?![a-z])", content) for each in names):
        return False
    if any(each.casefold() not in content for each in others):
        return False
    if pronoun and pronoun not in NOBODY:
        opposite, same = (_WOMEN, _MEN) if pronoun in HE else (_MEN, _WOMEN)
        return not opposite.search(content) or bool(same.search(content))
    rest = _MISTAKEN.sub("", plain)
    if fact.subject == USER and not others_in(fact.lang).search(fact.content):
        return not others and not names and not _THIRD.search(rest)
    return bool(others or names) or not MINE.search(rest)


def as_told(who: str, lang: str) -> str:
    """Somebody as memories call them: "my son" is the user's."""
    if lang == "zh":
        return re.sub("^我(?:们?家|们?的)?", "用户的", who)
    return re.sub(r"^(?:my|our) ", "User's ", who, flags=re.IGNORECASE)


def somebody(fact: Fact) -> str:
    """A pattern for whoever the fact may be of, where the denial names nobody."""
    if fact.lang == "en":
        return r"(?:[\w' -]+?)"
    kin = rules.table("zh", "parts")["kin_word"]
    return f"(?:用户(?:的(?:{kin}))?|[他她它](?:的?(?:{kin}))?|{re.escape(fact.subject)})"


def bare(what: str) -> str:
    """A name or a noun without its article."""
    return re.sub(r"^(?:an?|the|my|any) ", "", what, flags=re.IGNORECASE)
