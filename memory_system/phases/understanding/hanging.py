"""Words that hang in the air: alone nobody knows who "he" is, what "it" was or which "those" are. What hangs may be
left out, so only what is sure counts: a pronoun before which nothing stands that it could mean.
"""

from __future__ import annotations

import re
from functools import cache

from memory_system import rules, text
from memory_system.rules.words import idle, is_word, words_of

_TIMES = (
    r"(?:(?:past|last|coming|next|first|very|whole) )?(?:week|weekend|month|year|morning|afternoon|evening|night|time"
    r"|summer|winter|spring|fall|autumn|season|semester|term|day|point|moment|holiday|quarter|christmas)s?\b"
)
_LIKE_A = (  # "this new book called …" is news of a book
    r"(?:really|new|great|cool|huge|super|amazing|big|awesome|funny|weird|little|cute|one|other)\b"
    r"|(?:[a-z]+ ){1,3}(?:called|named|by|i|we|that|which)\b"
)
_IS = re.compile(
    r"(?:'s|'ll|'d| is| was| has| had| will| would| can| could| should| must| makes?| made| means?| meant| sounds?"
    r"| looks?| helps?| helped| really| also| took| takes| gives?| gave| shows?| got| gets)(?![\w'])",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:[.,!?;)—–]|$| (?:and|but|so|because|too|one)\b)", re.IGNORECASE)
_NAMED_SO = {  # what makes "this" or "those" mean something by themselves
    "this": re.compile(rf" (?!{_TIMES}|is\b|was\b|will\b|has\b|had\b|{_LIKE_A})[a-z]+", re.IGNORECASE),
    "those": re.compile(rf" (?!{_TIMES}|(?:who|that|of|in|with|close|around|i|we|are|were)\b)[a-z]+", re.IGNORECASE),
}
_THAT = " (?:{thing})s?\\b(?! (?:i|i've|we|you|he|she|they|it|that|which|who|is|was|can|will|of|to|has)\\b)"
_COUNTED = re.compile(
    r" (?:of|who|that|thing|day|time|person|hour|week|month|year|more|hundred|i|we|where|with)\b", re.IGNORECASE
)
_ONE_ENDS = re.compile(r"\s*(?:[.,!?;]|$)| (?:with|for|from|too|yet|soon|myself)\b", re.IGNORECASE)
_ZH_THING = "它们?|[他她]们?|[这那](?:{measure}|是|也|真|让|就|都|听起来|确实|很|太|么多)|其(?!他|它|实|次|中|余|间|乐)"
_LAST_WORD = re.compile(r"[\w']+$")
_GATE = {  # without one of these nothing hangs
    "en": re.compile(r"\b(?:[Ii]ts?|[Tt]h(?:ey|em|eirs?|is|at|ose|ese|ere)|[Hh](?:e|ers?|im|is)|[Ss]he|[Oo]nes?)\b"),
    "zh": re.compile("[它他她这那其]"),
}
_THERE_IS = re.compile(
    r"'| (?:is|are|was|were|has|have|had|will|would|can|could|might|must|may|should|seems?|goes|comes|came)\b",
    re.IGNORECASE,
)
_DOING = re.compile(r"\b[a-z]{2,}ing\b")  # "working up there": no place
_CLAUSE = re.compile(
    r"[.!?;:,–—()\"\n]+|- |\b(?:and|but|or|so|because|since|when|while|if|which|who|where|after|before|until|than"
    r"|though|although|to|as|cause)\b"
)
_NAMED = {
    "en": re.compile(
        r"(?<=[a-z,'-] )(?!I\b|I')[A-Z][a-z]+|\b[A-Z][a-z]+ [A-Z][a-z]+|^[A-Z][a-z]+(?:'s| is| was| and)\b"
    ),
    "zh": re.compile(  # 王小明她…, 给小林打了电话，她…, 一家餐厅…他们
        r"(?:^|[，。])[^\W我你您咱想让给叫还也就又]{2,3}(?<![想让给叫对把被])$|(?:店|餐厅|公司|馆)|[给跟和对向][\u4e00-\u9fff]{2,3}(?:打|说|聊|讲|提)"
    ),
}
_SENTENCE_END = re.compile(r"[.!?]+\s+|[。！？]+\s*")
_LEAST = {"en": 24, "zh": 6}  # characters of what is told alone
_WORD = re.compile(r"[A-Za-z][\w'-]*")
_LONG_WORD = re.compile(r"[a-z]{4,}")
_MOST_OWN = {"en": 5, "zh": 16}  # words, Chinese characters, that not every sentence has
_TELLING = {  # a number, a name, or what is denied: it may take something back
    "en": re.compile(r"\d|[a-z,] [A-Z][a-z]|\b(?:not|never|no longer)\b|n't\b"),
    "zh": re.compile(r"\d|不[是再叫在住对]|没|[说问]"),
}
_LATIN = re.compile("[A-Za-z]{2}|[0-9]")
_NAMED_BEHIND = re.compile(  # 这款LG冰箱 and 这款海豚牌洗碗机 say which one
    "[“《「]|[A-Za-z]{2}|[\u4e00-\u9fff]{0,6}[A-Za-z]{2}"
    "|(?<=[款台部辆双套])[^\\W\\da-zA-Z真很太非特也就都的了是在我你他用穿挺确]{4,8}(?:[，,。！!]|真|很|太|非常|特别|挺|用|确实)"
)
_NOT_DONE = frozenset({"was", "were", "let", "set", "put", "cut", "hit", "cost"})
_THEY = ("they", "them", "their", "theirs", "they're", "these", "those")
_PLURAL = re.compile(r"[^sui]s$|[a-z]{3}(?:men|people|feet|mice)$")
_OWN = ("its", "their", "theirs")
_EMPTY_SIGNS = ("common", "vague", "no_thing")  # lists of signs that are nothing a Chinese pronoun could mean


def what_stands(words: str, lang: str) -> str:
    """What of the words is worth telling alone: without sentences at their beginning that hang in the air and say
    little; nothing, where all of them do. What says more is told although it hangs, and so is what goes on about a
    sentence that says what is spoken of: "I follow a podcast about bees. They're hilarious"."""
    if not hangs(words, lang):
        return words
    ends = [found.end() for found in _SENTENCE_END.finditer(words)]
    for end in ends:
        rest = words[end:]
        if len(rest) >= _LEAST[lang] and says_little(words[:end], lang) and not hangs(rest, lang):
            return rest
    opens = words[: ends[0]] if ends else ""
    stands = len(opens) >= _LEAST[lang] and not hangs(opens, lang)
    return words if stands or not says_little(words, lang) else ""


def may_say_little(own: float, lang: str) -> bool:
    """Whether words with so many of their own (two Chinese characters make one) may say little."""
    return own <= (_MOST_OWN[lang] / 2 if lang == "zh" else _MOST_OWN[lang])


def says_little(words: str, lang: str) -> bool:
    """Whether the words have few of their own, and tell of no number, no name and nothing that was done."""
    if _TELLING[lang].search(words):
        return False
    if lang == "zh":
        return len({*words} - idle("zh", *_EMPTY_SIGNS)) <= _MOST_OWN[lang]
    low = words.lower()
    if len({*_LONG_WORD.findall(low)} - words_of("common")) > _MOST_OWN[lang]:
        return False
    return not any(_is_done(each) for each in _WORD.findall(low))


def _is_done(low: str) -> bool:
    return (low in words_of("past") and low not in _NOT_DONE) or (low.endswith("ed") and len(low) > 4)


def hangs(words: str, lang: str) -> bool:
    """Whether the words speak of somebody or something that nothing before it among them could be."""
    return bool(unnamed(words, lang))


def unnamed(words: str, lang: str) -> str:
    """The word for somebody or something that nothing before it could be; empty where there is none."""
    if not _GATE[lang].search(words):
        return ""
    plain = text.straight(words)
    return _unnamed_zh(plain) if lang == "zh" else _unnamed_en(plain)


def _unnamed_en(plain: str) -> str:
    idioms: list[tuple[int, int]] | None = None
    for found in _GATE["en"].finditer(plain):
        at, end, word = found.start(), found.end(), found[0].lower()
        if not _is_unnamed(plain, word, at, end):
            continue
        idioms = _idioms("en", plain) if idioms is None else idioms
        if not _within(end - 1, idioms):
            return word
    return ""


def _is_unnamed(plain: str, word: str, at: int, end: int) -> bool:
    """Whether the word there is a pronoun before which nothing stands that it could mean."""
    if is_word("he_or_she", word):
        return not (names_somebody(plain[:at], "en") or _kin("en").match(plain, end))
    if word == "there":
        return not (_THERE_IS.match(plain, end) or _names_a_thing(_DOING.sub("", plain[:at])))
    if not _is_pronoun(plain, word, at, end) or (word == "it" and _means_nothing(plain[at:])):
        return False
    if word in ("one", "ones"):  # "the form is the blue one", "the" and "blue" being none
        return not _names_a_thing(plain[:at].rstrip().rpartition(" ")[0])
    before = plain[:at] if word in _OWN else _before_its_clause(plain, at)
    return not may_name(before, word)


def _is_pronoun(plain: str, word: str, at: int, end: int) -> bool:
    """Whether the word there means something named before: "that" may only join two clauses, "one" count."""
    if word[:2] in ("it", "th") and word not in ("that", "this", "those", "these"):
        return True
    before = plain[:at].rstrip()
    last = _LAST_WORD.search(before)
    low = last[0].lower() if last else ""
    if word in ("one", "ones"):
        which = is_word("which_one", low) and not _COUNTED.match(plain, end)
        return which or (
            word == "one" and len(low) > 1 and not is_word("no_one", low) and bool(_ONE_ENDS.match(plain, end))
        )
    if word in ("that", "this") and (not low or is_word("before_that", low)) and _IS.match(plain, end):
        return True
    if is_word("before_this", low) and _ENDS.match(plain, end):
        return True
    if word == "that":
        return bool(_that_thing().match(plain, end))
    return not (word == "those" and low == "of") and bool(_NAMED_SO[word.replace("these", "this")].match(plain, end))


def _unnamed_zh(plain: str) -> str:
    spared = _idioms("zh", plain)
    for found in _zh_thing().finditer(plain):
        if _within(found.start(), spared) or _NAMED_BEHIND.match(plain, found.end()):
            continue
        before = plain[: found.start()]
        if found[0][0] in "他她":
            if not (names_somebody(before, "zh") or _surnamed().match(before) or _kin("zh").match(plain, found.end())):
                return found[0]
        elif len({*before} - idle("zh", *_EMPTY_SIGNS)) < 2 and not _LATIN.search(before):
            return found[0]
    return ""


def _within(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(first <= at < last for first, last in spans)


def _before_its_clause(plain: str, at: int) -> str:
    """What stands before the clause in which that place is: what is done to a thing names another."""
    ends = [found.start() for found in _CLAUSE.finditer(plain, 0, at)]
    return plain[: ends[-1]] if ends else ""


def _names_a_thing(before: str) -> bool:
    """Whether any of the words may be what a pronoun means."""
    named = any(_may_be_meant(each, first=not at) for at, each in enumerate(_WORD.findall(before)))
    return named or _somebody("en").search(before) is not None


def may_name(before: str, word: str) -> bool:
    """Whether the English words may name what that pronoun means."""
    if is_word("he_or_she", word):
        return names_somebody(before, "en")
    return _names_several(before) if word in _THEY else _names_a_thing(before)


def _names_several(before: str) -> bool:
    """Whether any of the words may be what "they" means: several, somebody, or a place where people work."""
    words = [each for at, each in enumerate(_WORD.findall(before)) if _may_be_meant(each, first=not at)]
    if any(each[0].isupper() or is_word("several_in_one", each.lower()) or _PLURAL.search(each) for each in words):
        return True
    return _somebody("en").search(before) is not None or (len(words) > 1 and " and " in before)


def _may_be_meant(word: str, *, first: bool) -> bool:
    low = word.lower()
    if low.partition("'")[0] in ("i", "we", "you"):
        return False
    if word[0].isupper() and not first:
        return True
    return len(low) > 2 and low not in _no_things() and not low.endswith(("ly", "'t", "'s", "'ve", "'re", "'d", "'ll"))


def names_somebody(before: str, lang: str) -> bool:
    """Whether the words may name a person or an animal."""
    return bool(_somebody(lang).search(before) or _NAMED[lang].search(before))


@cache
def _that_thing() -> re.Pattern[str]:
    return re.compile(_THAT.format(thing=rules.table("en", "words")["thing"]), re.IGNORECASE)


@cache
def _zh_thing() -> re.Pattern[str]:
    return re.compile(_ZH_THING.format(measure=rules.table("zh", "parts")["measure"]))


def _idioms(lang: str, plain: str) -> list[tuple[int, int]]:
    """Where the text has words for "it" or "this" that mean nothing which must have been named."""
    return [found.span for found in rules.load(lang)["idiom"].found(plain)]


def _means_nothing(plain: str) -> bool:
    """Whether the "it" that the words begin with only stands in for what they go on with: "it is hard to sleep"."""
    return rules.load("en")["empty_it"].fires(plain)


@cache
def _somebody(lang: str) -> re.Pattern[str]:
    """Words for people and animals."""
    words = f"{rules.table(lang, 'parts')['kin_word']}|{rules.table(lang, 'words')['somebody']}"
    return re.compile(words if lang == "zh" else rf"\b(?:{words})s?\b", re.IGNORECASE)


@cache
def _kin(lang: str) -> re.Pattern[str]:
    """Somebody near to "her": whose mother it is, who listens knows."""
    kin = rules.table(lang, "parts")["kin_word"]
    return re.compile(rf"的?(?:{kin})" if lang == "zh" else rf" (?:\w+ )?(?:{kin})\b", re.IGNORECASE)


@cache
def _surnamed() -> re.Pattern[str]:
    """A clause that a Chinese name opens."""
    return re.compile(rf"(?:.*[，。])?{rules.table('zh', 'parts')['surname']}[\u4e00-\u9fff]{{1,2}}")


@cache
def _no_things() -> frozenset[str]:
    """Words that are nothing a pronoun could mean: common ones, verbs, feelings."""
    words = rules.table("en", "words")
    lists = (
        "common", "vague", "verbs", "past", "states", "skip", "modals", "finite", "auxiliaries", "small", "participles",
        "doing", "dropped", "before_verb", "third", "goes_on", "no_thing",
    )  # fmt: skip
    found = {each.lower() for name in lists for each in str(words[name]).replace("|", " ").split()}
    verbs = str(words["verbs"]).split()
    forms = {f"{each.rstrip('e')}{end}" for each in verbs for end in ("es", "ed", "ing")}
    return frozenset(found | forms | {f"{each}s" for each in verbs}) - {"something", "anything", "everything"}
