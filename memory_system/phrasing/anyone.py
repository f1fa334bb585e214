"""Where "you" is anyone: "a good story lifts your mood" says nothing of the one who listens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_system.rules.words import is_word

_OWN = r"\b(?:i|i'm|i've|i'd|i'll|me|my|we|us|our|myself)\b"
_THINGS_YOU = (  # "a game where you build", "a story that keeps you guessing"
    r"^in (?:the|this|that) (?:game|simulation|challenge),? you\b"
    r"|\b(?:games?|sports?|apps?|puzzles?|shows?|movies?|films?|books?|stor(?:y|ies)|places?|spots?|caf[eé]s?|restaurants?"
    r"|shops?|stores?|cities|towns?|dish(?:es)?|recipes?|class(?:es)?|gameplay|plot|music)(?: called [\w ]{2,30})?"
    r"(?:,? (?:where|in which) you|,? (?:that|which) (?:(?:really|always|just) )?"
    r"(?:keeps?|kept|makes?|made|lets?|gets?|gives?|leaves?|takes?|teaches|helps?|pulls?|draws?) you)(?!r)\b"
)
_YOUR_HEART = (  # "can spark your imagination", "tugs at your heartstrings"
    r"(?<!\bi )(?<!\bwe )(?<!\byou )"
    r"\b(?:can|could|will|to|really|tugs?|sparks?|lifts?|blows?|warms?|broadens?|boosts?|clears?|opens?) (?:\w+ ){0,3}?"
    r"your (?:imagination|heart|heartstrings|mind|mood|spirits?|soul|horizons|senses|perspective)\b"
)
_HARD_WHEN_YOU = (  # "it's hard to sing when you have a cold", "games are fun when you are with friends"
    r"(?:^|[.!?,] )(?:(?:and|but|so|because|since|'?cause) )?"
    r"(?:(?:it's|it is|it can be)(?= (?:(?:so|very|really|always|pretty|just) )*"
    r"(?:hard|tough|difficult|easy|easier|harder|impossible|scary|rough|exhausting|rewarding|never)\b)"
    rf"|(?!(?:that|it|this|he|she|you|your|they)\b)(?:(?!{_OWN}|\byour?\b)[\w'-]+ ){{1,5}}?"
    r"(?:is|are|can be|get|gets|feel|feels)"
    r"(?! (?:(?:so|very|really|always) )*(?:cool|sweet|cute)\b))"
    rf" (?:(?!{_OWN}|\byour?\b|\b(?:hear|see|know|meet|catch|talk)\b)[\w'-]+ ){{1,8}}?"
    r"(?:when|if|whenever|unless|once|until) you"
    r"(?!r|'d|'ve| (?:said|told|were|had|did|got|came|went|mentioned|want me|need me|ever need|have any))\b"
)
_GOOD_TO = (  # "it's always good to switch up your look"
    r"\bit(?:'s| is| can be) (?:always|never|usually|often|sometimes) (?:an? )?(?:\w+ ){0,2}?(?:to|when)\b"
    rf"(?:(?!{_OWN}|\b(?:hear|see|know|meet|catch|talk|have)\b)[\w' -])*?\byou(?:r|rself)?\b"
)
_MESSAGE = (  # "its message about following your dreams"
    r"\b(?:message|lesson|moral|idea|theme|importance|power|value|joy|art)s? (?:about|of|is|was) "
    rf"(?:(?!{_OWN})[^.!?;])*?\byour(?:self)?\b"
)
_UNLESS_YOU = (  # "such games, unless you have nerves of steel, are bad for you"
    rf"(?:^|[.!?,] )(?:(?!{_OWN}|\byour?\b)[\w'-]+ ){{1,6}}?unless you (?:have|are|know|like|want)\b"
)
_SHAPE = (  # "I love how you can shape the world with your choices"
    r"\b(?:love|like|enjoy|loved|liked|enjoyed) (?:how|that) you can\b"
)
_GOOD_FOR_YOU = (  # "foods that aren't good for you"
    r"(?:\bnot|n't)(?: (?:so|really|very|too))* (?:good|bad|healthy) for you\b"
    r"|\bthey(?:'re|re| are) (?:(?:so|really|way|much) )?(?:better|good|great|bad|healthy|healthier) for you\b"
)
_BACKS_YOU = (  # people who back you
    r"^(?:(?:having|finding|being around|being with)|it(?:'s| is) [\w ]{1,30}?(?:to have|having))\b[\w ]{0,20}?"
    r"\b(?:people|someone|somebody|those|others|friends)(?: around)? (?:who|that) (?:\w+ )?\w+ you\b"
)
_TELLS = r"\byou can (?:(?:just|really|always|only|easily|still) )?(?:tell|hear|feel|smell) (?:how|that|the|it)\b"
_PATTERN = "|".join(
    (
        _THINGS_YOU,
        _YOUR_HEART,
        _HARD_WHEN_YOU,
        _GOOD_TO,
        _MESSAGE,
        _UNLESS_YOU,
        _SHAPE,
        _GOOD_FOR_YOU,
        _BACKS_YOU,
        _TELLS,
    )
)
_OF_ANYONE = re.compile(_PATTERN, re.IGNORECASE)
_DOING = re.compile(  # "loving what you do is rewarding" is said of anyone, "seeing you row is great" is not
    r"^(?!(?:see|hear|watch|read|know|talk|meet|gett|hav|be|look|send|wish|help|giv|support|spend|catch|miss|mak|lett|show)ing\b)"
    rf"[a-z]{{3,}}ing\b(?!,? (?:i|we)\b)(?:(?!{_OWN})[^.;:!?])*"
    r"(?:\byourself\b|\b(?:when|if|what|how|as|that) you\b)",
    re.IGNORECASE,
)
_WHEN_THEY_DID = re.compile(r"\b(?:where|in which|when|if|whenever|unless|once|until) you$", re.IGNORECASE)
_WORD = re.compile(r"\s*([\w']+)")
_END = re.compile(r"[.!?;](?=\s|$)")


def of_anyone(words: str) -> Iterator[tuple[int, int]]:
    """The stretches in which "you" and "your" are anyone's, each to the end of its sentence."""
    if _DOING.match(words):
        yield 0, len(words)
    for found in _OF_ANYONE.finditer(words):
        if _WHEN_THEY_DID.search(found[0]) and _is_past(words[found.end() :]):
            continue  # "the show where you sang"
        end = _END.search(words, found.end())
        yield found.start(), end.start() if end else len(words)


def _is_past(words: str) -> bool:
    """Whether what follows "you" tells of what one person did."""
    verb = _WORD.match(words)
    return verb is not None and (is_word("past", verb[1].lower()) or verb[1].endswith("ed"))
