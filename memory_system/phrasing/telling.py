"""One walk over the words of an English statement, from the first and second person into the third: pronouns become
names or "they", and the verbs after them agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate

from memory_system import text
from memory_system.phrasing.anyone import of_anyone
from memory_system.phrasing.nearby import (
    MODALS,
    is_adverb_at,
    is_called,
    is_gerund,
    is_joined_verb,
    is_numeral,
    is_participle,
    is_seeming,
    of_several,
    stands_alone,
)
from memory_system.phrasing.typed import meant
from memory_system.phrasing.verbs import is_adverb, is_no_verb, plural_of, singular
from memory_system.records import ASSISTANT_NAME
from memory_system.rules.words import is_word, words_of

_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|\s+|.", re.DOTALL)
_QUOTED = re.compile(rf'("[^"]*"|“[^”]*”|`[^`]*`|{text.SINGLE_QUOTATION.pattern})')
_QUOTE = re.compile('["“`]')  # without one of these, or a single mark, nothing is quoted
_SEVERAL = re.compile(r"\b(?:they|them|their|theirs|they're|they've|they'd|they'll)\b", re.IGNORECASE)
_AFTER_STOP = re.compile(r"(?<=[a-z\d)][.!?] )(?:they|their|theirs|the assistant)\b")  # what opens a sentence now
_SPACE = " "
_FAR = 99  # words since the speaker was the subject, when they were not yet
_OWN = 5  # words within which the speaker is still the subject
_NEAR = 4  # words within which "they" is understood
_PAIR = 5  # words of a sentence that begins with two persons, up to the second: "so my wife and"
_MINE = frozenset({"my", "mine", "me", "myself", "our", "ours", "us", "ourselves"})
_OF_ALL = frozenset({"our", "ours", "us", "ourselves"})
_YOURS = frozenset({"your", "yours", "yourself", "yourselves"})
_SPOKEN_TO = re.compile(r"\b(?:you|your|yours|u|ur)\b", re.IGNORECASE)
_PERSONS = frozenset({"i", "we", "you", "let"}) | _MINE | _YOURS
_BLANK, _MARK, _PERSON, _WORD, _PLAIN = "blank", "mark", "person", "word", "plain"  # what a token is to the walk
_JOINING = frozenset({"and", "or", "but"})
_ASKS = re.compile(r"(?:what|who|which|how|why|when|where)\b", re.IGNORECASE)
_TALKED = re.compile(  # "since we last spoke" is said of the two
    r" (?:(?:have|had|haven't|hadn't|last|first|both) )*"
    r"(?:talk|talked|spoke|spoken|chat|chatted|texted|caught up)\b(?! (?:about|with|to|all)\b)",
    re.IGNORECASE,
)
_OUR_TALK = re.compile(
    r" (?:last|latest) (?:chat|talk|conversation|call)\b(?! with\b)| (?:chat|conversation)s?\b(?! \w)"
)
_OF_WHAT = ("of", "in", "into", "to", "on", "for")
_OWN_ONES = frozenset({"we", "my", "mine"})
_BOTH_OF = ["both", " ", "of", " "]
_INVERTED = {
    "am": "is", "do": "does", "are": "is", "have": "has", "were": "was", "don't": "doesn't", "aren't": "isn't",
    "haven't": "hasn't", "weren't": "wasn't", "was": "was", "had": "had",
}  # fmt: skip
_CONTRACTED = {
    "m": ("is", "are"), "re": ("is", "are"), "ve": ("has", "have"), "ll": ("will", "will"), "s": ("is", "is"),
}  # fmt: skip


@cache
def _kinds() -> dict[str, frozenset[str]]:
    """What a word does to the walk: names `others`, opens a clause with `subjects` of its own, is `governing` an
    infinitive, or `joining` a second verb."""
    subjects = (words_of("third") - {"him", "them"}) | {"who", "that", "which"}
    lists = {
        "others": words_of("third") | words_of("plural") | words_of("who_else"),
        "subjects": subjects | {f"{word}'{ending}" for word in subjects for ending in ("s", "re", "ll", "ve", "d")},
        "governing": words_of("governing"),
        "joining": _JOINING,
    }
    every = frozenset[str]().union(*lists.values())
    return {word: frozenset(name for name, each in lists.items() if word in each) for word in every}


@lru_cache(maxsize=8192)  # words return
def _read(token: str) -> tuple[str, str]:
    """The token in small letters and its part in the walk: a plain word is said as it stands unless a verb is due."""
    low = token.lower()
    low = meant().get(low, low).lower()
    if token.isspace():
        return low, _BLANK
    if not low[0].isalnum():
        return low, _MARK
    if low.partition("'")[0] in _PERSONS:
        return low, _PERSON
    return low, _WORD if low in _kinds() or token[0].isupper() else _PLAIN


def _within(place: int, stretches: Sequence[tuple[int, int]]) -> bool:
    return any(first <= place < last for first, last in stretches)


def _tokens_within(stretches: Sequence[tuple[int, int]], tokens: Sequence[str], begins: int) -> frozenset[int]:
    """Which of the tokens, whose first begins at that place, stand in the stretches."""
    if not stretches:
        return frozenset()
    places = accumulate(map(len, tokens), initial=begins)
    return frozenset(at for at, place in enumerate(places) if _within(place, stretches))


class Telling:
    """The walk; it remembers who was spoken of. `named` when the speaker is understood already."""

    def __init__(self, speaker: str, other: str, *, named: bool = False) -> None:
        self._speaker, self._other = speaker, other
        self._advises = speaker == ASSISTANT_NAME["en"]  # and means the one it speaks to by "you", and all by "our"
        self._named = named  # the speaker was named in this sentence
        self._clear = named  # and nobody since whom "they" could mean
        self._understood = named
        self._others = False  # somebody else is "they" in these words: the speaker has a name throughout
        self._anyone: frozenset[int] = frozenset()  # the places at which "you" is anyone
        self._asks = False  # the words ask the other something
        self._to_other = False  # the other is spoken to in these words: "yourself" is said of them, not of anyone
        self._said = -1  # the place up to which the words are told already
        self._since = _FAR
        self._agreeing = ""  # singular or plural: what the next verb must be; empty when it need not
        self._present = False  # the last verb agreed: one joined to it must too
        self._joined = False  # after and, or, but
        self._infinitive = False  # after to, will and the like
        self._out: list[str] = []

    def tell(self, words: str) -> str:
        self._asks = _ASKS.match(words) is not None
        anyone = [] if self._advises or "you" not in words.lower() else list(of_anyone(words))
        self._others = not self._understood and _SEVERAL.search(words) is not None
        self._to_other = self._advises or any(not _within(each.start(), anyone) for each in _SPOKEN_TO.finditer(words))
        parts = _QUOTED.split(words) if _QUOTE.search(words) or text.may_quote(words) else (words,)
        begins = 0
        for number, part in enumerate(parts):
            if number % 2:
                self._out.append(part)  # a quotation and code stay as they are
            else:
                tokens = _TOKEN.findall(part)
                self._anyone = _tokens_within(anyone, tokens, begins)
                self._walk(tokens)
            begins += len(part)
        return _AFTER_STOP.sub(lambda found: found[0][:1].upper() + found[0][1:], "".join(self._out))

    def _walk(self, tokens: Sequence[str]) -> None:
        self._said = -1
        for at, token in enumerate(tokens):
            if at <= self._said:
                continue
            if token == _SPACE:  # every second one
                self._out.append(token)
                continue
            low, role = _read(token)
            if role == _BLANK or (role == _PLAIN and not (self._agreeing or self._joined)):
                self._since += role == _PLAIN
                self._out.append(token)
            elif role == _MARK:
                self._mark(token)
            elif role != _PERSON or not self._pronoun(low, tokens, at):
                self._word(low, token, tokens, at)

    def _mark(self, mark: str) -> None:
        self._out.append(mark)
        if mark in ".!?;":
            self._since, self._agreeing, self._present = _FAR, "", False

    # ---- words that are no pronoun ----

    def _word(self, low: str, token: str, tokens: Sequence[str], at: int) -> None:
        self._since += 1
        if self._agreeing and (low in _JOINING or is_word("third", low)):
            self._agreeing = ""  # "I told you they would": another one is the subject; "both you and Jo": so is she
        if self._agreeing and token[0].islower() and not is_adverb_at(low, tokens, at):  # no verb has a capital
            self._verb(low, token, tokens, at)
        elif self._joined and self._present and not self._infinitive and is_joined_verb(low, tokens, at):
            self._out.append(singular(token))
            self._joined = False
        else:
            self._plain(low, token)

    def _verb(self, low: str, token: str, tokens: Sequence[str], at: int) -> None:
        said = token
        if self._agreeing == "plural":
            said = plural_of(low, token)
        elif not is_no_verb(low):
            said = singular(token)
        if low == "use" and list(tokens[at + 1 : at + 4]) == [" ", "to", " "]:
            said = "used"  # "I use to live there" is a slip for "used to"
        self._out.append(said)
        self._present = self._agreeing == "singular" and said != token
        self._infinitive = is_word("auxiliaries", low)
        self._agreeing = ""

    def _plain(self, low: str, token: str) -> None:
        kinds = _kinds().get(low)
        if kinds:
            self._turn(kinds)
        if self._clear and token[0].isupper() and self._out and not is_word("not_names", token):
            self._clear = False
        if self._joined and not (kinds and "joining" in kinds) and not is_adverb(low):
            self._joined = False
        self._out.append(token)

    def _turn(self, kinds: frozenset[str]) -> None:
        """What a word of those kinds changes for the words after it."""
        if "others" in kinds:
            self._clear = False
        if "subjects" in kinds:
            self._present = False
        if "governing" in kinds:
            self._infinitive = True
        if "joining" in kinds:
            self._joined = True

    # ---- pronouns ----

    def _pronoun(self, low: str, tokens: Sequence[str], at: int) -> bool:
        """Whether the token was a word of the first or second person; if so it has been said."""
        base, _, ending = low.partition("'")
        if base == "i" and (tokens[at][0] == "I" or ending or stands_alone(tokens, at)):
            if not ending and is_numeral(tokens, at):
                return False
            self._first(ending, tokens, at)
        elif low in _OF_ALL and self._advises:
            self._out.append(tokens[at])
        elif said := self._of_more(low, tokens, at):
            self._out.append(said)
        elif low in _MINE:
            self._own(low)
        elif base == "we":
            self._we(ending, tokens, at)
        elif low in _YOURS:
            self._out.append(self._yours(low, anyones=at in self._anyone))
        elif base == "you":
            self._second(ending, tokens, at)
        elif base == "let" and ending == "s":
            self._lets(tokens, at)
        else:
            return False
        self._joined = False
        return True

    def _first(self, ending: str, tokens: Sequence[str], at: int) -> None:
        pair = self._is_pair(tokens, at)
        told = self._out[-2:] == [self._speaker, _SPACE]  # "she told me I": the name stands right before
        again = ((self._clear and self._since <= _NEAR) or told) and not (pair or self._others)
        self._out.append("they" if again else self._speaker)
        self._named = self._clear = True
        self._since, self._infinitive, self._present = 0, False, False
        asking = not again and self._invert(tokens, at)
        self._agreeing = "" if pair or asking else "plural" if again else "singular"
        self._contract(ending, tokens, at, single=not again and not pair)

    def _is_pair(self, tokens: Sequence[str], at: int) -> bool:
        """Whether this is the end of "my wife and I": several people, so that the verb stays as it is."""
        if tokens[at].lower().endswith("m") or at < 2 or tokens[at - 2].lower() != "and":
            return False  # "and I'm" begins another clause
        begins = next((place + 1 for place in range(at - 1, -1, -1) if tokens[place] in ".!?;"), 0)
        before = [each.lower() for each in tokens[begins:at] if each[0].isalnum()]
        if not 1 < len(before) <= _PAIR or self._since < _FAR - 10 or self._present:
            return False
        if tokens[max(0, at - 4) : at - 3] == [","]:
            return False  # "be patient, and I …" is two clauses
        return not any(
            is_word("verbs", each)
            or is_word("past", each)
            or is_word("finite", each)
            or each.endswith(("ed", "ing", "gonna", "gotta", "'re", "'ve", "'ll", "'d"))
            for each in before[:-1]
        )

    def _contract(self, ending: str, tokens: Sequence[str], at: int, *, single: bool) -> None:
        """What stands behind the apostrophe, as a word of its own."""
        if not ending:
            return
        if ending == "d":
            said = "had" if is_participle(tokens, at) else "would"
        else:
            said = _CONTRACTED.get(ending, ("", ""))[0 if single else 1]
        self._out.append(f" {said}")
        self._present, self._infinitive = said in ("is", "has"), said in ("will", "would")
        self._agreeing = ""

    def _own(self, low: str) -> None:
        name, known = self._speaker, self._named and self._clear and not self._others
        several = "them" if self._named and not self._others else f"{name} and others"
        understood = known or (self._named and low.startswith("our") and not self._others)
        own, owns = ("their", "theirs") if understood else (f"{name}'s", f"{name}'s")
        self._out.append(
            {"my": own, "our": own, "mine": owns, "ours": owns, "me": "them" if known else name, "us": several}.get(
                low, "themselves"
            )
        )
        self._named = self._named or low in ("my", "our", "me", "us")
        self._agreeing = ""
        self._since += 1

    def _of_more(self, low: str, tokens: Sequence[str], at: int) -> str:
        """What "our" and "us" are told as where they mean everybody ("a part of our lives") or the two who talk ("our
        last chat"); empty elsewhere."""
        if low not in ("our", "us") or self._own_is_said(tokens, at):
            return ""
        after = "".join(tokens[at + 1 : at + 7]).lower()
        if low == "our" and not self._named:
            of_what = at > 1 and tokens[at - 2].lower() in _OF_WHAT
            if of_what and is_word("everybodys", after.strip().partition(" ")[0]):
                return "people's"
            if self._out and is_gerund(self._out[0].lower()):
                return "one's"  # "discovering our passions is rewarding"
        if self._named and not self._clear:  # somebody else was named, and may be meant
            return ""
        if low == "our" and _OUR_TALK.match(after):
            return f"{self._speaker} and {self._other}'s"
        if low == "us" and self._other != ASSISTANT_NAME["en"] and self._out[-4:] == _BOTH_OF and after[:1] != ",":
            del self._out[-4:]
            return f"{self._speaker} and {self._other}"
        return ""

    def _own_is_said(self, tokens: Sequence[str], at: int) -> bool:
        """Whether the words speak of what is the speaker's own, or of what "we" do, so that "our" may mean those."""
        return any(each.lower().partition("'")[0] in _OWN_ONES for each in tokens[:at])

    def _yours(self, low: str, *, anyones: bool) -> str:
        if low.startswith("yoursel"):
            return "oneself" if anyones or not self._to_other else "themselves"
        return "one's" if anyones else f"{self._other}'s"

    def _lets(self, tokens: Sequence[str], at: int) -> None:
        """What is said to somebody is done with them; an assistant says so of what it is about to do. Before a capital
        it is a name: Let's Encrypt."""
        if tokens[at][0].isupper() and at + 2 < len(tokens) and tokens[at + 2][0].isupper():
            self._out.append(tokens[at])
            return
        assistant = self._speaker == ASSISTANT_NAME["en"]
        self._out.append(f"{self._speaker} " + ("sets out to" if assistant else f"suggests to {self._other} that they"))
        self._named = True

    def _we(self, ending: str, tokens: Sequence[str], at: int) -> None:
        both = list(tokens[at + 1 : at + 3]) == [_SPACE, "both"]  # "we're both tired"
        known = both and self._named  # somebody else was spoken of: "my sister rows, and we both like it"
        again = self._named and not self._others and (known or self._since < _FAR)
        others = "others"
        if self._speaker == ASSISTANT_NAME["en"] or _TALKED.match("".join(tokens[at + 1 : at + 8])):
            others = self._other
        elif both and not known:
            others = "another" if self._other == ASSISTANT_NAME["en"] else self._other
        self._out.append("they" if again else f"{self._speaker} and {others}")
        self._named, self._clear, self._present, self._agreeing = True, False, False, ""
        self._contract(ending, tokens, at, single=False)

    def _second(self, ending: str, tokens: Sequence[str], at: int) -> None:
        before = next((each.lower() for each in reversed(tokens[:at]) if each[0].isalnum()), "")
        after = next((each.lower() for each in tokens[at + 1 :] if each[0].isalnum()), "")
        if before == "of" and at > 3 and is_word("several", tokens[at - 4].lower()):
            self._out.append("them")  # "both of you"
            self._clear = False
            return
        if not ending and (several := of_several([each.lower() for each in tokens[at + 1 : at + 5]])):
            self._out.append(f"{self._other} and others")
            self._said, self._clear, self._agreeing = at + several, False, ""
            return
        moved = is_word("of_anyone", before)  # "it makes you feel alive"
        of_other = self._advises or self._since <= _OWN or self._asks  # "I could help you", "what gave you the idea"
        anyone = at in self._anyone or (moved and not of_other)
        self._out.append("one" if anyone else self._other)
        self._clear, self._present = False, False
        is_object = moved or is_word("before_object", before) or is_word("after_verb", after) or is_gerund(before)
        is_object = is_object or after == "of"  # "it reminded you of home"
        is_object = is_object and not is_seeming(tokens, at)  # "it sounds like you have a plan"
        is_object = is_object or (is_called(tokens, at) and before not in ("", *_JOINING))  # "I'll miss you, Leo, …"
        asking = not anyone and self._invert(tokens, at)
        self._agreeing = "" if is_object or asking else "singular"
        self._contract(ending, tokens, at, single=True)

    def _invert(self, tokens: Sequence[str], at: int) -> bool:
        """Whether a modal or an auxiliary stands before the person just named, as in "do you know" and "what can I do":
        that one agrees, and no other verb."""
        if at < 2 or not tokens[at - 1].isspace():
            return False
        before = tokens[at - 2].lower()
        if at > 3 and is_word("governing", tokens[at - 4].lower()):
            return False  # "glad to have you" asks nothing
        if before in _INVERTED:
            said = _INVERTED[before]
            self._out[-3] = said.capitalize() if tokens[at - 2].istitle() else said
        return before in _INVERTED or before in MODALS
