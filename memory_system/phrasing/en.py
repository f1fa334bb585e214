"""English in the third person: what opens and closes a statement is taken off, a subject that was left out is put back,
and the words are told by name.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memory_system.phrasing.contractions import written_out
from memory_system.phrasing.left_out import with_subjects
from memory_system.phrasing.telling import Telling
from memory_system.phrasing.typed import spelled_out
from memory_system.phrasing.verbs import plural_form
from memory_system.records import ASSISTANT_NAME
from memory_system.rules import table
from memory_system.rules.words import is_word
from memory_system.text import EMOJI, PICTURES, straight

_MARKS = re.compile(
    rf"[{EMOJI}\u2190-\u21FF♡]+|(?:\s|^)(?:[:;]-?[)(DPp/]+|<3+)(?=\s|$)"  # emoji, arrows
    r"|\*\*|^\s*(?:#+|[-*•+]|\d+[.)])\s+|^>\s*"  # Markdown
)
_PICTURE_ENDS = re.compile(
    rf"(?<=[a-z\d)])\s*[{PICTURES}]+[{PICTURES}\uFE0F\u200D ]* (?=[A-Z])"
)  # "Inspiring 💪 I wrote"
_ILL = re.compile(  # "ill let you know": no one is ill
    r"(^|[.!?,;:] | (?:done|hope|hoping|think|thinking|guess|sure|maybe|then) )[Ii]ll"
    r"(?= (?:be|do|go|get|let|make|take|see|try|call|ask|tell|have|give|keep|start|check|look|use|find|send|buy|come"
    r"|probably|definitely)\b)"
)
_YOU_ARE = re.compile(  # "your right, it rained", and no "your right hand", no "your welcome letter"
    r"(?<!\bon )(?<!\bto )(?<!\bof )(?<!\bwith )(?<!\bfrom )\b([Yy])our"
    r"(?= (?:(?:so|very|completely|totally|absolutely|quite) )?"
    r"(?:right(?=[,.;!?]|$| about\b| that\b)|welcome(?=[,.;!?]|$| to\b)))"
)
# "I'm well, thank you!"
_THANKED = re.compile(r"(?i), (?:thanks|thank (?:you|u))(?: so much| a lot| for asking)?(?=[!.])")
_ME_I = re.compile(r"\b[Mm]e,? personally,? (?=[Ii]\b)")  # "me personally I love ferns"
_LEMME = re.compile(r"\b([Ll])emme\b")
_BOLD = re.compile(r"(?<!\S)__([A-Z][^_\n]*)__(?!\w)")  # and no __init__
_FIRST = re.compile(r"\W*(\w+)")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_ADDRESS = re.compile(r"([A-Z]\w+)\s*[,!.?–—]+\s*")
_ADDRESS_AT_END = re.compile(r",\s*([A-Z]\w+)[!.?]*$")
_CALLED = re.compile(  # "you have a long day ahead, Bella!": whatever name the other goes by
    r"(\b[Yy]ou(?:r|'\w+)?\b[^.!?,]* [a-z']+), ([A-Z][a-z]+)(?=[!.?]+(?:\s|$))"
)
_NAMED_BY_COMMA = re.compile(r"\b(?:my|your|his|her|our|their)(?: [\w'-]+){1,2}$")  # "I met your brother, Leo."
_FIRST_WORD = re.compile(r"[\w'’-]+")
_MARKED = re.compile(r"[^\x00-\x7f]|[*_#<>+:;-]|^\s*\d+[.)]")  # without one of these no text holds such marks
_ANSWER = re.compile(r"^(?:(?:in|at|from|near|on|i'm|it's|it is|i am|the|a)\s+)+", re.IGNORECASE)
_DEPENDENT = re.compile(
    r"(?:which|whose|where|who|including|such as|rather than|as well as|or|than)\b",
    re.IGNORECASE,
)
_LINK = re.compile(  # to what was said before; "otherwise I would have …" says nothing without that
    r"(?:but(?! for\b)|and|also|plus(?! (?:one|size|sign|\d))|therefore|thus|hence|consequently|as a result|accordingly"
    r"|that (?:being )?said|then again|even so|nevertheless|nonetheless|instead(?!,? of\b)"
    r"|(?:other than|apart from|aside from|except for) (?:that|this)"
    r"|otherwise(?!,? [\w ]{1,20}?(?:'d|would|could|might|will|'ll)\b))"
    r",? (?=[\w\"“])",
    re.IGNORECASE,
)
_CUT_SHORT = re.compile(r"(?<=\w) (?:and|but|because)$", re.IGNORECASE)  # "I work in an office and."
_DAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?$")
_TITLE_CASE = re.compile(r"[A-Z][a-z]+ (?:[A-Z][a-z]+ ?)+:")
_JOINED = re.compile(r"^(?:and|but|so|then) (?=[\w\"“])", re.IGNORECASE)
_WISH = re.compile(
    r"(?:(?:so|and|but|then) )*(?:can|could|would|will) you (?:please )?(?!happen\b|know\b|be\b|ever\b)", re.IGNORECASE
)
_REQUEST = re.compile(
    r"(?:help (?:me|us) "
    r"|(?:give|show|write|tell|send|get|find|draft|make|recommend|suggest)(?: me| us)? (?:an?|some|the|a few|\d+) "
    r"|(?:explain|translate|summari[sz]e|rewrite|proofread|generate|compare|list) (?!is|was|are)\w+ )",
    re.IGNORECASE,
)
_LAUGHED = re.compile(r",?\s+(?:lol|lmao|rofl|xd|haha+|hehe)(?=\s*[.!?]\s)|(?<=[.!?])\s+btw,?(?=\s)", re.IGNORECASE)
_HALF = re.compile(  # "I'd love to": what, another has said
    r" (?:(?:would|will|does|did|is|has|have|can|could) ?)?(?:not )?"
    r"(?:(?:love|like|want|need|hope|plan|intend|have|use)[sd]*)?(?: to)?"
)
_INVERTED = re.compile(
    r"\b(do|did|can|could|should|would|will|may|might|must|shall|have|had|am|was) i\b", re.IGNORECASE
)
_WONDERING = re.compile(
    r"i(?:'m| am| was|'ve been| have been)?(?: \w+ly| just| also| kinda| still)* wonder", re.IGNORECASE
)
_PLURAL = {"am": "are", "was": "were"}
_ASKED = ("they", "it", "you", "he", "she", "we", "i")
_LAUGHS = ("lol", "lmao", "hehe", "xd", "tho")
_TAIL = 40  # characters in which a tag question or a laugh ends
_OPENING = " ,.!?;:–—-~)"
_CLOSING = " \t\n,;:-–—~!.…"


def retell(text: str, speaker: str, other: str, *, wanted: bool = False) -> str:
    words = stripped(text, other).rstrip("?")
    if len(words) < 4 or not _LETTERS.search(words) or _DEPENDENT.match(words):
        return ""
    assistant = speaker == ASSISTANT_NAME["en"]  # what it leaves out is no "I": it gives advice
    whole = assistant or (wanted and words.partition(" ")[0].endswith("ing"))
    if not assistant and _WISH.match(words):
        return ask(text, speaker, other)
    if not assistant and (_REQUEST.match(words) or (other == ASSISTANT_NAME["en"] and _order().match(words))):
        asked = Telling(speaker, other, named=True).tell(_lowered(words))
        return written_out(f"{speaker} asks {other} to {asked[:1].lower()}{asked[1:]}")
    told = Telling(speaker, other).tell(words if whole else with_subjects(words))
    if _own_kin().match(told) and not assistant:
        return _capital(written_out(f"{speaker}'s {told[:1].lower()}{told[1:]}"))
    if (assistant and not told.startswith(speaker)) or speaker.lower() not in told.lower():
        told = f"{speaker} says {_lowered(_JOINED.sub('', told))}"
    return _capital(written_out(told))


def is_half(told: str, speaker: str) -> bool:
    """Whether the sentence stops where what it is about would come: "Ana would love to"."""
    return told.lower().startswith(speaker.lower()) and _HALF.fullmatch(told, len(speaker)) is not None


def report(text: str, speaker: str, other: str) -> str:
    return _capital(Telling(speaker, other).tell(_clean(text)))


def ask(text: str, speaker: str, other: str) -> str:
    words = stripped(text, other).rstrip(" ?")
    if len(words) < 4:
        return ""
    if _WONDERING.match(words):
        return _capital(written_out(Telling(speaker, other).tell(words)))
    wish = _WISH.match(words)
    said = words[wish.end() :] if wish else _INVERTED.sub(_they, _lowered(words))
    told = Telling(speaker, other, named=True).tell(said)
    return written_out(f"{speaker} asks {other} to {told}" if wish else f"{speaker} asks: {told}")


def asked(text: str, speaker: str, other: str) -> str:
    """What the question asks, with names for all persons: "how can Ana stop it", "to list the books"."""
    words = _JOINED.sub("", stripped(text, other)).rstrip(" ?")
    wish = _WISH.match(words)
    told = Telling(speaker, other).tell(words[wish.end() :] if wish else _lowered(words))
    return written_out(f"to {told}" if wish else told)


def _they(found: re.Match[str]) -> str:
    """ "Can I" as "can they": the one who asks has just been named."""
    return f"{_PLURAL.get(found[1].lower(), found[1])} they"


def inner(text: str, speaker: str, other: str) -> str:
    return Telling(speaker, other, named=True).tell(text.strip())


def bare(text: str, other: str) -> str:
    return _ANSWER.sub("", stripped(text, other))


@lru_cache(maxsize=16)  # a passage is asked for it more than once
def stripped(text: str, other: str = "") -> str:
    words = _clean(text)
    before = ""
    while before != words:
        before = words
        linked = _LINK.match(words)
        words = words[linked.end() :] if linked else words
        greeted = _lead().match(words) if _may_lead(words) else None
        words = _without_name(words[greeted.end() :] if greeted else words, other, bool(greeted)).lstrip(_OPENING)
    words = _CUT_SHORT.sub("", words.rstrip(_CLOSING))
    if kept := _to_keep().match(words):
        words = words[kept.end() :]
    before = ""
    while before != words:
        before = words
        if _may_trail(words):
            end = max(0, len(words) - _TAIL)
            words = words[:end] + _tail().sub("", words[end:])
        words = _without_name_at_end(words.rstrip(_CLOSING), other)
    return words


@cache
def _own_kin() -> re.Pattern[str]:
    """ "Mum is ill" is said of one's own."""
    return re.compile(
        rf"(?:{table('en', 'words')['own_kin']}) (?:is|was|has|had|will|can't|\w+ed|\w+s|went|came|got)\b",
        re.IGNORECASE,
    )


@cache
def _to_keep() -> re.Pattern[str]:
    """How a wish to keep something begins that is put as a question: "can you remember that I …"."""
    return re.compile(rf"{table('en', 'parts')['to_keep']} (?=(?:i|i'm|i've|my|we|our)\b)", re.IGNORECASE)


@cache
def _lead() -> re.Pattern[str]:
    """Interjections and connectives with the marks after them, or before a word that goes on by itself."""
    words = "|".join(sorted(table("en", "words")["lead"].split("|"), key=len, reverse=True))
    goes_on = table("en", "words")["goes_on"]
    after = rf"(?:(?-i: [A-Z]\w+)(?=[,!.])|\s*[,.!?:;…~–—-]+\s*|\s+(?=(?:{goes_on})\b))"
    return re.compile(rf"(?:[^\w\"“]*(?:{words})\b{after})+", re.IGNORECASE)  # a quotation is kept whole


def _may_lead(words: str) -> bool:
    """Whether the first word begins an interjection: cheaper to ask than the whole pattern."""
    first = _FIRST.match(words)
    return first is not None and first[1].lower()[:2] in _beginnings()


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(each.split()[0][:2] for each in table("en", "words")["lead"].split("|"))


def _may_trail(words: str) -> bool:
    """Whether the last word ends a tag question or the like: cheaper to ask than the whole pattern."""
    return words.rstrip(".!?~").rstrip().lower().endswith(_endings())


@cache
def _endings() -> tuple[str, ...]:
    tails = (each[-2] if each.endswith("+") else each.split()[-1] for each in table("en", "words")["tail"].split("|"))
    return tuple({*tails, *_ASKED, *_LAUGHS})


@cache
def _order() -> re.Pattern[str]:
    """What an assistant is told to do, with no word of how often: a habit would be the speaker's own."""
    words = table("en", "words")
    thing = r"an?|the|my|our|some|all|this|next|another|more|\d+|me|us|it|them|(?-i:[A-Z]\w+)"
    return re.compile(
        rf"(?:please )?(?:(?:{words['order']}) (?:{thing})|(?:{words['order_bare']}) \w+)\b"
        r"(?! (?:\w+ )?(?:is|are|was|were)\b)(?!.*\b(?:every|always|usually|often)\b)",
        re.IGNORECASE,
    )


@cache
def _tail() -> re.Pattern[str]:
    """Tag questions, laughs and the like behind a mark."""
    words = table("en", "words")["tail"]
    asking = rf"(?:do|does|did|is|are|was|were|wo|ca|would|could|have|has|should)n't (?:{'|'.join(_ASKED)})"
    laughs = rf"haha+|btw|{'|'.join(_LAUGHS)}"
    return re.compile(
        rf"(?:\s*[,–—.!?-]+\s*(?:{words})\s*[.!?~]*)+$|,?\s+{asking}\s*[.!?~]*$|\s+(?:{laughs})\s*[.!?~]*$",
        re.IGNORECASE,
    )


def _clean(text: str) -> str:
    words = spelled_out(_THANKED.sub("", straight(text)) if "hank" in text else straight(text))
    if " ill " in words or words.startswith(("ill ", "Ill ")):
        words = _ILL.sub(r"\1I'll", words)
    if "our " in words:
        words = _YOU_ARE.sub(r"\1ou're", words)
    if "e personally" in words or "e, personally" in words:
        words = _ME_I.sub("", words)
    if "emme " in words:
        words = _LEMME.sub(r"\1et me", words)
    if "lol" in words or "aha" in words or "btw" in words:
        words = _LAUGHED.sub("", words)
    if ", " in words and "ou" in words:
        words = _CALLED.sub(_without_called, words)
    if _MARKED.search(words):
        words = _PICTURE_ENDS.sub(". ", words)
        words = _BOLD.sub(r"\1", _MARKS.sub(" ", words))
    return " ".join(words.split())


def _without_name(words: str, other: str, greeted: bool) -> str:
    """Without the name of the one spoken to at the start: after a greeting any name, else one like the other's."""
    found = _ADDRESS.match(words)
    if found and ((greeted and not is_word("not_names", found[1])) or _is_called(found[1], other)):
        return words[found.end() :]
    return words


def _without_name_at_end(words: str, other: str) -> str:
    found = _ADDRESS_AT_END.search(words) if "," in words else None
    return words[: found.start()] if found and _is_called(found[1], other) else words


def _without_called(found: re.Match[str]) -> str:
    """What was said before the name that is called; all of it where the name is of who or what was spoken of."""
    told, name = found[1], found[2]
    return found[0] if is_word("not_names", name) or _NAMED_BY_COMMA.search(told) else told


def _is_called(word: str, name: str) -> bool:
    """Whether the name may be shortened so: Mel for Melanie."""
    return len(word) > 1 and name.lower().startswith(word.lower())


def _lowered(told: str) -> str:
    """With a small first letter, unless the first word may be a name."""
    first = _FIRST_WORD.match(told)
    if not first or not first[0].partition("'")[0].istitle():
        return told
    word = first[0].lower()
    if _TITLE_CASE.match(told) or _DAY.match(word):
        return told  # a heading, or a name after all
    common = is_word("not_names", first[0]) or is_word("small", word) or is_word("verbs", word) or word.endswith("ing")
    return told[:1].lower() + told[1:] if common and first[0] != "I" else told


def _capital(told: str) -> str:
    told = told.strip().rstrip(" ,;:")
    return told[:1].upper() + told[1:]


def agree_plural(template: str) -> str:
    """ "{who} lives in …" as it is said of several."""
    head, mark, rest = template.partition("{who} ")
    verb, blank, rest = rest.partition(" ")
    return f"{head}{mark}{plural_form(verb)}{blank}{rest}" if mark else template
