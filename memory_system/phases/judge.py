"""What a segment is worth by itself: noise is dropped with its reason, the rest gets an importance, a score for the
ranking, and what it will cost to keep.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory_system import attributes, rules, text
from memory_system.config import Config
from memory_system.phases.understanding import dating
from memory_system.phases.understanding.answers import is_grave
from memory_system.phases.understanding.asked import tells_of, tells_the_topic
from memory_system.phases.understanding.confided import tells_in_confidence
from memory_system.phases.understanding.essays import closes
from memory_system.phases.understanding.hanging import may_say_little, says_little, what_stands
from memory_system.phases.understanding.leaning import is_elliptic
from memory_system.phases.understanding.mood import may_read
from memory_system.phases.understanding.scene import as_rules_see, fired_in, kinds_in
from memory_system.phases.understanding.still import asks_whether_still
from memory_system.phases.understanding.stopped import says_stopped
from memory_system.rules.words import idle
from memory_system.turns import Segment, Turn

ALWAYS = 100.0  # added to the score of what is kept whatever the share
NEVER = -100.0  # the score of what is dropped whatever the share
_WORTH = 0.4  # the score below which a segment says too little, however much room there is
_SAYS = 1  # tokens that telling adds beside the speaker's name
_ESSAY = 240  # characters above which an assistant's segment is a passage of a long answer
_TOLD = 0.69  # of the tokens of such a passage: marks, numbers of lists and what rounds it off are not told
_DETAILS = 4  # words a question must have beside the common ones to tell something of who asks
_DETAILS_ASKED_FOR = {"en": 4, "zh": 2.5}  # and a request: its verb is a word in English, of common signs in Chinese
_INFORMATIVE = 6  # and an assistant's answer, to be worth asking about again

# What the score is made of beside the `weight` rules. Their weights and these were fitted together on talk of several
# kinds in both languages, then rounded; none of them decides by itself.
_IMPORTANCE = 0.4
_WORD = 0.1  # a word that not every sentence has
_MOST_WORDS = 12
_LONG = 0.025  # less for every token above _SHORT: others could have the room
_SHORT = 28
_WHOLE = 45  # that many count of a passage of an answer: all are as long, and the first, which names it, leads
_FEW = {"en": 1, "zh": 0.5}  # such words: a sentence that has no more of them, and no number, is
_EMPTY = -1.0  # a cheer, or for somebody who knows of what: nobody else could understand it
_SLOT = 0.4  # a rule knows what it says
_ANSWERS = 0.5  # a person answers another's question
_ASKS = -0.6
_ASSISTANT = -1.0  # people's own words come first
_NOTE = 1.0  # a note was written down to be kept
_REMARK = -1.0  # in Chinese, on what an assistant has just said: of oneself it tells nothing

_OWN = 5  # tokens of the memory of a slot that holds one value, which stands beside that of its sentence
_ALONE = 16  # tokens up to which a sentence says nothing beside it
_NOT_OF_ONESELF = ("weight", "assistant")  # what an assistant says fills no slot
_ASKING = ("question", "instruction")
_LASTING = frozenset({"identity", "health", "relation", "status", "contact", "instruction"})
_FLEETING = frozenset({"temporary", "schedule", "reminder", "todo"})  # of these the temporary decides
_SAYING = re.compile(r"[^\W_]")  # a letter or a digit
_WORDS = re.compile(r"[a-z]{4,}")
_CHANGES = frozenset({"called_off", "stays_away", "moved", "redated", "died", "over"})  # cues of what was arranged
_NUMBER = re.compile(r"\d|[一二两三四五六七八九十百千万]")
_NAME_LETTERS = 4  # of a Latin name to a token
_LETTERS = 5  # letters of a Latin word among Han characters, and the blank after it

Fired = Mapping[str, list[rules.Rule]]


@dataclass(slots=True)
class Verdict:
    """What the rules say of one segment: why it is dropped (or empty), its own length in tokens, its score for the
    ranking, its importance, the tokens it takes when it is kept, the ids of the rules that fired, whether it begins
    as a reaction to what another said, whether it tells of what lasts (a slot, or how it goes with somebody), whether
    nobody could understand it alone."""

    reason: str
    tokens: int
    score: float = NEVER
    importance: float = 0.0
    cost: int = 0
    rules: tuple[str, ...] = ()
    reacts: bool = False
    lasting: bool = False
    hangs: bool = False


@dataclass(slots=True)
class Look:
    """A segment as the rules see it: its words, their language, the rules that fire in them (none where it is chat)."""

    plain: str
    lang: str
    fired: Fired


def looks(turns: Iterable[Turn]) -> list[list[Look]]:
    """The segments of each turn as the rules see them. All rules look at all of them before anything else is done: what
    many patterns need is much, and stays in the processor's cache meanwhile."""
    return [[_look(turn, segment) for segment in turn.segments] for turn in turns]


def _look(turn: Turn, segment: Segment) -> Look:
    said = turn.text_of(segment)
    plain, lang = as_rules_see(said), text.language_within(said, text.language(turn.message.text))
    if segment.kind == "chat":
        return Look(plain, lang, {})
    groups = rules.together(lang, *_NOT_OF_ONESELF)
    return Look(plain, lang, fired_in(plain, lang) if turn.message.is_first_hand else groups.firing(plain))


class Judge:
    """The rules with the owner's idea of importance."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._worth: dict[str, float] = {}
        self._category: dict[str, str] = {}

    def verdict(self, turn: Turn, segment: Segment, look: Look) -> Verdict:
        """What the rules say of the segment, without a look at the others."""
        plain, lang, fired = look.plain, look.lang, look.fired
        tokens, words = _counted(plain, lang)
        if reason := _noise(segment, plain, lang):
            return Verdict(reason, tokens)
        first_hand = turn.message.is_first_hand
        reacts = any(rule.data.get("reacts") for rule in fired.get("weight", ()))
        always = first_hand and any(rule.data.get("always") for rule in fired.get("signal", ()))
        always |= segment.kind == "statement" and _answers_gravely(turn, lang)
        if reason := _unwanted(turn, segment, plain, fired, words, lang, always=always):
            return Verdict(reason, tokens, reacts=reacts)
        empty = words <= _FEW[lang] and not (_NUMBER.search(plain) or (turn.asked and tells_the_topic(turn.asked)))
        verdict = self._weighed(turn, segment, lang, fired, words, tokens, plain=plain, always=always, empty=empty)
        verdict.reacts = reacts
        if may_say_little(words, lang) and not (fired.get("claim") or fired.get("intrinsic")):
            verdict.hangs = _hangs(verdict, turn, plain, lang)
        if first_hand:
            verdict.cost += dating.cost_of(plain, lang)
        verdict.cost -= plain.count("n't") + plain.count("t's ")  # told without contractions
        if lang == "zh" and turn.message.speaker:
            verdict.cost += _longer(turn.message.speaker) * plain.count("我")
        if blanks := turn.message.speaker.count(" "):
            verdict.cost += blanks * (plain.count(" I ") + plain.count(" i "))  # each is a name of more than one word
        return verdict

    def _weighed(
        self,
        turn: Turn,
        segment: Segment,
        lang: str,
        fired: Fired,
        words: float,
        tokens: int,
        *,
        plain: str,
        always: bool,
        empty: bool,
    ) -> Verdict:
        signals, claims, natures = fired.get("signal", []), fired.get("claim", []), fired.get("intrinsic", [])
        sure = {self._category_of(rule) for rule in claims}
        categories = sure | {self._category_of(rule) for rule in natures}
        importance = max(0.0, min(1.0, self._intrinsic(categories) + _weight(signals)))
        first_hand = turn.message.is_first_hand
        score = _IMPORTANCE * importance + _weight(fired.get("weight")) + _WORD * min(words, _MOST_WORDS)
        score += _EMPTY * (empty and first_hand and not (claims or natures))
        score += _SLOT * bool(claims) + _NOTE * turn.message.is_noted
        if score < _WORTH and not (always or claims or _says_after_all(turn, plain, fired, lang)):
            return Verdict("trivial", tokens, cost=tokens)
        over = _WHOLE if tokens > 2 * _SHORT and not first_hand else max(0, tokens - _SHORT)
        score += _ASKS * (segment.kind == "question") - _LONG * over - _behind(fired)
        score += _REMARK * (lang == "zh" and _is_remark(turn, fired) and not (claims or natures))
        score += _ANSWERS * bool(turn.asked) if first_hand else _ASSISTANT
        # kept whatever the share where a claim rule reads it, and the grave even where none does
        certain = not (attributes.CERTAIN.isdisjoint(sure) and attributes.GRAVE.isdisjoint(categories))
        certain &= bool(claims) or not any(rule.data.get("announces") for rule in fired.get("weight", ()))
        score += ALWAYS * (always or (certain and first_hand and segment.kind != "question"))
        told = int(_TOLD * tokens) if segment.end - segment.start > _ESSAY and not first_hand else tokens
        cost = (
            told
            + _added(turn.message.speaker, fired.get("weight", ()))
            + _OWN * (tokens > _ALONE) * sum(map(_is_single, claims))
        )
        ids = tuple(rule.id for rule in (*signals, *natures, *claims))
        lasting = first_hand and segment.kind != "question" and not (sure | categories).isdisjoint(_LASTING)
        return Verdict("", tokens, score, importance, cost, ids, lasting=lasting)

    def _intrinsic(self, categories: set[str]) -> float:
        """The highest worth of the categories; what is temporary counts when nothing lasting is said."""
        if not categories:
            return self._worth_of("general")
        lasting = categories - _FLEETING if "temporary" in categories else categories
        return max(map(self._worth_of, lasting or ("temporary",)))

    def _category_of(self, rule: rules.Rule) -> str:
        if rule.id not in self._category:
            self._category[rule.id] = attributes.category_of(rule)
        return self._category[rule.id]

    def _worth_of(self, category: str) -> float:
        if category not in self._worth:
            self._worth[category] = attributes.importance_of(category, self._config)
        return self._worth[category]


def _hangs(verdict: Verdict, turn: Turn, plain: str, lang: str) -> bool:
    """Whether what is kept of a person's words could be understood by nobody alone."""
    if verdict.reason or verdict.score > ALWAYS / 2 or not turn.message.is_first_hand or turn.message.is_noted:
        return False
    return says_little(plain, lang) and not what_stands(plain, lang)


def _weight(fired: list[rules.Rule] | None) -> float:
    return sum([rule.data["weight"] for rule in fired]) if fired else 0.0


def _behind(fired: Fired) -> float:
    """How far what is worth keeping still comes behind the rest (`behind`): a picture, whose words nobody said."""
    behind: float = sum([rule.data.get("behind", 0.0) for rule in fired.get("weight", ())])
    return behind


def _added(speaker: str, fired: Iterable[rules.Rule]) -> int:
    """The tokens that telling adds: who says it, and what the rules know of (`adds`): "I" only gives way to the name, a
    date is written out."""
    adds: int = sum([rule.data.get("adds", 0) for rule in fired])
    return speaker.count(" ") + 1 + _SAYS + adds


def _longer(name: str) -> int:
    """The tokens that a Chinese sentence grows by where the name stands for 我."""
    return (len(name) // _NAME_LETTERS if name.isascii() else len(name)) - 1


def _is_single(rule: rules.Rule) -> bool:
    """Whether what the rule reads is a memory of its own beside the sentence."""
    return bool(attributes.about(str(rule.data.get("attribute", ""))).get("single"))


def _counted(plain: str, lang: str) -> tuple[int, float]:
    """About how many tokens the text takes (a Latin word, a Han character, a mark), and how many different words it has
    that not every sentence has; two Han characters make a word, and so do four letters or more."""
    if plain.isascii():
        tokens = 2 + plain.count(" ") + plain.count(",") + 2 * plain.count("'")  # and a mark at the end
    else:
        wide = (len(plain.encode(errors="replace")) - len(plain)) // 2
        tokens = wide + (len(plain) - wide) // _LETTERS
    words = {*_WORDS.findall(plain.lower())}
    if lang == "zh":
        return tokens, len({*plain} - idle(lang, "common")) / 2 + len(words)
    return tokens, len(words - idle(lang, "common"))


def _noise(segment: Segment, plain: str, lang: str) -> str:
    """Why the segment is noise, or empty."""
    if segment.kind == "chat":
        fired = kinds_in(plain, lang).get("noise")
        return str(fired[0].data["reason"]) if fired else "block"
    return "" if _SAYING.search(plain) else "empty"


def _unwanted(turn: Turn, segment: Segment, plain: str, fired: Fired, words: float, lang: str, *, always: bool) -> str:
    """Why a segment that is no noise is still nothing to remember, or empty."""
    if "[secret:" in plain and _is_only_secret(plain, lang):
        return "secret"
    if not turn.message.is_first_hand:
        return "" if _is_assistants(turn, segment, plain, fired, words, lang) else "assistant"
    if segment.kind not in _ASKING or turn.message.is_noted:
        return ""
    details = _DETAILS_ASKED_FOR[lang] if segment.kind == "instruction" else _DETAILS
    if words >= details and any(rule.data.get("own") for rule in fired.get("weight", ())):
        return ""  # what is asked for tells what they are about
    if segment.kind == "question":
        return "question"
    if always or any(may_read(rule, turn, segment) for rule in fired.get("claim", ())):
        return ""
    return "" if tells_in_confidence(plain, lang) else "request"


def _is_only_secret(plain: str, lang: str) -> bool:
    """Whether nothing is told but what is masked: it would take the place of what can be remembered."""
    return any(rule.data.get("drop") == "secret" for rule in rules.load(lang)["modality"].firing(plain))


def _is_remark(turn: Turn, fired: Fired) -> bool:
    """Whether a person, unasked, says something to an assistant's answer and nothing of themselves."""
    if not (turn.answered and turn.message.is_first_hand) or turn.asked:
        return False
    return not any(rule.data.get("own") or rule.data.get("names") for rule in fired.get("weight", ()))


def _says_after_all(turn: Turn, plain: str, fired: Fired, lang: str) -> bool:
    """Whether the words, worth little by themselves, still tell something."""
    if not turn.message.is_first_hand:
        return _is_told(fired)
    return _fills_in(turn, plain, lang) or _puts_off(plain, lang)


def _fills_in(turn: Turn, plain: str, lang: str) -> bool:
    """Whether even a single word may be what was asked for: where somebody lives, what they are called, whether they
    still do, and when or where something is that the question names."""
    asked = turn.asked
    if not asked:
        return False
    if rules.load(lang)["answer"].fires(asked) or asks_whether_still(asked, lang):
        return True
    return is_elliptic(plain, lang) and tells_of(plain, asked, lang, first_hand=True)


def _puts_off(plain: str, lang: str) -> bool:
    """Whether the words, few as they are, change what was arranged (Dad can't make it) or what was just told."""
    return says_stopped(plain, lang) or not _CHANGES.isdisjoint(
        str(rule.data["cue"]) for rule in rules.load(lang)["revision"].firing(plain)
    )


def _answers_gravely(turn: Turn, lang: str) -> bool:
    """Whether it answers what must not be lost: what somebody is allergic to, which medicines they take."""
    if not (turn.asked and turn.message.is_first_hand):
        return False
    return any(map(is_grave, rules.load(lang)["answer"].firing(turn.asked)))


def _is_told(fired: Fired) -> bool:
    """Whether an assistant says back what the user told it."""
    return any(rule.data.get("told") for rule in fired.get("assistant", ()))


def _is_assistants(turn: Turn, segment: Segment, plain: str, fired: Fired, words: float, lang: str) -> bool:
    """Whether an assistant's words are worth keeping: a promise, a recommendation that was asked for or has a name,
    what it says back, a rich answer; but never what it makes up about the user."""
    if segment.kind == "question":
        return False
    if len(plain) > _ESSAY:
        return True  # nobody gets a long answer unasked
    if closes(plain, lang):
        return False
    saying = fired.get("assistant", ())
    if not _is_told(fired) and any(rule.data.get("never") for rule in saying):
        return False
    wanted = bool(turn.asked) or any(rule.data.get("names") for rule in fired.get("weight", ()))
    rich = bool(turn.asked) and words >= _INFORMATIVE
    return rich or any(wanted or not rule.data.get("asked") for rule in saying)
