"""What is told in confidence: "my sister is pregnant, but don't tell mum" is told with the wish that it stays so, for a
memory that has lost it gives the secret away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memory_system import phrasing, slots
from memory_system.phases.understanding.passage import Passage
from memory_system.phases.understanding.scene import Scene, as_rules_see
from memory_system.phrasing.contractions import written_out
from memory_system.records import Claim, Turn

_FORM = {"en": '{told} (in confidence: "{wish}")', "zh": "{told}（保密：“{wish}”）"}
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？\n]*")
_EDGES = " ,.;:!?，。；：！？—–-"
_ALONE = {"en": 12, "zh": 5}  # characters beside the wish that say something
_NAMED = ("person", "animal")
_WORDS = 3  # last words of a wish by which it is known when it is told by name


@dataclass(slots=True)
class Confidences:
    """The stretches of a message that are told in confidence, each with the words of the wish and where they stand."""

    stretches: list[tuple[int, int, str, int]] = field(default_factory=list)

    @classmethod
    def of(cls, turn: Turn, scene: Scene) -> Confidences:
        """What a person says in confidence in the message; nothing of what anybody else has said."""
        words = turn.message.text
        if not scene.first_hand or not scene.groups["confided_gate"].fires(words):
            return cls()
        return cls(list(_stretches(as_rules_see(words), scene)))

    def kept(self, passage: Passage, claims: list[Claim]) -> list[Claim]:
        """The claims, those that were told in confidence with the wish; who is called what is no secret."""
        first, last, lang = passage.segment.start, passage.segment.end, passage.scene.lang
        for start, end, wish, at in self.stretches:
            beside = last - first - (len(wish) if first <= at < last else 0)
            if first < end and start < last and beside > _ALONE[lang]:
                for claim in claims:
                    _confide(claim, wish, passage.scene)
        return claims


def _confide(claim: Claim, wish: str, scene: Scene) -> None:
    """Tell the claim with the wish, unless it tells it already."""
    named = claim.attribute and slots.about(claim.attribute).get("value_type") in _NAMED
    told = phrasing.inner(wish, scene.voices, scene.lang)
    end = " ".join(written_out(wish).split()[-_WORDS:])
    if claim.content and not named and told not in claim.content and (scene.lang == "zh" or end not in claim.content):
        claim.content = _FORM[claim.lang].format(told=claim.content, wish=wish)


def _stretches(plain: str, scene: Scene) -> Iterator[tuple[int, int, str, int]]:
    sentences = [found.span() for found in _SENTENCE.finditer(plain)]
    for rule in scene.groups["confided"].firing(plain):
        for found in rule.found(plain):
            wish, (at, end) = found.parts["wish"].strip(_EDGES), found.places["wish"]
            if "unless" in rule.data and re.search(rule.data["unless"], wish, re.IGNORECASE):
                continue
            number = next((n for n, (start, stop) in enumerate(sentences) if start <= at < stop), 0)
            yield *_around(plain, sentences, number, at, end, scene.lang), wish, at


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
