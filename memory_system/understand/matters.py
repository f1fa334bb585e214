"""What a sentence is about, as far as words tell it: the terms by which one matter is told from another, and whose the
matter is. Data are in `rules/matters.toml` and `rules/everyday.toml`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise

from memory_system import text
from memory_system.rules import table
from memory_system.store.gist import gist_of, is_time
from memory_system.text import simplified
from memory_system.understand.language import kin_words, language

OWN = "own"  # the owner, where the speaker's own things are meant
SOMEBODY = "somebody"  # he or she: anybody but the speaker
_SIGNS = re.compile(r"[0-9]+|.")
_SPOKEN = re.compile(f"(?<=[{text.CJK}]) +(?=[{text.CJK}])")  # where a clause ends that has no stop
_SHORTEST = 3  # letters of an English term


@lru_cache(maxsize=512)  # a memory is compared with one claim after another
def terms_of(words: str) -> tuple[str, ...]:
    """The terms of a sentence in their order: English words in their plainest form, pairs of Chinese characters.
    Times, and words that only say that something changes, are none."""
    found = gist_of(words).words
    long = (each for each in found if each.isascii() and len(each) >= _SHORTEST)
    latin = [each for each in long if each[0] != "#" and not is_time(each)]
    changes = _plain_words("changes")
    return tuple(dict.fromkeys(each for each in (*latin, *_pairs(found)) if each not in changes))


def days_of(words: str) -> tuple[str, ...]:
    """What a sentence says of a day or an hour: days of the week, "the 15th", 周3, 6日, 8点."""
    found = gist_of(words).words
    if not text.has_cjk(words):
        days = _plain_words("days")
        return tuple(dict.fromkeys(each for each in found if each in days or each.startswith("#")))
    signs = table("matters", "zh")["days"]
    counted = (one + other for one, other in pairwise(found) if one[0].isdigit() != other[0].isdigit())
    return tuple(dict.fromkeys(each for each in counted if not set(signs).isdisjoint(each)))


def words_of(term: str) -> list[str]:
    """The words of a gist that a term is made of."""
    return [term] if term.isascii() else _SIGNS.findall(term)


def signs_of(words: str) -> Iterator[str]:
    """What tells matters apart, word by word, in Chinese sign by sign: 借钱 is of the same matter as 借了两万."""
    return (sign for term in telling(words) for sign in words_of(term))


def size_of(terms: Collection[str]) -> int:
    """How many words the terms are, about: two pairs of Chinese characters overlap."""
    pairs = len(terms) - sum(map(str.isascii, terms))
    return len(terms) - pairs + (pairs + 1) // 2


def tells(term: str) -> bool:
    """Whether a term tells matters apart: everybody speaks of work and home."""
    return term not in _plain_words("everyday") and term not in _kin_words()


@lru_cache(maxsize=512)
def telling(words: str) -> tuple[str, ...]:
    """The terms of the words that tell matters apart."""
    return tuple(each for each in terms_of(words) if tells(each))


def is_rare(term: str) -> bool:
    """Whether few people would use the term, unless they speak of the same."""
    return tells(term) and term not in _plain_words("common")


def owners_of(words: str, about: Collection[str], names: tuple[str, ...]) -> frozenset[str]:
    """Whose the matter is, by the clauses that have one of the terms: `OWN`, names and kin words; empty where nobody
    says. `names` are those that are known."""
    lang, parts = _parts(words)
    telling = (clause for clause, terms in parts if not about or not terms.isdisjoint(about))
    return frozenset().union(*(_owners_in(clause, lang, names) for clause in telling))


@lru_cache(maxsize=512)  # a memory is compared with one claim after another
def _parts(words: str) -> tuple[str, list[tuple[str, frozenset[str]]]]:
    """The language of a sentence, and its clauses with their terms."""
    words = simplified(text.straight(words))
    return text.language(words), [(each, frozenset(terms_of(each))) for each in clauses(words)]


def may_be_one(owners: frozenset[str], others: frozenset[str]) -> bool:
    """Whether what these have and what those have may be the same thing."""
    if not owners or not others or owners & others:
        return True
    return any(SOMEBODY in mine and theirs != {OWN} for mine, theirs in ((owners, others), (others, owners)))


def company(words: str) -> frozenset[str]:
    """Terms that are names of those who are only there as well: "dinner with Ana"."""
    found = _patterns(text.language(words))["company"].finditer(words)
    return frozenset(term for each in found for term in terms_of(each["named"]))


def _pairs(found: Iterable[str]) -> Iterator[str]:
    """Neighbours among single Chinese characters, where both are parts of words that name something, and not both of a
    time (点半, 日周)."""
    particles, times = (table("matters", "zh")[name] for name in ("particles", "times"))
    for one, other in pairwise(found):
        named = text.has_cjk(one) and text.has_cjk(other) and one not in particles and other not in particles
        if named and not (one in times and other in times):
            yield one + other


def clauses(words: str) -> Iterator[str]:
    """The clauses of a sentence; where Chinese is typed as it is spoken, blanks end them too."""
    start = 0
    for end in language(text.language(words)).clause.finditer(words):
        yield from _SPOKEN.split(words[start : end.start()])
        start = end.end()
    yield from _SPOKEN.split(words[start:])


@lru_cache(maxsize=512)
def _owners_in(clause: str, lang: str, names: tuple[str, ...]) -> frozenset[str]:
    """Who has what a clause speaks of: whose it is called, else who does or has it."""
    rows = _patterns(lang)
    people = [*_people(clause, lang, names)]
    of_others = {who for _, end, who in people if rows["possessive"].match(clause, end)}
    of_others |= {found["named"].casefold() for found in rows["named"].finditer(clause)}
    if of_others:
        return frozenset(of_others)
    doing = _topic(clause.lstrip(), lang)
    if doing.get("me") or doing.get("we") or rows["own"].search(clause):
        return frozenset({OWN})
    alone = {who for start, _, who in people if not rows["beside"].search(clause[:start])}
    return frozenset(alone or ({SOMEBODY} if doing.get("he") or doing.get("she") else ()))


def _topic(clause: str, lang: str) -> dict[str, str]:
    """Whom the clause begins with, by the groups of `Language.topic`."""
    found = language(lang).topic.match(clause)
    if not found or (found[0][-1:].isascii() and found[0][-1:].isalpha() and clause[found.end() :][:1].isalpha()):
        return {}  # "it" begins with no I
    return found.groupdict()


def _people(clause: str, lang: str, names: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Those who are spoken of: where, and what they are called; one with a name by both that and the kin word."""
    for found in language(lang).mention.finditer(clause):
        group = found.groupdict()
        yield *found.span(), _plain(group["kin"] or group["bare"])
        if group["named"]:
            yield *found.span(), group["named"].casefold()
    for name in names:
        for found in re.finditer(rf"(?<![a-z]){re.escape(name)}(?![a-z])", clause, re.IGNORECASE):
            yield *found.span(), name.casefold()


def _plain(kin: str) -> str:
    """A kin word in its plainest form: mum is mother, 老妈 is 妈."""
    return "".join(gist_of(kin).words) or kin


@cache
def _patterns(lang: str) -> dict[str, re.Pattern[str]]:
    rows = table("matters", lang)
    return {name: re.compile(rows[name]) for name in ("own", "possessive", "named", "beside", "company")}


@cache
def _plain_words(group: str) -> frozenset[str]:
    """The words of a group, in both languages, as terms."""
    name = "everyday" if group in ("everyday", "common") else "matters"
    words = (word for lang in ("en", "zh") for word in table(name, lang)[group].split())
    return frozenset(plain for word in words for plain in (word, *gist_of(word).words))


@cache
def _kin_words() -> frozenset[str]:
    return frozenset(_plain(kin) for lang in ("en", "zh") for kin in kin_words(lang))
