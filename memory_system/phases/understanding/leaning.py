"""Sentences that lean on the one before: alone nobody knows who "he" is, what "it" was or which "those" are."""

from __future__ import annotations

import re
from functools import cache

from memory_system.rules.words import is_word

_LINKED = (  # to a clause that was said before: "therefore", "if not", "the other one"
    r"(?:(?:and|but|so|well|yeah),? )*(?:therefore|consequently|as a result|otherwise|if (?:not|so)(?=,)|instead(?! of)"
    r"|(?:other than|apart from|aside from|except for|after|before|until|besides|despite) (?:that|this)"
    r"(?=,| i\b| it\b| we\b| he\b| she\b)"
    r"|since then|by then|in that case|in return|in turn|(?:then again|even so|that (?:being )?said)(?=,)"
    r"|(?:the )?same (?:goes|thing|for|with)|another (?:one|thing|reason|way|example|option)"
    r"|(?:some|one|both|most|all|each|none) of them|both (?:are|were|have|had|seem|look)|each (?:one|has|had|is|was)"
    r"|the (?:other|first|second|last|third) (?:ones?|two)|the (?:other|first|second|last|third|latter|former|rest)"
    r"(?= (?:is|was|are|were|has|had|will|would|i|of them)\b))\b"
)
_OPENS = {
    "en": (
        r"(?:(?:and|but|so|also|plus|then|or|even|just|yes|yeah|well|i think|i guess|i hope|i know|actually),? )*"
        r"(?:it|it's|its|it'll|it'd|that|that's|they|they're|they've|they'll|their|them|he|he's|his|him|she|she's|her"
        r"|this|these|those|there|which|because|cause|especially|such as)\b(?! way)"
        rf"|{_LINKED}"
    ),
    "zh": (
        r"(?:而且|但是?|所以|不过|然后|并且|我觉得|我想|就是)?[，,]?"
        r"(?:它|他们?|她们?|这(?!次[去来到在跟和参]|次[^，。我你他它]{1,6}(?:之旅|旅行|课|考试|活动|聚会|展览|演出|比赛|培训)|[款台部家]?[\u4e00-\u9fff]{0,2}[A-Za-z]|[^，。我你他她它这那是的了]{5,14}我)(?:个|些|里|样|种|是|真|也|让|次)?|那(?:个|些|里|样|种|是|天|次|边|儿)?|其|因为|所以|特别是|尤其|比如|例如|并且)"
        r"(?![天周年月晚们])"
        r"|(?:就是|只是|美中不足)(?!我|说)"
    ),
}
_NAMES = r"an?|the|my|our|your|his|her|their|some|any|every|no"  # words before a noun, which "it" may mean then
PERIODS = "week|weekend|month|year|morning|afternoon|evening|time|summer|winter|spring|fall|autumn|season|semester|term"
_DAYS = "days|weeks|months|past|last|coming|next|first"
_NOT_NAMED = rf"(?:(?!\b(?:{_NAMES})\b|(?-i:\b[A-HJ-Z][a-z])).){{0,60}}?\b"
_INSIDE = {
    "en": (
        rf"(?:(?!\b(?:{_NAMES}|of|to)\b|(?-i:\b[A-HJ-Z][a-z])).){{0,60}}?\b"
        r"(?:it|them|him|her|one|there|that one|this one)\b(?! (?:is|was) (?:an?|the)\b| (?:to|that)\b)"
        rf"|{_NOT_NAMED}(?:this (?!{PERIODS})[a-z]+|(?:these|those) (?!{_DAYS})[a-z]+"
        r"|that (?:kind|sort|way|stuff|place|moment)\b)"
    ),
    "zh": (
        r"(?:我|也|都|还|就|又|很|真|最|觉得|认为|喜欢|给|把|对|在|去|想|会|要|挺|非常|特别|，){1,6}"
        r"(?:它|他|她|那里|那儿|那边|这里|[这那](?:种|部|样|本|首|款|家|位|件|座|些|个(?!月|星期|周|学期|暑|寒)))"
    ),
}

_CLAUSE = re.compile(r"[^,.;:!?，。；：！？\n]*")
_MOST_BARE = {"en": 60, "zh": 24}  # characters of an answer that is no sentence
_SENTENCE = re.compile(r"[^.!?。！？\n]*")
_LEAST_ALONE = 24  # characters of a Chinese sentence that may well stand alone
_ELLIPTIC = {  # begins with when, where or with whom
    "en": (
        r"(?:(?:yes|yeah|yep|yup|no|mostly|usually|normally|probably|just|only|about|around|maybe),? )*"
        r"(?:at|in|on|from|to|by|with|for|near|next to|every|once|twice|since|until|till|half|from|between"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:this|next|last) [a-z]+|the \d+|\d+)\b"
    ),
    "zh": (
        r"(?:对|嗯|是的|大概|大约|一般|差不多|就)?[，,]?(?:在|每|坐|骑|住|定在|约在|从|到|跟|和|用|周|下周|上周|明[天早晚]|后天|今[天晚]"
        r"|(?:[早晚]上|[上下中]午|凌晨|傍晚|夜里)?[\d一二两三四五六七八九十半]+[点号月年天周个分小]"
        r"|[\d一二两三四五六七八九十百千万半.]+(?:多|来)?(?:块|元|刀|岁|斤|公斤|公里|次|遍|页|平|人|%|万|千|百)(?:多)?(?:左右|上下|吧|了|$))"
    ),
}
_HOW_IT_IS = {  # begins with how somebody or something is
    "en": (
        r"(?:(?:yes|yeah|oh|well|still|now|so),? )*(?:(?:much|so much|a (?:bit|lot|little)|way|slowly|getting) )?"
        r"(?:better|worse|fine|not (?:too|so) (?:bad|good|great)|sore|all healed|the same)\s*(?:[,.;!–—]|$)"
    ),
    "zh": (
        "(?:现在|已经|还是|比之前)*(?:好多了|好些了|好一点了|好点了|不太好|更差了|更严重了|老样子|没事了"
        "|恢复得(?:不错|很好|差不多))(?:[，,。；;！!]|$)"
    ),
}
_STATES = {
    "en": r"\b(?:i|we|he|she|they|it|you|there|this|that|who|which|what|everyone|i'm|it's|we're)\b|'s \w+ing",
    "zh": "[我你他她它谁]|这|那|是|有|了",
}
_STATES_BARE = {
    "en": _STATES["en"],
    "zh": "[我你您他她它谁咱]|^(?:那|这|听|谢|好|哈|嗯|哦|对|是的|不是|没问题|当然|确实)",
}


def is_elliptic(words: str, lang: str) -> bool:
    """Whether the words begin with a bare time, place, company or state, as an answer does: "Tuesdays and Saturdays",
    "better, thanks"."""
    if _made(_HOW_IT_IS[lang]).match(words):
        return True
    sentence = _SENTENCE.match(words)
    first = sentence[0] if sentence else words
    if not _made(_ELLIPTIC[lang]).match(first) or _made(_STATES[lang]).search(first):
        return False
    if lang == "zh":
        return len(first) <= _LEAST_ALONE
    return not any(is_word("finite", each) for each in first.lower().split())


def is_bare(words: str, lang: str) -> bool:
    """Whether the words begin with a clause that has neither subject nor, in English, a verb: "noodles, mostly"."""
    clause = _CLAUSE.match(words)
    first = clause[0] if clause else ""
    if not first or len(words) > _MOST_BARE[lang] or _made(_STATES_BARE[lang]).search(first):
        return False
    return lang == "zh" or not any(is_word("finite", each) for each in first.lower().split())


def leans(words: str, lang: str) -> bool:
    """Whether the words speak of something that only what was said before them names."""
    return bool(_made(_OPENS[lang]).match(words) or _made(_INSIDE[lang]).match(words))


@cache  # where a language is first met: a run with nothing new starts sooner
def _made(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
