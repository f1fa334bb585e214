"""What a claim says is not so after all, by its very words: a diagnosis or a way of eating that was wrong, a medicine
that was exchanged, who does not come, a number that is another. The older memory is found by saying just that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from memory_system import rules
from memory_system.gist import gist_of
from memory_system.phases.settling import styles
from memory_system.records import USER, Claim, Fact
from memory_system.store import Memories
from memory_system.trust import is_told

Kind = TypeVar("Kind", bound=Fact)
Fits = Callable[[dict[str, str], Fact, Claim | Fact], bool]

DENIED, EXCHANGED, STAYS_AWAY, RECOUNTED = "denied", "exchanged", "stays_away", "recounted"
SUPPOSED_TOO = frozenset({DENIED, STAYS_AWAY})  # cues that put an end to what was only supposed as well

_MOST = 12  # memories with such a word that are looked at, newest first
_ENDS = " .!。！，,了啦"
_NOT = re.compile(r"(?:\bnot?\b|n't\b|\bnever\b)[^,.;]*$", re.IGNORECASE)
_EN_IS = (  # what says of somebody that they are or have what comes next
    r"(?:^|[,.;:] |\b(?:and|but|that|because|so|says) |\bUser's \w+ ){who}"
    r"(?:'s)? (?:is|am|was|has|have|had|takes?|with|got|be)"
    r"(?: (?:an?|the|got|been|probably|maybe|just|mild|slight|severe))* $"
)
_ZH_IS = "{who}(?:也|都|还|就|一直|现在|可能|其实|好像|从小)*(?:是|有|得了?|患有?|确诊了?|查出了?)?$"
_SOMEBODY = {  # whom a memory may be of, where the denial names nobody
    "en": r"(?:[\w' -]+?)",
    "zh": "(?:用户(?:的(?:{kin}))?|[他她它](?:的?(?:{kin}))?|{name})",
}
_SHOWN = {"en": "User", "zh": "用户"}
_FIRST, _HE, _SHE = frozenset({"i", "我"}), frozenset({"he", "他"}), frozenset({"she", "她"})
_NOBODY = frozenset({"", "it", "this", "它", "这", "那"})
_MANY = frozenset({"we", "they"})
_MEN = re.compile(
    r"\b(?:\w*father|dad(?:dy)?|brother|husband|boyfriend|son|\w*grandpa|grandson|uncle|nephew|his|he|him)\b"
    "|[爸爹父哥弟叔伯舅爷]|老公|丈夫|男|儿子|先生|姥爷|外公|他"
)
_WOMEN = re.compile(
    r"\b(?:\w*mother|mum|mom(?:my)?|sister|wife|girlfriend|daughter|grandma|aunt(?:ie)?|niece|her|she)\b"
    "|[妈娘母姐妹姑姨婶奶婆嫂]|老婆|妻子|女|太太|她"
)
_DOCTORS = re.compile(
    r"\b(?:my |the |our |a )?(?:doctors?|gp|specialist|consultant|dr\.? [a-z]+)\b|医生|大夫", re.IGNORECASE
)
_OTHERS = {  # those who are named
    "en": re.compile(rf"\b(?:{rules.table('en', 'parts')['kin_word']}|vet|animal|patient)\b", re.IGNORECASE),
    "zh": re.compile(f"{rules.table('zh', 'parts')['kin_word']}|兽医|病人"),
}
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
_MINE = re.compile(r"\b(?:i|i'm|i've|my|me)\b|我", re.IGNORECASE)
_THIRD = re.compile(r"\b(?:he|she|his|her|him)(?:'s)?\b|[他她]", re.IGNORECASE)
_ADVERBS = re.compile(
    "^(?:其实|原来|查出来|医生说|大夫说|结果|后来|但是?|不过|所以|反正|幸好|幸亏)+|(?:其实|并|根本|也|都|还|就|真的?)+$"
)
_MY_MEDICINE = re.compile("(?:我|们|的|药|给|把|将|从|也|又|已经|今天|昨天|上周|上个?月|最近|建议|让|，|,)*")
_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:this|next|on) \w+)\b"
    "|[今明后昨]天|今晚|明晚|[这下]周|周[一二三四五六日末]|月"
)
_COUNTED = {  # the number of years, and nothing else
    "en": r"(?<![\d.:/-]){number}(?=[ -](?:years?|yrs?)\b)",
    "zh": r"(?<![\d.:/-]){number}(?=岁)",
}
_ARTICLE = re.compile(r"\ban?(?= $)")
_VOWEL = re.compile(r"8|11\b|18\b|eigh|eleven")  # an 8 year old
_BETWEEN = {  # what may not stand between a name and its years
    "en": re.compile(rf"^'|[A-Z]|\b(?:{rules.table('en', 'parts')['kin_word']})\b(?! (?:called|named))"),
    "zh": re.compile(f"^的|和|跟|与|{rules.table('zh', 'parts')['kin_word']}"),
}
_COMES = {
    "en": re.compile(
        r"\b(?:comes?|coming|visit\w*|join\w*|arriv\w+|stay\w*|drop\w* (?:in|by)|starts?|starting|moving in|over for)"
        r"\b"
    ),
    "zh": re.compile("来|到访|拜访|过来|抵达|试工|入职|上班|住"),
}


def taken_back(
    cue: str, given: dict[str, str], claim: Claim | Fact, memories: Memories, kind: type[Kind]
) -> Kind | None:
    """The newest memory of the kind that says what the claim takes back; none where nobody is named and it is said of
    several."""
    named = parts(given)
    fitting = [
        each
        for each in _naming(f"{named['who']} {named['what']}", claim, memories, kind)
        if _FITS[cue](named, each, claim)
    ]
    if cue in (DENIED, EXCHANGED) and len({each.subject for each in fitting}) > 1:
        return None
    return max(fitting, key=lambda each: (each.said_at, each.id), default=None)


def parts(given: dict[str, str]) -> dict[str, str]:
    """What is taken back and what stands in its place (`to`, empty where nothing does), and of whom it is told."""
    what = next((given[each] for each in ("what", "thing", "other") if given.get(each)), "")
    to = (given.get("to") or given.get("until") or "").strip(_ENDS)
    return {"what": what.strip(_ENDS), "to": to, "who": given.get("who", "").strip(_ENDS)}


def inherited(cue: str, given: dict[str, str], claim: Claim, old: Fact) -> Claim:
    """The claim in the slot of the memory whose place it takes: the medicine it was exchanged for; what was told before
    with the right number in it."""
    named = parts(given)
    if cue == EXCHANGED and not claim.attribute and old.attribute and named["to"]:
        return replace(
            claim, subject=old.subject, attribute=old.attribute, value=named["to"], category=old.category,
            importance=max(claim.importance, old.importance),
        )  # fmt: skip
    if cue == RECOUNTED and not claim.attribute:
        return replace(
            claim, content=_renumbered(old, named), subject=old.subject, attribute=old.attribute,
            value=_revalued(old, named), category=old.category, event_time=old.event_time,
            entities=old.entities, importance=max(claim.importance, old.importance),
        )  # fmt: skip
    return claim


def _naming(what: str, claim: Claim | Fact, memories: Memories, kind: type[Kind]) -> Iterator[Kind]:
    """The older memories of the kind, told by people, that share a word with what is named."""
    found = memories.find_alike(dict.fromkeys(gist_of(what).words))
    ids = dict.fromkeys(each for _, ids in found.values() for each in ids[-_MOST:])
    earlier = (each for each in map(memories.get, ids) if type(each) is kind and each.said_at < claim.said_at)
    for each in earlier:
        told = each.polarity and is_told(each.evidence) and each.lang == claim.lang
        if told and each.attribute != styles.WISH:
            yield each


def _quote(claim: Claim | Fact) -> str:
    """The words that were said."""
    said = claim.quote if isinstance(claim, Claim) else claim.evidence[0].quote
    return said.replace("’", "'")


def _is_denied(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact says of the very one who is spoken of that they are, have or do what is denied."""
    what, quote = _bare(named["what"]), _quote(claim)
    who = _ADVERBS.sub("", _ADVERBS.sub("", named["who"])) if fact.lang == "zh" else named["who"]
    low = who.casefold()
    if low in _MANY or claim.subject not in (fact.subject, USER) or _is_said_by_others(quote, fact.lang):
        return False
    shown = _SHOWN[fact.lang] if fact.subject == USER else fact.subject
    if low in _FIRST:
        if fact.subject != claim.subject:
            return False
        person, whole = re.escape(shown), True
    elif low in _NOBODY or low in _HE | _SHE:
        if not _may_be_of(fact, quote, low):
            return False
        person = _SOMEBODY[fact.lang]
        if fact.lang == "zh":
            kin = rules.table("zh", "parts")["kin_word"]
            person = person.format(kin=kin, name=re.escape(fact.subject))
        whole = low in _NOBODY or fact.subject != USER
        if low in _HE | _SHE:
            person = rf"(?!{_SHOWN[fact.lang]}(?!'|的)){person}"
    else:
        shown = _as_told(who, fact.lang)
        person, whole = re.escape(shown), fact.subject == shown
    if whole and fact.attribute and fact.value.casefold() == what.casefold():
        return True
    return any(
        _says(fact, fact.content[: found.start()], person)
        for found in re.finditer(rf"{re.escape(what)}(?![a-z])", fact.content, re.IGNORECASE)
    )


def _as_told(who: str, lang: str) -> str:
    """Somebody as memories call them: "my son" is the user's."""
    if lang == "zh":
        return re.sub("^我(?:们?家|们?的)?", "用户的", who)
    return re.sub(r"^(?:my|our) ", "User's ", who, flags=re.IGNORECASE)


def _says(fact: Fact, before: str, person: str) -> bool:
    """Whether the words of the fact, as far as they go, are about to say what that person is or has."""
    if fact.lang == "zh":
        return bool(re.search(rf"(?:^|[，,；;。]|说){_ZH_IS.format(who=person)}", before))
    return bool(re.search(_EN_IS.format(who=person), before, re.IGNORECASE)) and not _NOT.search(before)


def _is_said_by_others(quote: str, lang: str) -> bool:
    """Whether somebody says or supposes it who is neither the speaker nor a doctor."""
    return bool(_SAID[lang].search(_TRUSTED[lang].sub("", quote)))


def _may_be_of(fact: Fact, quote: str, pronoun: str = "") -> bool:
    """Whether words that do not name anybody may be about the one whom the fact is about: they name nobody else."""
    content, plain = fact.content.casefold(), _DOCTORS.sub("", quote)
    others = [each[0] for each in _OTHERS[fact.lang].finditer(plain)]
    names = _NAMES.findall(plain) if fact.lang == "en" else []
    if any(not re.search(rf"\b{re.escape(each.casefold())}(?![a-z])", content) for each in names):
        return False
    if any(each.casefold() not in content for each in others):
        return False
    if pronoun and pronoun not in _NOBODY:
        opposite, same = (_WOMEN, _MEN) if pronoun in _HE else (_MEN, _WOMEN)
        return not opposite.search(content) or bool(same.search(content))
    rest = _MISTAKEN.sub("", plain)
    if fact.subject == USER and not _OTHERS[fact.lang].search(fact.content):
        return not others and not names and not _THIRD.search(rest)
    return bool(others or names) or not _MINE.search(rest)


def _bare(what: str) -> str:
    return re.sub(r"^(?:an?|the|my|any) ", "", what, flags=re.IGNORECASE)


def _is_exchanged(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact tells that the same one takes the medicine that was exchanged for another."""
    what, quote = _bare(named["what"]).casefold(), _quote(claim)
    if fact.attribute != "medication" or not what:
        return False
    if not re.search(rf"(?<![a-z]){re.escape(what)}(?![a-z])", fact.value.casefold()):
        return False
    if not (_is_medicine(what, fact.lang) and _is_medicine(named["to"], fact.lang)):
        return False
    plain = _DOCTORS.sub("", quote)
    others = _OTHERS[fact.lang].findall(plain)
    if fact.subject == USER:
        before = plain.casefold().partition(what)[0]
        mine = _MINE.search(plain) if fact.lang == "en" else _MY_MEDICINE.fullmatch(before)
        return mine is not None and not others and _may_be_of(fact, quote)
    return (bool(others) or fact.subject in quote) and _may_be_of(fact, quote)


def _is_medicine(what: str, lang: str) -> bool:
    """Whether the rules know it for a medicine."""
    said = f"I take {what.casefold()}" if lang == "en" else f"我吃{what}"
    return any(rule.data["attribute"] == "medication" for rule in rules.load(lang)["claim"].firing(said))


def _is_coming(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact tells that the one who is named comes on a day that was still ahead, and no other day is spoken
    of."""
    when, other, who = fact.event_time, claim.event_time, _bare(named["what"])
    if when is None or when.end <= claim.said_at[:10] or not who:
        return False
    if (other is None and _DAY.search(_quote(claim))) or (
        other is not None and not (other.start < when.end and when.start < other.end)
    ):
        return False
    name = rf"\b{re.escape(who)}\b(?!')" if fact.lang == "en" else rf"{re.escape(who)}(?!的)"
    found = re.search(name, fact.content)
    return found is not None and bool(_COMES[fact.lang].search(fact.content, found.end()))


def _is_numbered(named: dict[str, str], fact: Fact, _: Claim | Fact) -> bool:
    """Whether the fact gives the wrong number of years of the one who is named."""
    return _renumbered(fact, named) != fact.content


def _renumbered(fact: Fact, named: dict[str, str]) -> str:
    """What the fact tells, with the right number of years where it gives the wrong one, of that name and only there."""
    who, told = named["who"], fact.content
    places = list(re.finditer(_COUNTED[fact.lang].format(number=re.escape(named["what"])), told))
    name = re.search(rf"\b{re.escape(who)}\b" if fact.lang == "en" else re.escape(who), told) if who else None
    if name is None or len(places) != 1 or who.casefold() in _FIRST | _HE | _SHE | _NOBODY | _MANY:
        return told
    first, last = places[0].span()
    if first < name.end() or _BETWEEN[fact.lang].search(told[name.end() : first]):
        return told
    return _ARTICLE.sub("an" if _VOWEL.match(named["to"]) else "a", told[:first]) + named["to"] + told[last:]


def _revalued(fact: Fact, named: dict[str, str]) -> str:
    """The value of the fact with the right number of years."""
    if fact.value == named["what"]:
        return named["to"]
    pattern = _COUNTED[fact.lang].format(number=re.escape(named["what"]))
    return re.sub(pattern, named["to"], fact.value, count=1)


_FITS: dict[str, Fits] = {
    DENIED: _is_denied,
    EXCHANGED: _is_exchanged,
    STAYS_AWAY: _is_coming,
    RECOUNTED: _is_numbered,
}
CUES = frozenset(_FITS)
