"""Subjects that English leaves out: "Went to Rome" is said of the one who speaks, "Reminds me of you" of a thing."""

from __future__ import annotations

import re

from memory_system.rules.words import is_word

_SENTENCE_END = re.compile(r"((?<=[a-z\d][a-z\d)])[.!?]+ +(?=[A-Z]))")
_CLAUSE_END = re.compile(r"[,–—;:.!]| - ")
_NEXT_CLAUSE = re.compile(
    r"[,–—;:.!]| - |\b(?:and|but|or|that|who|which|what|how|where|because|when|while|so|if|since|as|than|it|he|she|they"
    r"|i|we|you|this|there)\b"
)
_A_WHILE = re.compile(r"been (?:an? |so |too |quite |ages|forever|years|months|weeks|days)")  # "it has been"
_FOR_ME = re.compile(r"been (?:[a-z-]+ ){1,3}(?:for|to) (?:me|us)\b")  # "been hectic for me lately"
_ITS_CLAUSE = re.compile(r", (?:I|we)\b")
_OBJECT = re.compile(r"(?:an?|the|my|our|your|his|her|their|some|all|to|in|at|on|with|for|up|out|off|from|by|back)$")
_IS_SO = re.compile(  # "trying to learn dates by heart is futile": a subject and what is said of it
    r"(?:(?!\b(?:what|who|how|why|where|when|if|whether|it|he|she|they|there|this|everything|something)\b).)*"
    r"\b(?:is|was|seems|feels|sounds|takes) (?:so|really|very|pretty|such|quite|not|always|a|the|my)\b"
)
_LIST_IS_SO = re.compile(
    r"[^.;:!?]+, [^.;:!?]{1,40},? and [\w ]{1,30}? (?:has|have) been (?:so |such )?(?:an?|the|my)\b"
)
_NO_CLAUSE = r"(?:(?!\b(?:i|we|he|she|they|it|you|that|which|who|what|so|because|while|when)\b)[^.;:!?])*"
_DOINGS_ARE = re.compile(  # "playing and singing let me be myself": several subjects, and what is said of them
    rf"\w+ing\b{_NO_CLAUSE}(?:,|\band) (?:and )?\w+ing\b{_NO_CLAUSE}(?<!\bto)(?<!,)"
    r" (?:let|make|help|give|keep|take|bring|mean|are|were|have been|can|could|will|would"
    r"|all (?:sound|seem|look|feel|are|help|make)) (?!up\b|off\b)\w",
    re.IGNORECASE,
)
_ITS_EFFECT = re.compile(  # what does something to the speaker, seems so or went well is no person
    r"(?:reminds|makes|helps|keeps|gives|brings|lets|teaches|inspires|motivates) (?:me|us)\b"
    r"|went (?:(?:so|really|very|pretty|quite) )?"
    r"(?:well|great|fine|ok|okay|badly|smoothly|wrong|perfectly|terribly|better)\b"
    r"|(?:feels|sounds|looks|seems|means|takes) (?:like|so|such|an?|the|really|very|pretty|great|good|amazing"
    r"|awesome)\b",
    re.IGNORECASE,
)
_WAS_MINE = re.compile(  # "was on my way home"
    r"was (?:just |still |already |also |about |so |really )*"
    r"(?:(?:on|at|in|to|with|out|off|from) (?:my|the way)\b|going to\b|able to\b"
    r"|(?!\w*thing\b)\w{3,}ing\b.*\b(?:my|me|i|we)\b)",
    re.IGNORECASE,
)
_SEE_YOU = re.compile(r"see you (?=.*\b(?:at|in|on|for)\b)", re.IGNORECASE)
_ASIDE_IS = re.compile(r", [^,.!?;]{2,40}, (?:is|are|was|were|can|has|makes|made|helps|takes|feels|means)\b")
_ON_SPEAKER = re.compile(r"\b[a-z]+(?<!s)s me\b")  # "seeing them succeed motivates me"
_WISHED = re.compile(
    r"(?:[\w'.]+ ){0,3}(?:day|birthday|new year|holidays?|easter|christmas|friday|monday|weekend|anniversary"
    r"|thanksgiving|halloween|hanukkah|diwali|eid|hours?|ending)\b",
    re.IGNORECASE,
)
_SIDE = re.compile(
    r"\W*(?:\w+ )?left (?:ones?|sides?|hand|arm|leg|knee|foot|ankle|shoulder|eye|ear|hip|wrist|elbow|thumb"
    r"|wing|lane)\b",
    re.IGNORECASE,
)
_OF_SEVERAL = re.compile(r"\b(?:our|ourselves|each other)\b", re.IGNORECASE)  # "chasing our dreams"
_OF_ONE = re.compile(r"\b(?:I|my|me|myself)\b")
_WISHING = ("would", "might")
_IS_NOUN = re.compile(  # "love and respect should come first", "hope for peace is what we share"
    r"\w+ (?:and|or|for|of) [a-z]+(?: [a-z]+)? (?:is|are|was|were|should|can|could|will|would|must|makes?|gives?|means?"
    r"|matters?|comes?|brings?|keeps?)\b",
    re.IGNORECASE,
)
_BIDDEN = re.compile(  # "enjoy your trip", "feel free to ask" are said to another
    r"(?:enjoy (?:your(?:self|selves)?|the rest|every (?:moment|bit|minute|second)"
    r"|it\b(?! (?:when|if|so|very|a lot|too)))"
    r"|feel (?:free|better soon)|(?:hope|plan) (?:for the best|ahead))\b",
    re.IGNORECASE,
)
_NEWS = frozenset(
    {"day", "news", "story", "few", "times", "week", "night", "morning", "weekend", "year", "thing", "part"}
)


def with_subjects(words: str) -> str:
    """The statement with "I" put back in each of its sentences."""
    if not _SENTENCE_END.search(words):
        return with_subject(words)
    pieces = _SENTENCE_END.split(words)
    return "".join([_with_capital(with_subject(each)) if not at % 2 else each for at, each in enumerate(pieces)])


def _with_capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def with_subject(words: str) -> str:
    """The statement with "I" put back where it was left out: "Went to Rome" is "I went to Rome"."""
    tokens = words.split()
    first = next((at for at, each in enumerate(tokens) if not is_word("before_verb", each.lower())), 0)
    verb = tokens[first].lower().strip(",.!")
    small = words[:1].lower() + words[1:]
    if verb == "left" and _SIDE.match(words):
        return words
    if _SEE_YOU.match(words):
        return f"I'll {small}"
    if _ITS_EFFECT.match(words):
        return f"It {small}"
    if verb in _WISHING and first + 1 < len(tokens) and tokens[first + 1].lower() in ("love", "like", "be", "have"):
        return f"I {small}"
    if verb == "was" and _WAS_MINE.match(small):
        return f"I {small}"
    if verb == "gonna":
        return "I'm going to" + small.partition("gonna")[2]
    if verb == "been" and not _A_WHILE.match(small):
        return f"It's {small}" if _FOR_ME.match(small) else f"I've {small}"
    if _is_doing(verb, words) and _OF_SEVERAL.search(words) and not _OF_ONE.search(words):
        return f"We're {small}"
    if _is_doing(verb, words) or _is_state(verb, tokens[first + 1 :]):
        return f"I'm {small}"
    if verb in ("don't", "dont") and not is_word("said_of_oneself", "".join(tokens[first + 1 : first + 2]).lower()):
        return words  # "don't forget your hat" is said to another
    if _IS_NOUN.match(words) or _BIDDEN.match(words):
        return words
    if is_word("dropped", verb) or (_is_past(verb) and first + 1 < len(tokens) and not _describes(verb, words)):
        return f"I {small}"
    return words


def _is_state(verb: str, rest: list[str]) -> bool:
    """Whether "tired of it" is how the speaker is: "sad news" and "happy Easter" are not."""
    return (
        is_word("states", verb)
        and not (verb == "happy" and _WISHED.match(" ".join(rest)))
        and bool(rest)
        and rest[0].lower().strip(",.!") not in _NEWS
    )


def _is_doing(verb: str, words: str) -> bool:
    """Whether "researching schools" is what the speaker does, and no subject of a verb that follows."""
    clause = _CLAUSE_END.split(words)[0].lower()
    if _ITS_CLAUSE.match(words, len(clause)):  # "Preparing for the race, I sleep more" says what they do then
        return False
    if _ASIDE_IS.match(words, len(clause)):  # "making friends, above all, is hard"
        return False
    if is_word("doing", verb):
        return not _IS_SO.match(clause)
    if not verb.endswith("ing") or len(verb) < 6 or is_word("no_gerunds", verb) or _LIST_IS_SO.match(words):
        return False
    if _DOINGS_ARE.match(words) or "yourself" in words:
        return False
    if words[len(clause) : len(clause) + 1] == ":" or _ON_SPEAKER.search(clause):  # "packing list: …" is a heading
        return False
    return "'s" not in clause and not any(is_word("finite", each) for each in clause.split()[1:])


def _describes(verb: str, words: str) -> bool:
    """Whether a form that may be past only describes the subject of a verb behind it: "roasted nuts taste good"."""
    clause = _NEXT_CLAUSE.split(words.lower())[0].split()
    if not verb.endswith("ed") or not clause[1:] or _OBJECT.match(clause[1]):
        return False
    return any(is_word("finite", each) for each in clause[2:])


def _is_past(verb: str) -> bool:
    if is_word("past", verb):
        return not is_word("modals", verb)
    return verb.endswith("ed") and len(verb) > 3 and not is_word("base_ed", verb)
