"""Sentences that lean on the one before: alone nobody knows who "he" is, what "it" was or which "those" are."""

from __future__ import annotations

import re

_OPENS = {
    "en": re.compile(
        r"(?:(?:and|but|so|also|plus|then|or|even|just|yes|yeah|well|i think|i guess|i hope|i know|actually),? )*"
        r"(?:it|it's|its|it'll|it'd|that|that's|they|they're|they've|they'll|their|them|he|he's|his|him|she|she's|her"
        r"|this|these|those|there|which|because|cause|especially|such as)\b(?! way)",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?:而且|但是?|所以|不过|然后|并且|我觉得|我想|就是)?[，,]?"
        r"(?:它|他们?|她们?|这(?:个|些|里|样|种|是|真|也|让|次)?|那(?:个|些|里|样|种|是|天|次|边|儿)?|其|因为|所以|特别是|尤其|比如|例如|并且)"
        r"(?![天周年月晚们])"
        r"|(?:就是|只是|美中不足)(?!我|说)"
    ),
}
_NAMES = r"an?|the|my|our|your|his|her|their|some|any|every|no"  # words before a noun, which "it" may mean then
_TIMES = "week|weekend|month|year|morning|afternoon|evening|time|summer|winter|spring|fall|autumn|season|semester|term"
_DAYS = "days|weeks|months|past|last|coming|next|first"
_NOT_NAMED = rf"(?:(?!\b(?:{_NAMES})\b|(?-i:\b[A-HJ-Z][a-z])).){{0,60}}?\b"
_INSIDE = {
    "en": re.compile(
        rf"(?:(?!\b(?:{_NAMES}|of|to)\b|(?-i:\b[A-HJ-Z][a-z])).){{0,60}}?\b"
        r"(?:it|them|him|her|one|there|that one|this one)\b(?! (?:is|was) (?:an?|the)\b| (?:to|that)\b)"
        rf"|{_NOT_NAMED}(?:this (?!{_TIMES})[a-z]+|(?:these|those) (?!{_DAYS})[a-z]+"
        r"|that (?:kind|sort|way|stuff|place|moment)\b)",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?:我|也|都|还|就|又|很|真|最|觉得|认为|喜欢|给|把|对|在|去|想|会|要|挺|非常|特别|，){1,6}"
        r"(?:它|他|她|那里|那儿|那边|这里|[这那](?:种|部|样|本|首|款|家|位|件|座|些|个(?!月|星期|周|学期|暑|寒)))"
    ),
}


def leans(words: str, lang: str) -> bool:
    """Whether the words speak of something that only what was said before them names."""
    return bool(_OPENS[lang].match(words) or _INSIDE[lang].match(words))
