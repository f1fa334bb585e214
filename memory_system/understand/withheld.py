"""What a speaker asks not to keep ("don't save this, but …", 这个别记：…): neither that is remembered nor the wish.
Rules know how such wishes are mostly put; weights have learned from many that were put otherwise ("not for the book",
烂在肚子里).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Generic, TypeVar

from memory_system import clock, dates, rules, text
from memory_system.privacy.tombstones import blanked
from memory_system.rules import Rule, RuleSet
from memory_system.text import simplified
from memory_system.turns import Message
from memory_system.understand.features import Span
from memory_system.understand.hearing import LABELS, sum_of
from memory_system.understand.matters import signs_of, telling
from memory_system.understand.weights import LANGUAGES, SCALE

WITHHELD = "withheld"  # the reason why such a segment is dropped
SOON = 4  # messages within which a wish is about what the same one says before or after
BEFORE, AFTER, EITHER = "before", "after", "either"  # what a wish is about beside its own message
NAMED = "named"  # what it names, which may be what was said before
ANSWERED = "answered"  # what an assistant says that it does not keep is what it answers

Said = TypeVar("Said")

_LONG = 600  # characters of a message from which on a wish is only about what stands around it
_SHORT = 160  # of a message that may be about another
_TRIFLE = 24  # of one that is hardly what a wish is about: a greeting, say
_NEAR = 80  # around a wish that show what it is about
_TINY = 8  # words that hardly hold a wish and its matter
_SHARED = 2  # telling terms by which a wish names what was said before
_FEW = 3  # words, or twice as many Chinese characters, beside a wish that is all that a message says
_WORD = re.compile(r"[\u4e00-\u9fff]{1,2}|[^\W\u4e00-\u9fff][\w']*")
WISH, BACK = LABELS["wishes"], LABELS["backs"]
_STRETCH = {"en": 120, "zh": 40}  # characters that are heard at once: hardly any labelled wish has more
_LONG_WORD, _STEM = 20, 4  # characters of a word, and by which it is known
# Log-odds times `SCALE`, from which words are a wish, may be part of one, and are one where the answer says so.
_WISH_FROM, _MAY_BE, _GRANTED_FROM = 2 * SCALE, -SCALE, -3 * SCALE
# The same, from which a message may be such a wish about what was told before, and is one if it sounds like a wish.
_BACK_FROM, _SOUNDS_FROM = -5 * SCALE // 4, 0

# A night asks thrice of each message: what is kept, what is indexed, what is copied. Most hold no wish, nor grant one:
# of those the hashes are held, 16 MB at most, and none is asked again. That one of them is the same as that of a wish
# is to be expected once in a million million nights.
_WISHLESS: set[int] = set()
_MOST = 1 << 18

_ARTICLES = frozenset({"the", "a", "an", "my", "our", "his", "her", "their", "and", "or", "it"})
_CLAUSE = re.compile(r"[^,;，；、：:]+")


def withheld(said: Message) -> list[Span]:
    """The stretches of the message that are not to be kept, each with its wish, whatever the language of either: all of
    it, or, in a long one, the paragraph with the wish and the next. A wish that is all of the first or last paragraph
    is about the whole."""
    found, message = _wishes(said), said.text
    if not found or len(message) <= _LONG:
        return [(0, len(message))] if found else []
    plain = _plain(message)
    bounds = [0, *(found.end() for found in re.finditer(r"\n\s*\n", plain)), len(plain)]
    return [_stretch(plain, start, bounds) for start, _ in found]


def _stretch(plain: str, wish: int, bounds: list[int]) -> Span:
    number = sum(bound <= wish for bound in bounds) - 1
    start, end, *more = bounds[number : number + 3]
    if (start == 0 or not more) and _is_all(plain[start:end]):
        return 0, len(plain)
    return start, more[0] if more else end


def reach(message: Message) -> str:
    """Whether the message asks not to keep what the same one said right BEFORE, says right AFTER, or EITHER: it does
    not say which, what it has NAMED; or is ANSWERED by an assistant who does not keep it. Empty where it asks nothing,
    or is long."""
    if not message.is_first_hand:
        return ANSWERED if _grants(message.text) else ""
    if message.is_noted or len(message.text) > _SHORT:
        return ""
    if not _wishes(message):
        return ""
    plain = _plain(message.text)
    if _points("next", plain) and _few(plain[max((end for _, end in ruled(plain)), default=0) :]):
        return AFTER
    if _is_of_another_day(plain, message):
        return NAMED
    if _points("back", plain):
        return BEFORE
    return EITHER if _is_all(plain) and not re.search(r"[:：]\s*\S", plain) else NAMED


def _is_of_another_day(plain: str, message: Message) -> bool:
    """Whether a wish names a day before its own: what was said right before it is not meant."""
    said = clock.parse_instant(message.said_at)
    found = dates.find(plain, said) if said and dates.is_timely(plain) else ()
    return any(each.end.date() <= said.date() for each in found if said)


class TakingBack(Generic[Said]):
    """What each one has said last, which their next message may take back, and whose next is not to be kept; what a
    message is about is for `reaches` to say."""

    def __init__(self, reaches: Callable[[Message], str] = reach) -> None:
        self._reaches = reaches
        self._last: dict[tuple[str, str, str], tuple[int, Said, str, bool]] = {}
        # by session what a person said last, and right before that
        self._asked: dict[str, tuple[str, list[Said]]] = {}
        self._count = 0

    def heard(self, message: Message, said: Said) -> Iterator[Said]:
        """What is not to be kept now that the message is heard: the `said` of what the same one said last, a few
        messages before at most, and its own where it was announced."""
        voice = (message.session, message.role, message.speaker)
        self._count += 1
        reached = self._reaches(message)
        asked, meant = self._asked.get(message.session, ("", []))
        if reached == ANSWERED and meant and _may_be_wish(_plain(asked), _GRANTED_FROM):
            yield from meant if _names_nothing(asked) else meant[:1]
        number, before, words, announces = self._last.get(voice, (-SOON, said, "", False))
        is_near, is_trifle = number >= self._count - SOON, len(words) <= _TRIFLE
        if message.is_first_hand:
            self._asked[message.session] = message.text, [said, before] if is_near else [said]
        if is_near and announces:
            yield said
        if is_near and _is_about(reached, message.text, words):
            yield before
        announces = reached == AFTER or (reached == EITHER and (is_trifle or not is_near))
        self._last[voice] = self._count, said, message.text, announces


def heard(messages: Iterable[Message], reaching: list[str]) -> Iterator[Message]:
    """The messages of a session; the refs of those that reach back to what an earlier night has read are noted in
    `reaching`: they take something back, or go on with an answer."""
    for number, message in enumerate(messages):
        if reach(message) in (BEFORE, EITHER) or not (number or message.is_first_hand):
            reaching.append(message.ref)
        yield message


def named_before(message: Message) -> str:
    """The words by which the message asks not to keep what was said before: they name the matter ("what I said of Ana's
    move, drop that please"), without the wish, where something else is left. Empty where it asks no such thing, or is
    long."""
    if not message.is_first_hand or message.is_noted or not _wishes(message):
        return ""
    plain = _plain(message.text)
    sounds_back = not message.speaker and _is_back(plain)
    if len(plain) > _SHORT or not (sounds_back or _is_ruled_back(plain)):
        return ""
    matter = blanked(plain, ruled(plain))
    return matter if telling(matter) else plain


def may_mean_the_last(message: Message) -> bool:
    """Whether such a wish surely is one, and points back: what it means may be what was said right before it."""
    return reach(message) == BEFORE and _may_be_wish(_plain(message.text), _WISH_FROM)


def _is_ruled_back(plain: str) -> bool:
    """Whether a message asks nothing, and a sentence of it points back that holds a wish as most are put, or one ends
    the message."""
    if plain.rstrip().endswith(("?", "？")):
        return False
    back = [span for span in text.sentences(plain) if _points("back", plain[slice(*span)])]
    wishes = list(ruled(plain)) if back else []
    return any(first <= start < last or _few(plain[end:]) for first, last in back for start, end in wishes)


def _is_back(plain: str) -> bool:
    """Whether a message that is not long sounds like a wish that something told before is kept no more."""
    lang = text.language(plain)
    if lang not in LANGUAGES or not plain or len(plain) > _SHORT:
        return False
    is_back = sum_of("backs", lang, plain) >= _BACK_FROM
    return is_back and _may_be_wish(plain, _SOUNDS_FROM)


def without_withheld(message: Message) -> str:
    """The words of a message with blanks where a person asks not to keep them; empty when nothing is left."""
    spans = withheld(message) if message.is_first_hand else ()
    return blanked(message.text, spans) if spans else message.text


def not_taken_back(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages without those that a wish near them is about ("don't save that"), and without what an assistant
    answered to words that are not to be kept: it says them again."""
    talk, waiting = TakingBack[Message](), deque[tuple[Message, str]]()
    gone: set[str] = set()  # the refs of messages that are dropped
    unkept: set[str] = set()  # those, and the refs of messages of which a part is
    answered = ""
    for message in messages:
        waiting.append((message, "" if message.is_first_hand else answered))
        gone.update(each.ref for each in talk.heard(message, message))
        unkept |= gone
        if message.is_first_hand:
            answered = message.ref
            unkept.update([message.ref] if withheld(message) else ())
        if len(waiting) > SOON:
            yield from _still_kept([waiting.popleft()], gone, unkept)
    yield from _still_kept(waiting, gone, unkept)


def _still_kept(
    waiting: Iterable[tuple[Message, str]], gone: Collection[str], unkept: Collection[str]
) -> Iterator[Message]:
    return (each for each, answered in waiting if each.ref not in gone and answered not in unkept)


def _is_about(reached: str, wish: str, words: str) -> bool:
    """Whether a wish of that reach is about what was said before."""
    if reached == NAMED:
        return len({*signs_of(wish)} & {*signs_of(words)}) >= _SHARED
    return reached in (BEFORE, EITHER) and _is_of(wish, words)


def _is_of(wish: str, words: str) -> bool:
    """Whether the wish names no matter ("what I said about the cello"), or one of which those words speak."""
    plain = _plain(wish)
    found = (_about(lang)["matter"].search(plain) for lang in LANGUAGES)
    named = {each for matter in found if matter for each in _WORD.findall(matter["matter"].casefold())} - _ARTICLES
    spoken = {*_WORD.findall(_plain(words).casefold())}
    return not named or any(word.startswith(each[:_STEM]) for each in named for word in spoken)


def _plain(message: str) -> str:
    """The message as the rules read it, as long as it was."""
    return simplified(text.paused(text.straight(message)))


def _wishes(message: Message) -> tuple[Span, ...]:
    """Where each wish stands, in either language: as wishes are mostly put, and as they sound. Among people nobody is
    asked to forget what was told before but by the plainest words."""
    said = hash((message.text, bool(message.speaker)))
    if said in _WISHLESS:
        return ()
    plain = _plain(message.text)
    found = (*ruled(plain), *sounding(plain))
    if not found and not message.speaker and _is_back(plain):
        found = ((0, len(plain)),)
    if not found:
        _hold_wishless(said)
    return found


def _grants(answer: str) -> bool:
    """Whether an assistant says that it does not keep what it answers."""
    said = hash((answer, WITHHELD))
    if said in _WISHLESS:
        return False
    if not (found := _points("unkept", _plain(answer))):
        _hold_wishless(said)
    return found


def _hold_wishless(said: int) -> None:
    if len(_WISHLESS) >= _MOST:
        _WISHLESS.clear()
    _WISHLESS.add(said)


def ruled(plain: str) -> Iterator[Span]:
    """Where a wish stands that is put as most are."""
    for rule in _rules().firing(plain):
        for (start, end), _, _ in rule.found(plain):
            more = _aimed(rule, plain[max(0, start - _NEAR) : start], plain[start:end], plain[end : end + _NEAR])
            if more is not None:
                yield start, end + more


@cache
def _rules() -> RuleSet:
    """The rules of both languages, which a message is looked through for at once."""
    return RuleSet(rule for lang in LANGUAGES for rule in rules.load(f"withheld.{lang}")["wish"].rules)


def _aimed(rule: Rule, before: str, wish: str, behind: str) -> int | None:
    """How far the wish goes on behind its pattern, where it is about this talk."""
    for key, words in (("unless_before", before), ("unless", before + wish + behind)):
        if key in rule.data and re.search(rule.data[key], words, re.IGNORECASE):
            return None
    about = _about(rule.id[:2])
    for way in rule.data.get("needs", ("talk", "this", "named", "alone")):
        stands_before = way in ("named", "alone")
        found = about["over" if stands_before else way].search(behind)
        if found and (not stands_before or about[way].search(before)):
            return found.end()
    return None


def _is_all(words: str) -> bool:
    """Whether the words say nothing but the wish; what only sounds like one may tell something besides."""
    if len(_WORD.findall(words)) <= 2 * _FEW and any(sounding(words)):
        return True
    return _few(_without(words, ruled(words)))


def _names_nothing(message: str) -> bool:
    """Whether few words name no matter beside what sounds like a wish."""
    if len(_WORD.findall(message)) > _TINY:
        return False
    plain = _plain(message)
    return len(telling(_without(plain, (*ruled(plain), *sounding(plain))))) < _SHARED


def _without(words: str, spans: Iterable[Span]) -> str:
    rest, at = "", 0
    for start, end in sorted(spans):
        rest, at = rest + words[at:start], max(at, end)
    return rest + words[at:]


def _few(words: str) -> bool:
    return len(_WORD.findall(words)) <= _FEW


def _points(where: str, words: str) -> bool:
    """Whether the words point there, in either language."""
    return any(_about(lang)[where].search(words) for lang in LANGUAGES)


@cache
def _about(lang: str) -> Mapping[str, re.Pattern[str]]:
    """What shows what a wish is about, by its name."""
    parts, table = (rules.table(f"withheld.{lang}", name) for name in ("parts", "about"))
    patterns = {"over": "^%over%", **table}
    return {name: re.compile(rules.with_parts(each, parts), re.IGNORECASE) for name, each in patterns.items()}


def sounding(plain: str) -> Iterator[Span]:
    """Where a message sounds like such a wish: the clauses that sound like it, or the sentence where only that does,
    and one of its clauses at least not otherwise: many words sound like anything together."""
    lang = text.language(plain)
    if lang not in LANGUAGES:
        return
    for start, end in text.sentences(plain):
        clauses = [(start + each.start(), start + each.end()) for each in _CLAUSE.finditer(plain[start:end])]
        sounds = [_sound(plain[slice(*span)], lang) for span in clauses]
        if max(sounds, default=_MAY_BE) < _MAY_BE:
            continue
        found = [span for span, sound in zip(clauses, sounds, strict=True) if sound >= _WISH_FROM]
        if found and len(clauses) > 1:
            yield found[0][0], found[-1][1]
        elif _sound(plain[start:end], lang) >= _WISH_FROM:
            yield start, end


def _may_be_wish(plain: str, least: int) -> bool:
    """Whether some sentence of a message that is not long sounds that much like such a wish."""
    lang = text.language(plain)
    if lang not in LANGUAGES or len(plain) > _LONG:
        return False
    return any(_sound(plain[slice(*span)], lang) >= least for span in text.sentences(plain))


def _sound(words: str, lang: str) -> int:
    """How much the words sound like such a wish, or the stretch of them that does most: log-odds times `SCALE`."""
    return max([sum_of("wishes", lang, each) for each in stretches(words, lang)])


def stretches(words: str, lang: str) -> Iterator[str]:
    """Long words in stretches that overlap by half and cut no word: what is dictated has no stops, and of very many
    words some always sound like a wish together."""
    most, start = _STRETCH[lang], 0
    while len(words) - start > most:
        yield words[start : _word_at(words, start + most)]
        start = _word_at(words, start + most // 2)
    yield words[start:]


def _word_at(words: str, at: int) -> int:
    """Where the word begins that holds the place; the place itself in Chinese, which has no blanks."""
    return words.rfind(" ", at - _LONG_WORD, at) + 1 or at
