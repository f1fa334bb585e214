"""English in the third person, word by word: pronouns become names, the verbs after them agree, and a statement that
left its subject out gets it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from memory_system.rules import table

_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|\s+|.", re.S)
_QUOTED = re.compile(r'("[^"]*"|“[^”]*”)')
_MARKS = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D\u2190-\u21FF♡]+|(?:\s|^)[:;]-?[)(DPp/]+(?=\s|$)")
_ANSWER = re.compile(r"^(?:(?:in|at|from|near|on|i'm|it's|it is|i am|the|a)\s+)+", re.I)
_END = " \t\n,;:-–—~"
_GERUND_RULES = re.compile(
    r"\b(?:is|was|are|were|has|have|had|can|could|will|would|makes?|made|helps?|helped|gives?|gave|keeps?|takes?|took|"
    r"brings?|brought|means|feels|felt|seems|does|did|gets|got|allows|lets|should|might|must|really|sounds?|looks?|requires?|becomes?|"
    r"became|shows?|showcases?|works?|worked|involves?|provides?|adds?|creates?|leads?|turns?|turned|reminds?|needs?|saves?|allowed)\b|'s\b"
)
_STATES = frozenset(
    "excited tired exhausted interested bored stressed surprised amazed inspired worried relieved thrilled delighted "
    "blessed honored honoured disappointed confused scared annoyed obsessed swamped pumped stoked proud happy glad sad "
    "grateful thankful ready curious nervous sick busy lucky afraid jealous married single hooked super".split()
)
_NO_GERUND = frozenset(
    "considering including regarding during following according depending speaking assuming being having nothing something "
    "everything anything evening morning wedding clothing building".split()
)
_DEPENDENT = re.compile(r"(?:which|whose|where|who|including|such as|rather than|as well as|or|possibly|whether|to|with|than)\b", re.I)
_MARKDOWN = re.compile(r"\*\*|__|^\s*(?:#+|[-*•+]|\d+[.)])\s+|^>\s*")
_DROPPED = frozenset(
    "love hate hope wish think guess miss need want feel plan prefer enjoy can't cannot don't haven't didn't won't "
    "couldn't wasn't used".split()
)
_MODALS = frozenset("must can could will would shall should may might ought better gonna won't mightn't".split())
_ONE = frozenset("makes make made gives give gave lets helps help keeps takes reminds teaches".split())
_THIRD = frozenset("he she him her his hers they them their we it".split())
_HAD = frozenset("been had gone done seen better never forgotten become known taken".split())
_MALE = {"am": "is", "'m": "is", "are": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't",
         "aren't": "isn't", "weren't": "wasn't", "were": "was", "wanna": "wants to", "gotta": "has to", "dont": "doesn't",
         "havent": "hasn't", "ain't": "isn't", "been": "has been", "gonna": "is going to", "arent": "isn't", "hafta": "has to"}  # fmt: skip
_MANY = {"am": "are", "was": "were", "wanna": "want to", "gotta": "have to", "been": "have been", "gonna": "are going to"}
_BARE = {"is": "are", "has": "have", "does": "do", "was": "were", "doesn't": "don't"}  # singular to plural, for templates
_SHORT = {"im": "i'm", "ive": "i've", "youre": "you're", "u": "you", "ur": "your", "ya": "you", "id": "i'd"}


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table("en", "words")[name].split())


@cache
def _lead() -> re.Pattern[str]:
    words = "|".join(sorted(table("en", "words")["lead"].split("|"), key=len, reverse=True))
    opening = rf"(?:(?:{words})\b(?:(?-i: [A-Z]\w+)(?=[,!.])|[\s]*[,.!?:;…~–—-]+\s*|\s+(?=(?:i|i'm|i've|i'd|i'll|my|we|we're|it|it's|the|that|yeah|yes|and|but|so|they|he|she|there|this|if|when|as|a|then|now|one|our|also|for|in|on|at|you|your)\b)))"
    return re.compile(rf"(?:\W*{opening})+", re.I)


@cache
def _tail() -> re.Pattern[str]:
    words = "|".join(table("en", "words")["tail"].split("|"))
    asking = r"(?:do|does|did|is|are|was|were|wo|ca|would|could|have|has|should)n't (?:they|it|you|he|she|we|i)"
    return re.compile(rf"(?:[\s]*[,–—.!?-]+\s*(?:{words})\s*[.!?~]*)+$|,?\s+{asking}\s*[.!?~]*$|\s+(?:haha+|lol|lmao|hehe|xd|tho)\s*[.!?~]*$", re.I)


def retell(text: str, speaker: str, other: str) -> str:
    words = stripped(text, other)
    if len(words) < 4 or not re.search(r"[^\W\d_]{2}", words) or _DEPENDENT.match(words):
        return ""
    words = _with_subject(words)
    told = _Telling(speaker, other).tell(words)
    if speaker.lower() not in told.lower():
        told = f"{speaker} says {_lowered(told)}"
    return _capital(told)


def report(text: str, speaker: str, other: str) -> str:
    return _capital(_Telling(speaker, other).tell(_clean(text)))


def inner(text: str, speaker: str, other: str) -> str:
    telling = _Telling(speaker, other)
    telling.subject = telling.clear = True
    return telling.tell(text.strip())


def stripped(text: str, other: str = "") -> str:
    """The text without what opens and closes it: interjections, connectives, the name of the one spoken to, emoji,
    tag questions."""
    words = _clean(text)
    before = None
    while before != words:
        before = words
        greeted = _lead().match(words)
        words = _without_name(words[greeted.end() :] if greeted else words, other, bool(greeted)).lstrip(" ,.!?;:–—-~)")
    before = None
    while before != words:
        before = words
        words = _tail().sub("", words).rstrip(_END).rstrip("!.…~ ")
        if other and (cut := _named_at_end(words, other)):
            words = cut
    return words


def bare(text: str, other: str) -> str:
    return _ANSWER.sub("", stripped(text, other))


def _clean(text: str) -> str:
    words = _MARKS.sub(" ", _MARKDOWN.sub("", text.replace("’", "'")))
    return " ".join(words.split())


def _without_name(words: str, other: str, greeted: bool) -> str:
    """Without the name of the one spoken to at its start: after a greeting any name, else one like the other's."""
    found = re.match(r"([A-Z]\w+)\s*[,!.?–—]+\s*", words)
    if found and ((greeted and found[1] not in _words("not_names")) or _is_called(found[1], other)):
        return words[found.end() :]
    return words


def _named_at_end(words: str, other: str) -> str:
    found = re.search(r",\s*([A-Z]\w+)[!.?]*$", words)
    return words[: found.start()] if found and _is_called(found[1], other) else ""


def _is_called(word: str, name: str) -> bool:
    return len(word) > 1 and name.lower().startswith(word.lower())


def _with_subject(words: str) -> str:
    """The statement with "I" put back where it was left out: "Went to Rome" is "I went to Rome"."""
    tokens = words.split()
    first = 0
    while first < len(tokens) - 1 and tokens[first].lower() in ("just", "also", "still", "finally", "recently", "actually", "currently", "definitely", "so"):
        first += 1
    word = tokens[first].lower().strip(",.!")
    if word in ("going", "gonna", "planning", "hoping", "thinking", "looking", "trying", "working") or (
        word.endswith("ing") and len(word) > 5 and word not in _NO_GERUND and not _GERUND_RULES.search(re.split(r"[,–—;:.!]| - ", words)[0].lower())
    ):
        return f"I'm {'going to' if word == 'gonna' else _decap(words)}" + (words[len("gonna") :] if word == "gonna" else "")
    if word == "been":
        return f"I've {_decap(words)}"
    if word in _STATES and len(tokens) > first + 1:
        return f"I'm {_decap(words)}"
    if word in _DROPPED or (word in _words("past") and word not in _MODALS and word not in ("left", "had", "set", "put", "cut", "hit", "let", "quit", "cost", "bent", "felt", "ground", "wound", "meant", "was", "were", "did", "used") ) or word in ("had", "felt", "quit", "left"):
        return f"I {_decap(words)}"
    if word.endswith("ed") and len(word) > 4 and word not in _words("base_ed") and first + 1 < len(tokens):
        return f"I {_decap(words)}"
    return words


def _decap(words: str) -> str:
    return words[:1].lower() + words[1:]


def _lowered(told: str) -> str:
    """With a small first letter, unless the first word is a name."""
    first = re.match(r"[\w'’-]+", told)
    if not first or first[0].isupper() or any(char.isupper() for char in first[0][1:]):
        return told
    return _decap(told) if first[0] in _words("not_names") or first[0].lower() in _COMMON or first[0].endswith("ing") else told


_COMMON = frozenset(
    "the a an this that these those it its it's that's there there's here what when while if as at in on for from with after "
    "before since because so such some many most more all both each every being having taking people everyone everything "
    "nothing something someone they they're he she you your his her one two three hope".split()
)


def _capital(told: str) -> str:
    told = told.strip().rstrip(" ,;:")
    return told[:1].upper() + told[1:]


def unhedged(told: str) -> str:
    """Without the words of doubt; after might, may or could the verb takes its plain form."""
    plain = _doubts().sub("", told)
    plain = _MODAL.sub(lambda found: f" {singular(found[1])}", plain)
    return plain[:1].upper() + plain[1:]


@cache
def _doubts() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{table('en', 'words')['doubt']})\b,? ?", re.IGNORECASE)


def agree_plural(template: str) -> str:
    """"{who} lives in …" as it is said of several."""
    head, mark, rest = template.partition("{who} ")
    verb, blank, rest = rest.partition(" ")
    plural = _BARE.get(verb) or (verb[:-3] + "y" if verb.endswith("ies") else verb.removesuffix("s"))
    return f"{head}{mark}{plural}{blank}{rest}" if mark else template


def singular(verb: str) -> str:
    """The form of the third person: have is has, try is tries, went is went."""
    low = verb.lower()
    if low in _MALE:
        return _MALE[low]
    if low in _words("past") or (low.endswith("ed") and low not in _words("base_ed")):
        return verb
    if low.endswith("ing"):
        return f"is {verb}"
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


_MODAL = re.compile(r" (?:might|may|could) (?!be\b|have\b|not\b)([a-z]+)")


class _Telling:
    """One walk over the words of a statement; it remembers who was spoken of."""

    def __init__(self, speaker: str, other: str) -> None:
        self.speaker, self.other = speaker, other
        self.subject = False  # the speaker was named, so that "them" is understood
        self.clear = False  # and nobody else was since
        self.since = 99  # words since the speaker was the subject
        self.agreeing: dict[str, str] | None = None  # what the next verb must agree with
        self.single = False
        self.present = self.joined = self.infinitive = False
        self.out: list[str] = []

    def tell(self, words: str) -> str:
        for number, part in enumerate(_QUOTED.split(words)):
            if number % 2:
                self.out.append(part)
            else:
                self._walk(_TOKEN.findall(part))
        return "".join(self.out)

    def _walk(self, tokens: list[str]) -> None:
        for at, token in enumerate(tokens):
            low = token.lower()
            low = _SHORT.get(low, low) if low != "id" or token != "ID" else low
            if not low[0].isalnum():
                self._mark(token)
            elif not self._pronoun(low, token, tokens, at):
                self._word(low, token, tokens, at)

    def _mark(self, token: str) -> None:
        self.out.append(token)
        if token in ".!?;":
            self.since, self.agreeing, self.present = 99, None, False

    def _word(self, low: str, token: str, tokens: list[str], at: int) -> None:
        self.since += 1
        if self.agreeing is not None and not _is_adverb(low):
            self._verb(low, token)
        elif self.joined and self.present and not self.infinitive and self._is_joined_verb(low, tokens, at):
            self.out.append(singular(token))
            self.joined = False
        else:
            self._plain(low, token)

    def _verb(self, low: str, token: str) -> None:
        said = singular(token) if self.single else (self.agreeing or {}).get(low, token)
        self.out.append(said)
        self.present = self.single and said != token
        self.infinitive = low in ("don't", "doesn't", "do", "dont", "wanna", "gotta", "gonna")
        self.agreeing = None

    def _plain(self, low: str, token: str) -> None:
        if low in _THIRD or low in _words("plural") or (token[0].isupper() and self.out and token not in _words("not_names")):
            self.clear = False
        if low in _THIRD or low in ("who", "that", "which"):
            self.present = False
        if low in ("to", "can", "will", "would", "could", "should", "let", "help"):
            self.infinitive = True
        if low in ("and", "or", "but"):
            self.joined = True
        elif not _is_adverb(low):
            self.joined = False
        self.out.append(token)

    def _is_joined_verb(self, low: str, tokens: list[str], at: int) -> bool:
        after = next((each.lower() for each in tokens[at + 1 :] if each[0].isalnum()), "")
        return low in _words("verbs") and after in _words("after_verb")

    def _pronoun(self, low: str, token: str, tokens: list[str], at: int) -> bool:
        """Whether the token was a word of the first or second person; if so it has been said."""
        base, _, ending = low.partition("'")
        if base == "i" and (token[0] == "I" or ending or _stands_alone(tokens, at)):
            self._first(ending, tokens, at)
        elif low in _MINE:
            self._own(low)
        elif base == "we":
            self._we(ending, tokens, at)
        elif base == "you" or low in _YOURS:
            self._second(base, low, ending, tokens, at)
        elif base == "let" and ending == "s":
            self.out.append(f"{self.speaker} suggests that they")
            self.subject = True
        else:
            return False
        self.joined = False
        return True

    def _first(self, ending: str, tokens: list[str], at: int) -> None:
        pair = self._is_pair(tokens, at)
        again = self.clear and self.since <= 4 and not pair
        self.out.append("they" if again else self.speaker)
        self.single = not again
        self.subject = self.clear = True
        self.since = 0
        self.infinitive = self.present = False
        self.agreeing = None if pair else _MANY
        self._contracted(ending, tokens, at, single=not again and not pair)

    def _is_pair(self, tokens: list[str], at: int) -> bool:
        """Whether this is the end of "my wife and I": several people, so that the verb stays as it is."""
        before = [each.lower() for each in tokens[max(0, at - 10) : at] if each[0].isalnum()]
        return bool(before) and before[-1] == "and" and len(before) <= 5 and self.since > 50 and not self.present and not (
            set(before[:-1]) & (_words("verbs") | _words("past") | {"is", "are", "has", "it's", "loved", "that's"})
        ) and not any(each.endswith(("ed", "ing")) for each in before)

    def _contracted(self, ending: str, tokens: list[str], at: int, *, single: bool) -> None:
        """What stands behind the apostrophe, as a word of its own."""
        if not ending:
            return
        said = {"m": "is" if single else "are", "re": "is" if single else "are", "ve": "has" if single else "have", "ll": "will",
                "s": "is"}.get(ending)  # fmt: skip
        if ending == "d":
            said = "had" if _is_participle(tokens, at) else "would"
        if said == "are" and not single and tokens[at][0] in "iI":
            said = "are"
        self.out.append(" " + (said or ""))
        self.present, self.agreeing = said in ("is", "has"), None
        self.infinitive = said in ("will", "would")

    def _own(self, low: str) -> None:
        known = self.subject and self.clear
        name = self.speaker
        self.out.append({
            "my": "their" if known else _of(name), "mine": "theirs" if known else _of(name), "me": "them" if known else name,
            "myself": "themselves", "our": "their" if self.subject else _of(name), "ours": "theirs" if self.subject else _of(name),
            "us": "them" if self.subject else f"{name} and others", "ourselves": "themselves",
        }[low])  # fmt: skip
        if low in ("my", "our", "me") and not known:
            self.subject = True
        self.agreeing = None
        self.since += 1

    def _we(self, ending: str, tokens: list[str], at: int) -> None:
        self.out.append("they" if self.subject and self.since < 30 else f"{self.speaker} and others")
        self.subject, self.clear, self.present, self.agreeing = True, False, False, None
        self._contracted(ending, tokens, at, single=False)

    def _second(self, base: str, low: str, ending: str, tokens: list[str], at: int) -> None:
        before = next((each.lower() for each in reversed(tokens[:at]) if each[0].isalnum()), "")
        name = "one" if before in _ONE else self.other
        if low in _YOURS:
            self.out.append("oneself" if low.startswith("yoursel") else _of(name))
            return
        self.out.append(name)
        self.clear = False
        after = next((each.lower() for each in tokens[at + 1 :] if each[0].isalnum()), "")
        self.single, self.present = True, False
        asked = name == "one" or before in ("to", "for", "with", "of", "at", "about", "on", "by", "from", "than", "like", "see", "tell", "let", "show", "hear")
        self.agreeing = None if ending or asked or after in _words("after_verb") else {}
        self._contracted(ending, tokens, at, single=True)


_MINE = frozenset("my mine me myself our ours us ourselves".split())
_YOURS = frozenset("your yours yourself yourselves".split())


def _of(name: str) -> str:
    return f"{name}'s"


def _stands_alone(tokens: list[str], at: int) -> bool:
    """Whether a small "i" is the pronoun: blanks around it."""
    return (at == 0 or not tokens[at - 1][0].isalnum()) and (at + 1 == len(tokens) or tokens[at + 1][0] in " ,.!?;")


def _is_adverb(low: str) -> bool:
    return low in _words("skip") or (low.endswith("ly") and low not in ("fly", "rely", "apply", "reply", "supply", "imply", "rally"))


def _is_participle(tokens: Iterable[str], at: int) -> bool:
    """Whether "I'd" is "I had": what comes next is no plain verb."""
    words = [each.lower() for each in list(tokens)[at + 1 :] if each[0].isalnum() and not (_is_adverb(each.lower()) and each.lower() != "never")]
    return bool(words) and (words[0] in _HAD or (words[0].endswith("ed") and words[0] not in _words("base_ed")))
