"""Questions as a reply's other half: which of them say what a reply is about, and what they ask for."""

from __future__ import annotations

import re
from functools import cache

from memory_system import rules, text
from memory_system.phases.understanding.essays import width
from memory_system.phases.understanding.hanging import hangs
from memory_system.phases.understanding.leaning import is_bare, is_elliptic, leans
from memory_system.phases.understanding.pronouns import begins_with
from memory_system.privacy import trust
from memory_system.rules.words import idle
from memory_system.store.gist import stem
from memory_system.turns import Segment, Turn

_LONGEST = 90  # columns of a question that is told beside its answer
_LONGEST_REQUEST = 180  # of what an assistant was asked for at length
_SHORT_REPLY = 120  # columns above which a reply says by itself what it is about
_COLUMNS = 5  # of an English word, with the blank behind it
_LEAST_TOPIC = 3  # which what was said must have to be what a talk is about
_NO_TOPIC = ("common", "vague")  # lists of words that tell no topic
_LEAST_ANSWERED = {"en": 2, "zh": 1}  # words of what a question asks that is answered without a subject
_LEAST = 2  # words that not every sentence has, which a question must have before any that leans on something
_OPENS = re.compile(
    r"(?:(?:and|so|but|oh|well|ok|please),? )*(?:what|how|why|when|where|who|which|do|does|did|is|are|was|were|have|has"
    r"|can|could|would|will|any)(?:'s)? (?!up\b|new\b|been\b)",
    re.IGNORECASE,
)
_AS_SAID = re.compile(  # asks by the voice alone: "So the fair is in Ghent?"
    r"(?:(?:and|so|but|oh|well|ok),? )*(?:the|your|(?-i:[A-Z][\w'-]+))(?: [\w'-]+){0,4}?"
    r"(?:'s| is| are| was| were| will)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",? (?:right|correct|yeah|yes|no|huh|eh|[a-z]+n't (?:it|they|he|she|you))\?$",
    re.IGNORECASE,
)
_LEANING = {
    "en": re.compile(
        r"\b(?:it|its|it's|they|them|their|they're|he|she|him|her|his|there|that|that's|this|these|those|one|ones|else"
        r"|other|another|again|same|either|what about|how about)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("[它他她其]|这|那|呢[？?]?$|还有|别的|其他|同样|除此|另外"),
}
_DEMONSTRATIVE = ("that", "this", "these", "those")
_NOUN_BEHIND = re.compile(r" (?![a-z]+(?:ly|ed|ing)\b)([a-z]{4,})\b")
_SUBJECT = {
    "en": re.compile(
        r"(?:(?:on|in|at|last|this|next|yesterday|today|lately|recently|currently|right now)\b[^.!?]{0,40}?,? "
        r"|(?:since|for|when|after)\b[^.!?,]{0,60}, )?"
        r"(?:i|i'm|i've|i'd|i'll|we|we're|we've|my|our|a friend|mom|dad|(?-i:[A-Z][a-z]+) (?:is|was))\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("[^，。]{0,8}(?:我|咱)|.{0,6}《"),
}
_SAYS_ITSELF = re.compile(
    r"(?:(?:and|but|so|yeah|yes|well|i think|i guess),? )*"
    r"(?:one of|there(?:'s| is| are| was| were)?\b|if\b|as for|when it comes"
    r"|(?:it|that)(?:'s| is| was) (?:\w+ ){1,2}(?:to|that|how|when|what|if)\b)"
    r"|.*[a-z,] (?-i:[A-Z][a-z])",
    re.IGNORECASE,
)
_NEXT_POINT = {
    "en": re.compile(
        r"\W*(?:first|second|third|last|final)(?:ly)?\b|\W*(?:also|in addition|additionally|furthermore|moreover"
        r"|for example|for instance|then|next|another)\b|[*_#\d-]|[^,.!?]{1,30}: ",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"\W*(?:首先|其次|再次|最后|此外|另外|同时|然后|接着|比如|例如|第[一二三四五六])|[*#\d（(①-⑨-]|[^，。！？]{1,14}[：:]|[^，。]{1,4}则"
    ),
}
_OFFER = {  # asks what the one who asks may do
    "en": re.compile(r"\b(?:want|like|need) me to\b|\b(?:shall|should|can|may) i\b", re.IGNORECASE),
    "zh": re.compile("(?:需要|要不要|想不想|是否要|想)[我让]|[要让]我|我(?:能|可以|帮|来)|帮[你您]"),
}
_ABOUT_THEM = {  # asks what only the other can tell
    "en": re.compile(
        r"\b(?:what|which|who|how (?:many|much|old|long|often|far)|when|where)\b.*\b(?:you|your)\b", re.IGNORECASE
    ),
    "zh": re.compile(
        "[你您].*(?:什么|啥|哪|谁|几|多[少大久长高远]|吗[？?]?$)|(?:什么|啥|哪|谁|几|多[少大久长高远]).*[你您]"
    ),
}
_PICKS = re.compile("(?:我们?|咱们?)(?:一般|通常|平时|平常|大概|差不多|都|只|就|会|多半|经常|常)(?!.*(?:喜欢|爱|《))")
_WHAT = re.compile("[你您][^，。]*(?:什么|啥|哪|几|多[少久长]|怎么?样?)")
_WANTED = re.compile(
    r"\b(?:would|want|wish|like|love|enjoy|prefer|plan|hope|favou?rite|best|part|kind|type|idea|tips?|advice|suggest)",
    re.IGNORECASE,
)
_REST = re.compile(
    r"(?:since|because)\b"
    r"|(?:either|about|around|for|at|in|on|from|to|by|with|mostly|usually|mainly|only|every|once|twice|\d+)\b"
    r"(?! (?:i|my|we|it|me|that|this)\b)"
)
_WISH = re.compile(
    r"\b(?:can|could|would|will) you\b|\b(?:please|help|explain|show|tell|understand|figure|provide|suggest|need|want"
    r"|make|sure|wondering)\b|(?:请|帮|能不能|可以|麻烦|怎么|如何|什么|具体)+",
    re.IGNORECASE,
)
_REQUEST = {
    "en": re.compile(
        r"\W*(?:(?:so|and|but|then|ok|please),? )*(?:(?:can|could|would|will) you|please|help me)\b", re.IGNORECASE
    ),
    "zh": re.compile("请|帮我|帮忙|给我|能不能|麻烦"),
}
_WORD = re.compile(r"[a-z]{3,}")
_LONG_WORD = re.compile(r"[a-z]{4,}")


def tells_the_topic(asked: str, *, at_length: bool = False, least: int = _LEAST) -> bool:
    """Whether the question is one, short, and names what it asks about before it leans on anything, in `least` words.
    `at_length` lets a longer one pass, and a request."""
    plain = _TAG.sub("?", text.straight(asked))
    lang = text.language(plain)
    if width(plain) > (_LONGEST_REQUEST if at_length else _LONGEST) or not (at_length or plain.endswith(("?", "？"))):
        return False
    if lang == "en" and not (at_length or _OPENS.match(plain) or _AS_SAID.match(plain)):
        return False
    before = plain[: _where_it_leans(plain, lang)]
    named = names_enough(_WISH.sub("", before), lang, least)
    return named and not trust.suspects(plain, owner=False)


def _where_it_leans(plain: str, lang: str) -> int | None:
    """Where the question leans on something; "that figure" is a figure, whichever."""
    for found in _LEANING[lang].finditer(plain):
        noun = _NOUN_BEHIND.match(plain, found.end()) if found[0].lower() in _DEMONSTRATIVE else None
        if noun is None or noun[1] in idle("en", *_NO_TOPIC):
            return found.start()
    return None


def is_request(words: str, lang: str) -> bool:
    """Whether somebody is asked to do something: what for, is mostly said right before."""
    return _REQUEST[lang].match(words) is not None if lang == "en" else _REQUEST[lang].search(words) is not None


def tells_of(reply: str, asked: str, lang: str, *, first_hand: bool) -> bool:
    """Whether the question tells what a reply is about that needs it: one that is no sentence by itself has enough of
    less."""
    if not first_hand or is_elliptic(reply, lang):
        return tells_the_topic(asked, least=1 if first_hand else _LEAST)
    bare = _answers_barely(reply, asked, lang)
    about_one = bare and _near().search(asked.lower())  # "what does your husband do?" names enough
    return tells_the_topic(asked, least=1 if about_one else _LEAST_ANSWERED[lang] if bare else _LEAST)


def _answers_barely(reply: str, asked: str, lang: str) -> bool:
    """Whether the reply has no subject, and only the one who replies can tell what the question asks for."""
    asks = _ABOUT_THEM[lang].search(asked) and not (_OFFER[lang].search(asked) or _LEANING[lang].search(asked))
    return bool(asks) and is_bare(reply, lang)


def is_needed(reply: str, asked: str, lang: str, *, first_hand: bool) -> bool:
    """Whether the reply leans on the question: it takes it up, and speaks of what it does not name, or (a person's)
    does not say of whom; or it is no sentence by itself."""
    barely = is_elliptic(reply, lang) or _answers_barely(reply, asked, lang)
    if first_hand and barely and not _OFFER[lang].search(asked):
        return True
    if width(reply) > _SHORT_REPLY:
        return False
    if first_hand and lang == "en" and hangs(reply, lang) and not hangs(asked, lang):
        return True
    if not takes_up(reply, asked, lang):
        return False
    return leans(reply, lang) or (first_hand and (not _SUBJECT[lang].match(reply) or _picks(reply, asked, lang)))


def _picks(reply: str, asked: str, lang: str) -> bool:
    """Whether a Chinese reply only says what was asked for: 我一般配点黄瓜, of what one eats with noodles."""
    return lang == "zh" and bool(_PICKS.match(reply) and _WHAT.search(asked)) and not _OFFER[lang].search(asked)


def told_beside(turn: Turn, reply: str, lang: str) -> str:
    """What must be told beside the words that a person's message begins with: the question where they need it, else
    what the talk was about where they lean on it; empty where they say it all."""
    first_hand = turn.message.is_first_hand
    asked = turn.asked
    needed = asked and is_needed(reply, asked, lang, first_hand=first_hand)
    if needed and tells_of(reply, asked, lang, first_hand=first_hand):
        return asked
    if not (first_hand and turn.topic and turn.message.role != "note"):
        return ""
    answers = bool(turn.asked) and is_elliptic(reply, lang)
    return turn.topic if answers or _is_own(turn, reply, lang) or _speaks_of(reply, turn.topic, lang) else ""


def _is_own(turn: Turn, reply: str, lang: str) -> bool:
    """Whether the words hang on what the same one has just said; who "he" is may be any of several there."""
    if not turn.own_topic or width(reply) > _SHORT_REPLY or begins_with(reply, lang):
        return False
    return lang == "en" and hangs(reply, lang)


def _speaks_of(reply: str, topic: str, lang: str) -> bool:
    """Whether the reply leans on the topic: in English only if it takes a word of it up, for "it" may be anything, or
    speaks of him or her where the topic has one such."""
    if width(reply) > _SHORT_REPLY or not leans(reply, lang):
        return False
    if lang == "zh" or (begins_with(reply, lang) and len(set(_near().findall(topic.lower()))) == 1):
        return True
    return not _SAYS_ITSELF.match(reply) and takes_up(reply, topic, lang)


@cache
def _near() -> re.Pattern[str]:
    """Somebody near to whoever speaks: "my sister", "our cat"."""
    return re.compile(rf"\b(?:my|our|your) (?:[a-z]+ )?(?:{rules.table('en', 'parts')['kin_word']})\b")


def goes_on(turn: Turn, segment: Segment, lang: str) -> bool:
    """Whether a sentence inside an answer only goes on with what the answer began: the next point of a list, or one
    that leans or hangs."""
    words = turn.text_of(segment)
    inside = bool(turn.message.text[: segment.start].strip())
    if not inside:
        return False
    hanging = lang == "zh" and hangs(words, lang)  # 可以把它当作周末的游戏
    return hanging or _NEXT_POINT[lang].match(words) is not None or leans(words, lang)


def can_be_topic(words: str, lang: str) -> bool:
    """Whether the words say what a talk is about: they lean on nothing, are short, and name enough."""
    if width(words) > _LONGEST or _LEANING[lang].search(text.straight(words)):
        return False
    return names_enough(words, lang, _LEAST_TOPIC) and not trust.suspects(words, owner=False)


def takes_up(reply: str, asked: str, lang: str) -> bool:
    """Whether the reply has a word of the question, or begins like the rest of a sentence: "since I was ten"."""
    if lang == "zh":
        return len((set(reply) & set(asked)) - idle(lang, *_NO_TOPIC)) > 1
    plain = reply.lower()
    if _REST.match(plain) or (asks_what_is_wanted(asked) and plain.partition(" ")[0].endswith("ing")):
        return True
    return not _stems(plain).isdisjoint(_stems(asked.lower()))


def names_of(reply: str, asked: str, lang: str) -> bool:
    """Whether the reply has a word of the question that is no mere link: "and", "the" and "you" are in every one."""
    if lang == "zh":
        return takes_up(reply, asked, lang)
    return not {stem(each) for each in _own_words(reply)}.isdisjoint(stem(each) for each in _own_words(asked))


def _own_words(words: str) -> set[str]:
    return set(_LONG_WORD.findall(words.lower())) - idle("en", *_NO_TOPIC)


def cost_of(asked: str) -> int:
    """About how many tokens the question adds to its answer."""
    return width(asked) // (_COLUMNS if asked.isascii() else 4)


def _stems(words: str) -> set[str]:
    return {stem(each) for each in set(_WORD.findall(words)) - idle("en", *_NO_TOPIC)}


def asks_what_is_wanted(asked: str) -> bool:
    """Whether the question asks what somebody would like or advise, and not what they are doing."""
    return bool(asked and _WANTED.search(asked))


def names_enough(words: str, lang: str, least: int = _LEAST) -> bool:
    """Whether the words have so many that not every sentence has."""
    if lang == "zh":
        return len({*words} - idle(lang, *_NO_TOPIC)) >= 2 * least
    return len({*_WORD.findall(words.lower())} - idle(lang, *_NO_TOPIC)) >= least
