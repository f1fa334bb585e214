"""Whether words may be played: a role, a story, a bluff, a rehearsal, irony, exaggeration. What they say is then no
fact, however plainly it is said. Weights have learned it from labelled talk (`corpus/plays.*.jsonl`)."""

from __future__ import annotations

import re
from functools import lru_cache

from memory_system.text import language, simplified, straight
from memory_system.understand import features, judge
from memory_system.understand.weights import SCALE, installed

PLAYED = ("played",)
FROM = 0  # log-odds times `SCALE`, from which words may be played: they fill no slot and stand in no snapshot
WITHIN_FROM = -SCALE  # and from which they may be within a role that was given out
LONGEST = 300  # characters: in a longer message much may be said beside what is played
_STOPS = " .。…"
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|「[^」]*」')


def may_be_played(words: str, least: int = FROM) -> bool:
    """Whether words may be played; what is long, or in a language that was not taught, is not heard."""
    return len(words) <= LONGEST and (heard := _played(words)) is not None and heard >= least


@lru_cache(maxsize=4096)  # the sections of a page ask one after another
def _played(words: str) -> int | None:
    lang = language(words)
    return installed(f"played.{lang}", PLAYED).sums(seen(words, lang))[0] if judge.is_taught(words, lang) else None


def seen(words: str, lang: str) -> features.Seen:
    """What is seen of words alone: they themselves, how they look and begin. What they quote is somebody else's, and
    whether a stop ends them tells nothing."""
    plain = _QUOTED.sub(" ", simplified(straight(words))).rstrip(_STOPS) or words
    return features.of_words(plain, lang, (*features.looks_of(plain, lang), *features.beginnings_of(plain, lang)))
