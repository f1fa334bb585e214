"""Phase 2: which segments are worth remembering. Rules give each segment an importance and a score, noise is dropped with
its reason, and of the rest as much is kept as `screen.keep_share` of the night's tokens allows, best first.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory_system import rules, slots, text
from memory_system.phases import Night
from memory_system.phases.scene import as_rules_see
from memory_system.records import Segment, Turn

_ALWAYS = 100.0  # added to the score of what is kept whatever the share
_NEVER = -100.0  # the score of noise
_WORTH = 1.0  # the score below which a segment says too little, however much room there is
_UNRATIONED = 200  # tokens that any night may keep: rationing a handful of sentences saves nothing
_REPEATED = 0.2
_NOTE = 1.0  # a note was written down to be kept
_SLOT = 0.4  # a rule knows what it says
_FILLED = 24  # tokens from which a segment is no richer for being longer
_CERTAIN = ("identity", "health", "safety")
_PASSAGE = 240  # columns above which an assistant's segment is an essay


@dataclass(slots=True)
class Verdict:
    """What the rules say of one segment: why it is dropped (or empty), its score for the ranking, its importance, the
    ids of the rules that fired."""

    reason: str
    score: float
    importance: float
    rules: tuple[str, ...]


def run(turns: Callable[[], Iterator[Turn]], night: Night, tally: Counter[str]) -> Iterator[Turn]:
    """The turns with the segments that are kept, importance and rule ids set. Reads the turns twice: the first pass
    keeps a few numbers a segment. Counts `segments.kept` and `segments.dropped.<reason>`."""
    scores, seen = _scores(turns(), night)
    kept = iter(_chosen(scores, night.config.screen.keep_share))
    for turn in turns():
        segments, groups = [], rules.load(text.language(turn.message.text))
        for segment in turn.segments:
            chosen = next(kept)
            verdict = judge(turn, segment, groups, night)
            if chosen:
                again = seen[_mark(turn, segment)] > 1
                segment.importance = round(min(1.0, verdict.importance + _REPEATED * again), 2)
                segment.rules = (*verdict.rules, "repeated") if again else verdict.rules
                segments.append(segment)
            tally["segments.kept" if chosen else f"segments.dropped.{verdict.reason or 'share'}"] += 1
        if segments:
            yield Turn(turn.message, segments, turn.asked)


@dataclass(slots=True)
class _Scores:
    """Score and cost of every segment of the night, in order; `tokens` is what the whole night costs."""

    scores: array[float]
    costs: array[float]
    tokens: int = 0


def _scores(turns: Iterator[Turn], night: Night) -> tuple[_Scores, Counter[bytes]]:
    """The first pass. A repeat costs nothing: it will be one memory with the first."""
    found = _Scores(array("d"), array("d"))
    seen: Counter[bytes] = Counter()
    for turn in turns:
        groups = rules.load(text.language(turn.message.text))
        for segment in turn.segments:
            cost = text.estimate_tokens(turn.text_of(segment))
            verdict = judge(turn, segment, groups, night)
            mark = _mark(turn, segment)
            found.tokens += cost
            found.scores.append(_NEVER if verdict.reason else verdict.score)
            found.costs.append(0 if mark in seen else cost)
            if not verdict.reason:
                seen[mark] += 1
    return found, seen


def _mark(turn: Turn, segment: Segment) -> bytes:
    """The same for the same words of the same voice."""
    words = f"{turn.message.role}\0{turn.message.speaker}\0{turn.text_of(segment).rstrip('。.!！ ')}"
    return hashlib.blake2b(words.encode(errors="replace"), digest_size=8).digest()


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


def judge(turn: Turn, segment: Segment, groups: rules.Groups, night: Night) -> Verdict:
    """What the rules say of the segment, without a look at the others."""
    plain = as_rules_see(turn.text_of(segment))
    if reason := _noise(turn, segment, plain, groups):
        return Verdict(reason, _NEVER, 0.0, ())
    signals, claims = groups["signal"].firing(plain), groups["claim"].firing(plain)
    always = any(rule.data.get("always") for rule in signals)
    if reason := _unwanted(turn, segment, plain, always, claims, groups):
        return Verdict(reason, _NEVER, 0.0, ())
    natures = groups["intrinsic"].firing(plain)
    categories = {slots.category_of(rule) for rule in claims} | {str(rule.data["category"]) for rule in natures}
    intrinsic = _intrinsic(categories, night)
    importance = max(0.0, min(1.0, intrinsic + sum(rule.data["weight"] for rule in signals)))
    certain = any(slots.category_of(rule) in _CERTAIN for rule in claims) or "safety" in categories or "health" in categories
    weights = groups["weight"].firing(plain)
    score = importance + sum(rule.data["weight"] for rule in weights) + _SLOT * bool(claims)
    score += min(text.estimate_tokens(plain), _FILLED) / _FILLED + _NOTE * (turn.message.role == "note")
    score += _SLOT * bool(turn.asked and groups["answer"].fires(turn.asked))
    if score < _WORTH and not claims:
        return Verdict("trivial", _NEVER, 0.0, ())
    score += _ALWAYS * (always or (certain and _first_hand(turn)))
    return Verdict("", score, importance, tuple(rule.id for rule in (*signals, *natures, *claims)))


def _intrinsic(categories: set[str], night: Night) -> float:
    """The highest importance of the categories; what is temporary counts only when nothing else is said."""
    lasting = categories - {"temporary"} or categories or {"general"}
    return max(slots.importance_of(each, night.config) for each in lasting)


def _first_hand(turn: Turn) -> bool:
    return turn.message.role != "assistant" or bool(turn.message.speaker)


def _noise(turn: Turn, segment: Segment, plain: str, groups: rules.Groups) -> str:
    """Why the segment is noise, or empty."""
    if segment.kind == "chat":
        fired = groups["noise"].firing(plain)
        return str(fired[0].data["reason"]) if fired else ("block" if "\n" in plain else "chatter")
    if not any(char.isalnum() for char in plain):
        return "empty"
    return ""


def _unwanted(
    turn: Turn, segment: Segment, plain: str, always: bool, claims: list[rules.Rule], groups: rules.Groups
) -> str:
    """Why a segment that is no noise is still nothing to remember, or empty."""
    if not _first_hand(turn):
        fired = groups["assistant"].firing(plain) if segment.kind != "question" and len(plain) <= _PASSAGE else []
        wanted = any(turn.asked or not rule.data.get("asked") for rule in fired)
        unsaid = any(rule.data.get("never") for rule in fired) and not any(rule.id.endswith(".told") for rule in fired)
        return "" if wanted and not unsaid else "assistant"
    if segment.kind == "question":
        return "question"
    if segment.kind == "instruction" and turn.message.role != "note":
        return "" if always or claims else "request"
    return ""
