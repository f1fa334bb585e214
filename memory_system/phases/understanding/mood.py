"""How a segment is meant: stated, planned, hedged, heard; or not meant at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory_system import rules, text
from memory_system.phases.understanding.essays import width
from memory_system.phases.understanding.leaning import leans
from memory_system.turns import Segment, Turn

_BEFORE = 30  # characters before a segment that may say that it corrects something
_AFTER = 60  # characters after a segment in which a joke may be taken back
_AT_ONCE = 6  # characters that may stand before that
_ENOUGH = 12  # columns that say something
_TAKEN_BACK = re.compile(
    r"(?:^|[.!?,])\W*(?:(?:haha+|no|ok|i'm|just|only|totally)\W+)*(?:kidding|joking|jk)\b\W*"
    r"|(?:^|[。！？，,.])\W*(?:哈+\W*)?(?:逗你(?:的|玩)|骗你的|开(?:个|你)?玩笑|说着玩)(?:的|啦|呢)*\W+",
    re.IGNORECASE,
)
_SENTENCE_ENDS = ".!?。！？\n"
_LEAST_LEAD = 4  # characters that can say so
_REAL = re.compile(  # what goes on with something else
    r"\W*(?:(?:but|although|actually|in real|irl|by the way|btw|also)\b|但|不过|其实|现实|真实|对了|另外|还有|顺便)",
    re.IGNORECASE,
)
_LEAST_STATED = 20  # columns of a clause that says something certain
_STATED = {  # what is said before a guess in the same sentence: a clause of its own that states something
    "en": re.compile(
        r"(?!(?:(?:and|but|so|well|ok|also),? )*(?:if|when|while|once|unless|since|because|as|after|before|although"
        r"|though|whether|given|in case|according)\b)"
        r"(?:.*\b)?(?:i|we|he|she|they|it|my|our|his|her|their)\b(?!.*\b(?:if|unless)\b)"
        r".*?(?:[,;]| [-–—]|[–—])\s*(?:[\w'’]+ ){0,4}$",
        re.IGNORECASE | re.DOTALL,
    ),
    "zh": re.compile(
        "(?!(?:那|不过|但是?|而且|所以)?(?:如果|要是|假如|当|等|除非|因为|虽然|既然|万一|听|据))(?=.*[我他她它了过])"
        "(?!.*(?:如果|要是|的话|[吗呢？])).*[，；—][\u4e00-\u9fff]{0,6}$",
        re.DOTALL,
    ),
}
_LEAST_GUESS = 10  # columns of a guess that is one of its own: "…, I guess" is about what was said before
_LATE = " 。.!！,，…\n"
_MARK = re.compile(r"^\s*[-*•]?\s*([WBO])(?:\s*\(c=([01]?\.?\d+)\))?(?:\s+@\S+)*\s*[:：]\s*")
_SURE = re.compile(r"\s*\(c=([01]?\.?\d+)\)\s*")
_OPINION = 0.6
_AGENTS = 0.71  # of what an agent notes: twice, independently, is just enough for a fact
_NEARLY = 0.95


@dataclass(slots=True)
class Mood:
    """`drop` is the reason to take nothing from the segment; `confidence` below 1 makes a belief, `basis` says why;
    `correction` that the speaker takes something back."""

    drop: str = ""
    modality: str = "stated"
    confidence: float = 1.0
    basis: str = ""
    correction: bool = False


def mood_of(turn: Turn, segment: Segment, fired: list[rules.Rule], modality: rules.RuleSet) -> Mood:
    """The mood by the modality rules that fire in the segment, the words around it, and the marks of a note; what an
    agent has noted is never more than supposed."""
    mood = _mood_of(turn, segment, fired, modality)
    if turn.message.role == "agent" and mood.confidence > _AGENTS:
        return Mood(mood.drop, "reported", _AGENTS, "noted by an agent", mood.correction)
    return mood


def _mood_of(turn: Turn, segment: Segment, fired: list[rules.Rule], modality: rules.RuleSet) -> Mood:
    drop = next((str(rule.data["drop"]) for rule in fired if "drop" in rule.data), "")
    if not drop and _taken_back(turn, segment, modality):
        drop = "joke"
    if not drop and _made_up(turn, segment, modality):
        drop = "fiction"
    correction = _corrects(turn, segment, fired, modality)
    if turn.message.is_noted and (mark := _MARK.match(turn.text_of(segment))):
        return _noted(mark, turn.text_of(segment), Mood(drop, correction=correction))
    if not fired:
        return Mood(drop, correction=correction)
    if unsure := [rule for rule in fired if "confidence" in rule.data]:
        least = min(unsure, key=lambda rule: float(rule.data["confidence"])).data
        return Mood(drop, str(least["modality"]), float(least["confidence"]), str(least["basis"]), correction)
    planned = any(rule.data.get("modality") == "planned" for rule in fired)
    return Mood(drop, "planned" if planned else "stated", correction=correction)


def as_stated(mood: Mood, plain: str, lang: str, fired: Iterable[rules.Rule], claims: Iterable[rules.Rule]) -> Mood:
    """The mood of a passage that is only guessed or heard in what it says last, beside what is certain, and fills no
    slot there: certain, for the guess is told as one by its own words."""
    doubts = [found.span for rule in fired if "confidence" in rule.data for found in rule.found(plain)]
    begins = _guessed_from(plain, lang, doubts) if doubts else 0
    if not begins or any(found.span[1] > begins for rule in claims for found in rule.found(plain)):
        return mood
    modality = "planned" if any(rule.data.get("modality") == "planned" for rule in fired) else "stated"
    return replace(mood, modality=modality, confidence=1.0, basis="")


def _guessed_from(plain: str, lang: str, doubts: list[tuple[int, int]]) -> int:
    """Where the guess begins that stands behind something certain: with a sentence that leans on the one before it, or
    with a clause of its own. 0 where nothing is certain."""
    at, end = min(doubts)
    start, stop = next(((first, last) for first, last in text.sentences(plain) if first <= at < last), (0, len(plain)))
    if start and leans(plain[start:stop], lang):
        return start
    before = plain[start:at]
    apart = width(before) >= _LEAST_STATED and width(plain[end:stop]) >= _LEAST_GUESS and _STATED[lang].match(before)
    return at if apart else 0


def may_read(rule: rules.Rule, turn: Turn, segment: Segment) -> bool:
    """Whether a claim rule may read the segment: some (`alone`) only one that is all of its message."""
    said = turn.message.text
    return not rule.data.get("alone") or not (said[: segment.start].strip() or said[segment.end :].strip())


def meant(turn: Turn, segment: Segment) -> Segment:
    """The segment without a joke and the words that take it back, where more is said after them."""
    words = turn.text_of(segment)
    joke = _TAKEN_BACK.search(words)
    if joke is None or width(words[joke.end() :]) < _ENOUGH:
        return segment
    return Segment(segment.start + joke.end(), segment.end, segment.kind, segment.importance, segment.rules)


def _taken_back(turn: Turn, segment: Segment, modality: rules.RuleSet) -> bool:
    """Whether the words right after the segment say that it was a joke."""
    after = turn.message.text[segment.end : segment.end + _AFTER].lstrip(_LATE)
    joke = next((rule for rule in modality.firing(after) if rule.data.get("drop") == "joke"), None) if after else None
    return joke is not None and next(joke.found(after)).span[0] <= _AT_ONCE


def _made_up(turn: Turn, segment: Segment, modality: rules.RuleSet) -> bool:
    """Whether the sentence opened with what is made up, played or dreamt before the segment, which goes on with it."""
    words, start = turn.message.text, segment.start
    lead = words[max(words.rfind(mark, 0, start) for mark in _SENTENCE_ENDS) + 1 : start]
    if len(lead) < _LEAST_LEAD or _REAL.match(words, start):
        return False
    return any(rule.data.get("fiction") for rule in modality.firing(lead))


def _corrects(turn: Turn, segment: Segment, fired: list[rules.Rule], modality: rules.RuleSet) -> bool:
    """Whether the segment, or what stands right before it, says that something was wrong or has changed."""
    before = turn.message.text[max(0, segment.start - _BEFORE) : segment.start]
    said = [*fired, *modality.firing(before)] if before else fired
    return bool(said) and any(rule.data.get("correction") for rule in said)


def _noted(mark: re.Match[str], words: str, mood: Mood) -> Mood:
    """W and B state, O is an opinion with the confidence beside it."""
    if mark[1] != "O":
        return mood
    sure = _SURE.search(words)
    given = float(mark[2] or (sure and sure[1]) or _OPINION)
    return Mood(mood.drop, "hedged", min(_NEARLY, given), "noted as an opinion", mood.correction)


def without_marks(words: str) -> str:
    """A note's words without W, B, O and (c=0.8)."""
    return _SURE.sub(" ", _MARK.sub("", words))
