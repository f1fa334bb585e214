"""Described pictures. "Check out this one I painted" says nothing without the picture beside it, so it is told with
what that shows; any other picture is told by itself.
"""

from __future__ import annotations

import re

from memory_system import text
from memory_system.phases.understanding.hanging import hangs
from memory_system.phases.understanding.leaning import PERIODS
from memory_system.phases.understanding.scene import Scene, as_rules_see
from memory_system.turns import Segment, Turn

_OPENING = ("[", "【")
_NOT_SHOWN = f"{PERIODS}|way|kind|sort|much|is|was"
_RIGHT_BEHIND = 60  # characters: thanks and the like may stand between
_POINTING = {
    "en": re.compile(
        r"\b(?:here(?:'s| is| are)|(?:check out|check|look at|take a look at) (?:this|these|that|my|our)"
        r"|(?:^|[^n] )(?:this|these|that|the) (?:\w+ )?(?:pic|pics|picture|pictures|photo|photos|image|snap|shot|one i)"
        r"|made (?:this|these)"
        r"|(?:includ|us|wr[io]t|dr[ae]w|paint|bak|bought|built|build|found|wear|pick|chose|add)\w* (?:this|these)"
        r"(?=\W*$| (?:at|in|for|on|with|as|last|yesterday|today)\b)"
        rf"|(?:this|these) (?!{_NOT_SHOWN})[a-z]+ (?:i|my|we))\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("这(?:张|幅|是我|就是)|看(?:看|一下|下)?这|(?:图|照片)(?:里|中|上|是)|如图"),
}


def points(words: str, lang: str) -> bool:
    """Whether the words point at a picture."""
    return words[:1] not in _OPENING and _POINTING[lang].search(text.straight(words)) is not None


def shown(plain: str, scene: Scene) -> tuple[str, str]:
    """What the picture described in brackets shows, and how that begins when it is told by itself; else empty."""
    if plain[:1] in _OPENING:
        for rule in scene.groups["label"].firing(plain):
            found = next(rule.found(plain))
            if "inside" in found.parts:
                return found.parts["inside"].strip(), str(rule.data["prefix"]).format(who=scene.voices.speaker)
    return "", ""


def pointed_at(turn: Turn, segment: Segment, scene: Scene) -> str:
    """What the picture shows that stands behind the segment in its message, where the segment points at it."""
    return _behind(turn, segment, scene)[1] if points(turn.text_of(segment), scene.lang) else ""


def leaned_on(turn: Turn, segment: Segment, scene: Scene) -> str:
    """The same of a picture right behind the segment, where that hangs in the air without it."""
    words = turn.text_of(segment)
    if words[:1] in _OPENING or not scene.first_hand:
        return ""
    distance, inside = _behind(turn, segment, scene)
    return inside if inside and distance < _RIGHT_BEHIND and hangs(words, scene.lang) else ""


def stands_before_picture(turn: Turn, segment: Segment) -> bool:
    """Whether brackets that may describe a picture stand right behind the segment."""
    behind = turn.message.text[segment.end : segment.end + _RIGHT_BEHIND]
    return any(sign in behind for sign in _OPENING)


def _behind(turn: Turn, segment: Segment, scene: Scene) -> tuple[int, str]:
    """How far behind the segment a picture stands, and what it shows."""
    body = turn.message.text
    places = [at for sign in _OPENING if (at := body.find(sign, segment.end)) >= 0]
    return (min(places) - segment.end, shown(as_rules_see(body[min(places) :]), scene)[0]) if places else (0, "")
