"""Whether words that somebody once said can stand alone on a page: whoever reads nothing else understands rightly whom
and what they tell of. Weights have learned it from labelled talk (`corpus/alone.*.jsonl`)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from memory_system.text import simplified
from memory_system.understand import features, judge, quotes
from memory_system.understand.weights import SCALE, installed

LABELS = ("lasts", "clear")
SURELY = 4 * SCALE  # of what only its form tells
STEPS = (-3 * SCALE // 2, 0, 3 * SCALE // 2)  # of what the judge makes of the words, each a feature


class Alone(NamedTuple):
    """How surely words are `clear` alone, and tell besides of what `lasts`: log-odds times `SCALE`."""

    lasts: int
    clear: int


@lru_cache(maxsize=4096)  # the sections of a page ask one after another
def alone_of(words: str, lang: str) -> Alone:
    """How words stand alone, in English or Chinese; in a language that was not taught by their form."""
    if judge.is_taught(words, lang):
        return Alone(*installed(f"alone.{lang}", LABELS).sums(seen(words, lang)))
    by_form = SURELY if quotes.is_whole(words, lang) else -SURELY
    return Alone(by_form, by_form)


def seen(words: str, lang: str) -> features.Seen:
    """What is seen of words alone: they themselves, how they look and begin, and what the judge makes of them."""
    plain = simplified(words)
    judged = judge.reader_of(lang).sums(features.of_words(plain, lang))
    sums = zip((*judge.LABELS, *judge.ATTRIBUTES), judged, strict=True)
    heard = {f"#{name} {step}" for name, total in sums for step in STEPS if total >= step}
    form = {f"#leans {quotes.leans(words, lang)}", f"#whole {quotes.is_whole(words, lang)}"}
    return features.of_words(plain, lang, heard | form | {*features.looks_of(plain, lang)})
