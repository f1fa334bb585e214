"""Phase 2: which segments are worth remembering. Rules give each segment an importance and a score, noise is dropped
with its reason, and of the rest as much is kept as `screen.keep_share` of the night's tokens allows, best first.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory_system import rules, slots, text
from memory_system.config import Config
from memory_system.phases import Night
from memory_system.phases.scene import as_rules_see
from memory_system.records import Segment, Turn

REPEATED = "repeated"  # among a segment's rules: the same words were said again
REPEATED_WEIGHT = 0.2

_ALWAYS = 100.0  # added to the score of what is kept whatever the share
_NEVER = -100.0  # the score of what is dropped whatever the share
_WORTH = 1.0  # the score below which a segment says too little, however much room there is
_UNRATIONED = 200  # tokens that any night may keep: rationing a handful of sentences saves nothing
_NOTE = 1.0  # a note was written down to be kept
_SLOT = 0.4  # a rule knows what it says
_FILLED = 24  # tokens from which a segment is no richer for being longer
_PASSAGE = 240  # characters above which an assistant's segment is an essay
_CERTAIN = frozenset({"identity", "health", "safety"})  # kept whatever the share, where a claim rule reads them
_FLEETING = frozenset({"temporary", "schedule", "reminder", "todo"})  # of these the temporary decides
_SAYING = re.compile(r"[^\W_]")  # a letter or a digit
_GRAVE = frozenset({"health", "safety"})  # even where none does


@dataclass(slots=True)
class Verdict:
    """What the rules say of one segment: why it is dropped (or empty), its score for the ranking, its importance, the
    ids of the rules that fired."""

    reason: str
    score: float = _NEVER
    importance: float = 0.0
    rules: tuple[str, ...] = ()


class _Scores:
    """What the first pass holds of every segment of the night, in order: a few numbers. Reasons and sets of rules,
    which are few, are kept once and counted through."""

    def __init__(self) -> None:
        self.scores, self.importance = array("d"), array("d")
        self.costs, self.outcomes = array("l"), array("l")
        self.marks = array("Q")
        self.seen: dict[int, int] = {}
        self.tokens = 0
        self._numbers: dict[tuple[str, ...], int] = {}
        self._outcomes: list[tuple[str, ...]] = []

    def add(self, verdict: Verdict, cost: int, mark: int) -> None:
        """A repeat costs nothing: it will be one memory with the first."""
        self.scores.append(verdict.score)
        self.importance.append(verdict.importance)
        before = self.seen.get(mark)
        self.costs.append(cost if before is None else 0)
        self.outcomes.append(self._number((verdict.reason,) if verdict.reason else verdict.rules))
        self.marks.append(mark)
        self.seen[mark] = (before or 0) + (not verdict.reason)
        self.tokens += cost

    def _number(self, outcome: tuple[str, ...]) -> int:
        number = self._numbers.setdefault(outcome, len(self._outcomes))
        if number == len(self._outcomes):
            self._outcomes.append(outcome)
        return number

    def outcome(self, number: int) -> tuple[str, ...]:
        """The reason why a segment is dropped, else the ids of the rules that fired in it."""
        return self._outcomes[self.outcomes[number]]


def run(turns: Callable[[], Iterator[Turn]], night: Night, tally: Counter[str]) -> Iterator[Turn]:
    """The turns with the segments that are kept, importance and rule ids set. Reads the turns twice: the first pass
    keeps a few numbers a segment. Counts `segments.kept` and `segments.dropped.<reason>`."""
    found = _scores(turns(), Judge(night.config))
    kept = _chosen(found, night.config.screen.keep_share)
    number = 0
    for turn in turns():
        segments = []
        for segment in turn.segments:
            if kept[number]:
                segments.append(_marked(segment, number, found))
                tally["segments.kept"] += 1
            else:
                reason = found.outcome(number)[0] if found.scores[number] <= _NEVER else "share"
                tally[f"segments.dropped.{reason}"] += 1
            number += 1
        if segments:
            yield Turn(turn.message, segments, turn.asked)


def _marked(segment: Segment, number: int, found: _Scores) -> Segment:
    """The segment as it is kept."""
    again = found.seen[found.marks[number]] > 1
    importance = round(min(1.0, found.importance[number] + REPEATED_WEIGHT * again), 2)
    fired = (*found.outcome(number), REPEATED) if again else found.outcome(number)
    return Segment(segment.start, segment.end, segment.kind, importance, fired)


def _scores(turns: Iterator[Turn], judge: Judge) -> _Scores:
    found = _Scores()
    for turn in turns:
        around = text.language(turn.message.text)
        for segment in turn.segments:
            words = turn.text_of(segment)
            cost = text.estimate_tokens(words)
            lang = text.language_within(words, around)
            found.add(judge.verdict(turn, segment, lang, cost), cost, _mark(turn, words))
    return found


def _mark(turn: Turn, words: str) -> int:
    """The same for the same words of the same voice."""
    said = f"{turn.message.role}\0{turn.message.speaker}\0{words.rstrip('。.!！ ')}"
    return int.from_bytes(hashlib.blake2b(said.encode(errors="replace"), digest_size=8).digest())


def _chosen(found: _Scores, share: float) -> bytearray:
    """One byte a segment: whether it is kept. Best first until the share is used up; ties go to the earlier one."""
    kept = bytearray(len(found.scores))
    left = max(share * found.tokens, _UNRATIONED)
    for number in sorted(range(len(kept)), key=lambda each: -found.scores[each]):
        score, cost = found.scores[number], found.costs[number]
        if score <= _NEVER:
            break
        if score >= _ALWAYS / 2 or cost <= left:
            kept[number] = 1
            left -= cost
    return kept


class Judge:
    """The rules with the owner's idea of importance."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._worth: dict[str, float] = {}
        self._category: dict[str, str] = {}

    def verdict(self, turn: Turn, segment: Segment, lang: str, cost: int) -> Verdict:
        """What the rules say of the segment, without a look at the others; `cost` is what it takes in tokens."""
        plain = as_rules_see(turn.text_of(segment))
        if reason := _noise(segment, plain, lang):
            return Verdict(reason)
        fired = rules.together(lang, "signal", "claim", "intrinsic", "weight", "assistant").firing(plain)
        always = any(rule.data.get("always") for rule in fired.get("signal", ()))
        if reason := _unwanted(turn, segment, plain, always, fired):
            return Verdict(reason)
        return self._weighed(turn, fired, lang, cost, always)

    def _weighed(self, turn: Turn, fired: dict[str, list[rules.Rule]], lang: str, cost: int, always: bool) -> Verdict:
        signals, claims, natures = fired.get("signal", []), fired.get("claim", []), fired.get("intrinsic", [])
        sure = {self._category_of(rule) for rule in claims}
        categories = sure | {self._category_of(rule) for rule in natures}
        importance = self._intrinsic(categories) + _weight(signals)
        importance = max(0.0, min(1.0, importance))
        asked = bool(turn.asked) and rules.load(lang)["answer"].fires(turn.asked)
        score = importance + _weight(fired.get("weight")) + min(cost, _FILLED) / _FILLED
        score += _SLOT * bool(claims) + _SLOT * asked + _NOTE * (turn.message.role == "note")
        told = not _first_hand(turn) and _is_told(fired)
        if score < _WORTH and not (claims or told):
            return Verdict("trivial")
        certain = not (_CERTAIN.isdisjoint(sure) and _GRAVE.isdisjoint(categories))
        score += _ALWAYS * (always or (certain and _first_hand(turn)))
        return Verdict("", score, importance, tuple(rule.id for rule in (*signals, *natures, *claims)))

    def _intrinsic(self, categories: set[str]) -> float:
        """The highest worth of the categories; what is temporary counts when nothing lasting is said."""
        if not categories:
            return self._worth_of("general")
        lasting = categories - _FLEETING if "temporary" in categories else categories
        return max(map(self._worth_of, lasting or ("temporary",)))

    def _category_of(self, rule: rules.Rule) -> str:
        if rule.id not in self._category:
            self._category[rule.id] = slots.category_of(rule)
        return self._category[rule.id]

    def _worth_of(self, category: str) -> float:
        if category not in self._worth:
            self._worth[category] = slots.importance_of(category, self._config)
        return self._worth[category]


def _weight(fired: list[rules.Rule] | None) -> float:
    return sum([rule.data["weight"] for rule in fired]) if fired else 0.0


def _first_hand(turn: Turn) -> bool:
    return turn.message.role != "assistant" or bool(turn.message.speaker)


def _noise(segment: Segment, plain: str, lang: str) -> str:
    """Why the segment is noise, or empty."""
    if segment.kind == "chat":
        fired = rules.load(lang)["noise"].firing(plain)
        return str(fired[0].data["reason"]) if fired else "block"
    return "" if _SAYING.search(plain) else "empty"


def _unwanted(turn: Turn, segment: Segment, plain: str, always: bool, fired: dict[str, list[rules.Rule]]) -> str:
    """Why a segment that is no noise is still nothing to remember, or empty."""
    if not _first_hand(turn):
        return "" if _is_assistants(turn, segment, plain, fired.get("assistant", [])) else "assistant"
    if segment.kind == "question":
        return "question"
    if segment.kind == "instruction" and turn.message.role != "note":
        return "" if always or "claim" in fired else "request"
    return ""


def _is_told(fired: dict[str, list[rules.Rule]]) -> bool:
    """Whether an assistant says back what the user told it."""
    return any(rule.data.get("told") for rule in fired.get("assistant", ()))


def _is_assistants(turn: Turn, segment: Segment, plain: str, fired: list[rules.Rule]) -> bool:
    """Whether an assistant's words are worth keeping: a promise, what it says back, a recommendation that was asked
    for; but never what it makes up about the user."""
    if segment.kind == "question" or len(plain) > _PASSAGE:
        return False
    if any(rule.data.get("never") for rule in fired) and not any(rule.data.get("told") for rule in fired):
        return False
    return any(turn.asked or not rule.data.get("asked") for rule in fired if not rule.data.get("never"))
