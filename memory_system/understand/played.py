"""Whether words are played: a role, a story, a bluff, a rehearsal, irony, exaggeration. What they say is then no fact,
however plainly it is said. Weights have learned it from labelled talk (`corpus/plays.*.jsonl`)."""

from __future__ import annotations

from functools import lru_cache

from memory_system.text import language, simplified, straight
from memory_system.understand import features
from memory_system.understand.weights import LANGUAGES, SCALE, installed

PLAYED = ("played",)
FROM = -SCALE  # log-odds times `SCALE`, from which words may be played: enough for no slot to be filled
HEARD = 300  # characters of a message that are heard: in a longer one much may be said beside what is played


@lru_cache(maxsize=4096)  # the sections of a page ask one after another
def is_played(words: str) -> bool:
    """Whether words may be played, in English or Chinese; in another language nothing tells."""
    lang = language(words)
    return (
        bool(words.strip())
        and lang in LANGUAGES
        and installed(f"played.{lang}", PLAYED).sums(seen(words, lang))[0] >= FROM
    )


def seen(words: str, lang: str) -> features.Seen:
    """What is seen of words alone: they themselves, how they look and begin."""
    plain = simplified(straight(words[:HEARD]))
    heard = features.of_words(plain, lang)
    return heard._replace(own=heard.own | {*features.looks_of(plain, lang), *features.beginnings_of(plain, lang)})
