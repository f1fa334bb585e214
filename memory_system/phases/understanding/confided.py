"""What is told in confidence: "my sister is pregnant, but don't tell mum" is told with the wish that it stays so, for a
memory that has lost it gives the secret away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_system import attributes, phrasing, rules
from memory_system.phases.understanding.gates import may_hold
from memory_system.phases.understanding.scene import Scene, as_rules_see
from memory_system.phrasing.contractions import written_out
from memory_system.turns import Claim, Turn

if TYPE_CHECKING:  # the screening asks for wishes, too, before there are passages
    from memory_system.phases.understanding.passage import Passage

_FORM = {"en": '{told} (in confidence: "{wish}")', "zh": "{told}（保密：“{wish}”）"}
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？\n]*")
_EDGES = " ,.;:!?，。；：！？—–-"
_ALONE = {"en": 12, "zh": 5}  # characters beside the wish that say something
_NAMED = ("person", "animal")
_LONGEST = {"en": 160, "zh": 60}  # characters of a message that says nothing but a wish
_BESIDE = {"en": 14, "zh": 5}  # letters that it may have beside ("she told me", 你可千万)
_QUIET = re.compile(r"(?:please )?keep (?:it|this|that) quiet", re.IGNORECASE)
_SECRET = re.compile(  # what is told in confidence as a rule
    r"\b(?:pregnan|expecting|baby|divorc|separat|split|engag|propos|marr|wedding|affair|dating|gay|lesbian|surprise|secret"
    r"|quit|resign|leav|moving|fired|laid off|redundan|interview|job|offer|sell|merge|debt|bankrupt|cancer|diagnos|ill"
    r"|sick|hiv|addict|alcohol|rehab|depress|miscarr|abort|adopt|gift|present|party|prison|arrest)",
    re.IGNORECASE,
)
_WORDS = 3  # last words of a wish by which it is known when it is told by name


@dataclass(slots=True)
class Confidences:
    """The stretches of a message that are told in confidence, each with the words of the wish and where they stand."""

    stretches: list[tuple[int, int, str, int]] = field(default_factory=list)

    @classmethod
    def of(cls, turn: Turn, scene: Scene) -> Confidences:
        """What a person says in confidence in the message; nothing of what anybody else has said."""
        words = turn.message.text
        later = [(0, len(words), turn.confided, -1)] if turn.confided and _fits(turn.confided, words) else []
        if not scene.first_hand or not may_hold(words, "confided", scene.lang):
            return cls(later)
        return cls([*_stretches(as_rules_see(words), scene.groups, scene.lang), *later])

    def kept(self, passage: Passage, claims: list[Claim]) -> list[Claim]:
        """The claims, those that were told in confidence with the wish; who is called what is no secret."""
        first, last, lang = passage.segment.start, passage.segment.end, passage.scene.lang
        for start, end, wish, at in self.stretches:
            beside = last - first - (len(wish) if first <= at < last else 0)
            if first < end and start < last and beside > _ALONE[lang]:
                for claim in claims:
                    _confide(claim, wish, passage.scene)
        return claims


def tells_in_confidence(words: str, lang: str) -> bool:
    """Whether the words tell something together with the wish that it stays between the two."""
    return (
        may_hold(words, "confided", lang) and rules.load(lang)["confided"].fires(words) and not wish_alone(words, lang)
    )


def wish_alone(message: str, lang: str) -> str:
    """The wish that what was said before stays between the two, where the message has nothing else to say."""
    if len(message) > _LONGEST[lang] or not may_hold(message, "confided", lang):
        return ""
    plain = as_rules_see(message)
    wishes = [(wish, at) for _, _, wish, at in _stretches(plain, rules.load(lang), lang)]
    taken = {place for wish, at in wishes for place in range(at, at + len(wish))}
    beside = sum(sign.isalnum() for place, sign in enumerate(plain) if place not in taken)
    return max(wishes, key=lambda each: each[1])[0] if wishes and beside <= _BESIDE[lang] else ""


def _fits(wish: str, told: str) -> bool:
    """Whether the wish, a message of its own, may be about what was told: "keep it quiet" asks for silence as well."""
    return not _QUIET.fullmatch(wish) or bool(_SECRET.search(told))


def _confide(claim: Claim, wish: str, scene: Scene) -> None:
    """Tell the claim with the wish, unless it tells it already."""
    if not claim.content or _is_name(claim):
        return
    told = phrasing.inner(wish, scene.voices, scene.lang)
    end = " ".join(written_out(wish).split()[-_WORDS:])
    if told not in claim.content and (scene.lang == "zh" or end not in claim.content):
        claim.content = _FORM[claim.lang].format(told=claim.content, wish=wish)


def _is_name(claim: Claim) -> bool:
    """Whether the claim only tells what somebody is called."""
    named = bool(claim.attribute) and attributes.about(claim.attribute).get("value_type") in _NAMED
    return named and claim.content.endswith(claim.value)


def _stretches(plain: str, groups: rules.Groups, lang: str) -> Iterator[tuple[int, int, str, int]]:
    sentences = [found.span() for found in _SENTENCE.finditer(plain)]
    for rule in groups["confided"].firing(plain):
        for found in rule.found(plain):
            wish, (at, end) = found.parts["wish"].strip(_EDGES), found.places["wish"]
            if "unless" in rule.data and re.search(rule.data["unless"], wish, re.IGNORECASE):
                continue
            number = next((n for n, (start, stop) in enumerate(sentences) if start <= at < stop), 0)
            yield *_around(plain, sentences, number, at, end, lang), wish, at


def _around(plain: str, sentences: list[tuple[int, int]], number: int, at: int, end: int, lang: str) -> tuple[int, int]:
    """What the wish is about: its sentence; where that has nothing else, or begins with it, the one before as well, or
    at the beginning of the message the one behind."""
    start, stop = sentences[number]
    if len(plain[start:at].strip(_EDGES)) >= _ALONE[lang]:
        return start, stop
    if number:
        return sentences[number - 1][0], stop
    rest = len(plain[end:stop].strip(_EDGES)) >= _ALONE[lang]
    return start, stop if rest or number + 1 == len(sentences) else sentences[number + 1][1]
