"""What the claim rules read from a segment: whom it is about, which attribute, which value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from memory_system import attributes, phrasing, text
from memory_system.phases.understanding.hanging import hangs
from memory_system.phases.understanding.mood import may_read
from memory_system.phases.understanding.passage import Passage
from memory_system.phases.understanding.scene import Scene
from memory_system.phases.understanding.subjects import (
    PUNCTUATION,
    Subject,
    begins_with_kin,
    plural_words,
    speaks_of_others,
    whose,
)
from memory_system.phases.understanding.unnamed import is_of_speaker
from memory_system.phrasing.naming import named
from memory_system.phrasing.verbs import be_of
from memory_system.records import ASSISTANT, STOCK_NAMES
from memory_system.rules import Found, Rule, table

_LONGEST = {"en": 70, "zh": 40}  # characters of a value; more is a story, not a value
_SHORTEST = 4  # characters that a rule needs
_DEEDS = frozenset({"instruction", "reminder", "todo", "plan"})  # their values are what is done, not names
_ARTICLE = re.compile(r"^(?:a|an|the|my|some|any|our)\s+(?=\S)", re.IGNORECASE)
_TRAILING = re.compile(
    r"\s+(?:very much|so much|a lot|(?:the )?most|a ton|so|really|also|already|now|anymore|myself|again|best|more"
    r"|after all|please|pls|plz|,? ?i (?:think|guess|suppose|believe))$",
    re.IGNORECASE,
)
_TRAILING_ZH = re.compile(r"(?:[，,]?我(?:觉得|感觉|想)|什么的|之类的?|等等|的时候|了|呢|啊|吧|呀|哦|啦)+$")
_EMOJI_AT_END = re.compile(rf"\s*[{text.EMOJI} ]+$")
_LEADING_ZH = re.compile(r"^(?:只有|才|正好|刚好|整整)+(?=[\d一二两三四五六七八九十百])")
_MARKS = " \t.,!?;:~-–—"  # a quotation in what is to be done ends with its mark
_PAIRS = (("“", "”"), ("‘", "’"), ("（", "）"), ("(", ")"))
BLANKS = " \t'\"“”‘’.,!?;:，。！？；：、~～-–—"
_CALLED = re.compile(
    r"(?:\b(?:called|named) |叫做?)([A-Za-z\u4e00-\u9fff][\w-]{0,20}?)(?=的|$|[^\w-])"
    r"(?! (?:and|or)\b|,|、|和)"  # of several names none is the name
)
_AGE_BEHIND = re.compile(r" \(\d{1,2}\)")
_REST_OF_NUMBER = re.compile(r"(?:\.\d\w*|,\d{3}\b)+")
_GOVERNED = re.compile(r"\b(?:for|of|from|with|to|by|about|than) $")  # whom it stands behind is no subject
NAMED = ("person", "animal")
_NAME = {
    "en": re.compile(r"[A-Z]\w+(?: [A-Z]\w+)?"),
    "zh": re.compile(r"(?![一二两三四五六七八九十几])[\u4e00-\u9fff]{2,4}"),
}
_AND = re.compile(r",? and |, |[、和与跟]")
_FIRST_NAME = re.compile(r"[A-Z][\w'-]* $")
_MARK = re.compile(f"[{PUNCTUATION}]")
_WITH_NUMBER = re.compile(r"[^\W\d_]+\d{1,3}")  # a name like Max2
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(slots=True)
class Reading:
    """One slot filled: by which rule, from which stretch of the text."""

    rule: Rule
    subject: Subject
    attribute: str
    value: str
    content: str
    span: tuple[int, int]
    value_span: tuple[int, int]


def rules_for(passage: Passage, antecedent: Subject | None) -> list[Rule]:
    """The claim rules that fire in the passage and may fill a slot there: of what is taken back in the same breath only
    those that say so, and those that leave the speaker out (`elided`) only where nobody else is spoken of."""
    fired = passage.fired.get("claim", [])
    if passage.is_misspoken:
        fired = [rule for rule in fired if rule.data.get("after_all")]
    elided = any(rule.data.get("elided") for rule in fired)
    if elided and (antecedent or speaks_of_others(passage.turn, passage.segment.start)):
        fired = [rule for rule in fired if not rule.data.get("elided")]
    return fired


def read(passage: Passage, fired: Sequence[Rule], antecedent: Subject | None) -> list[Reading]:
    """The slots that the passage fills by the rules that fire in it, in order. `antecedent` is whom "she" or a left out
    subject means."""
    readings: list[Reading] = []
    if not fired:
        return readings
    last = antecedent
    for rule, found in _matches(passage, fired):
        reading = _reading(rule, found, passage, last)
        if reading and not _is_read(reading, readings):
            readings.append(reading)
            _learn(reading, passage.scene)
            if reading.subject.key != passage.scene.subject:
                last = reading.subject
            elif named_in(reading, passage.scene):
                last = Subject(reading.value, reading.value)
    return sorted((each for each in readings if not _is_in_another(each, readings)), key=lambda each: each.span)


def _matches(passage: Passage, fired: Iterable[Rule]) -> list[tuple[Rule, Found]]:
    """What the rules match, from left to right, so that a name comes before its pronoun; at one place in the order of
    the file."""
    matches = []
    for rule in fired:
        if not may_read(rule, passage.turn, passage.segment):
            continue
        for found in rule.found(passage.plain):
            if found.span[0] >= passage.offset:
                matches.append((rule, _as_named(found)))
            if len(passage.plain) - found.span[1] < _SHORTEST:
                break  # nothing can follow: looking for it costs as much as the match
    return sorted(matches, key=lambda each: each[1].span[0])


def _as_named(found: Found) -> Found:
    """The match with the dots in its names, which rules do not see."""
    return found._replace(parts={part: text.with_inner_dots(words) for part, words in found.parts.items()})


def _is_read(new: Reading, readings: Iterable[Reading]) -> bool:
    """Whether an earlier rule has read the same words for the same one, or the same slot."""
    start, end = new.value_span
    slot = new.attribute, new.value
    others = (each for each in readings if each.subject == new.subject)
    return any(
        (each.value_span[0] < end and start < each.value_span[1]) or (each.attribute, each.value) == slot
        for each in others
    )


def _is_in_another(reading: Reading, readings: Iterable[Reading]) -> bool:
    """Whether another gives the names of those whom this one only counts: "two cats, Nori and Miso"."""
    if attributes.about(reading.attribute).get("value_type") not in NAMED:
        return False
    slot, (start, end) = (reading.subject, reading.attribute), reading.value_span
    return any(
        (each.subject, each.attribute) == slot and each.span[0] <= start and end <= each.value_span[0]
        for each in readings
    )


def named_in(reading: Reading, scene: Scene) -> bool:
    """Whether the reading gives the name of somebody near, or of an animal, who is spoken of from then on."""
    row = attributes.about(reading.attribute)
    return row.get("category") == "relation" and row.get("value_type") in NAMED and reading.value in scene.known


def _learn(reading: Reading, scene: Scene) -> None:
    """Names that a reading introduces are known from then on."""
    if attributes.about(reading.attribute).get("value_type") not in (*NAMED, "project"):
        return
    called = _CALLED.search(reading.value)
    for name in _AND.split(reading.value):
        if called or _NAME[scene.lang].fullmatch(name):
            scene.known.add(called[1] if called else name)


def _reading(rule: Rule, found: Found, passage: Passage, last: Subject | None) -> Reading | None:
    """The slot that a match of a claim rule fills; None when it does not hold what the rule asks for."""
    scene = passage.scene
    which = "value" if found.parts.get("value") else "thing"
    said = _EMOJI_AT_END.sub("", _to_the_end(found, which, passage.plain).strip())
    said = said if attributes.about(str(rule.data["attribute"])).get("yearly") else passage.dated(said)
    value = cleaned(said, scene.lang)
    if value in ("", "to") or len(value) > _LONGEST[scene.lang] or not _allowed(rule, said, found, passage):
        return None
    if scene.lang == "zh" and _is_unclear(found, passage.plain):
        return None
    attribute = _attribute(rule, found, scene.lang)
    who, start = _in_full(found, passage)
    if scene.lang == "en" and who[:1].isupper() and _GOVERNED.search(passage.plain, 0, start):
        return None  # "the table for Anna is 4"
    subject = _subject(rule, who, found, scene, last)
    if (
        subject is None
        or subject.shown == value
        or not attribute
        or not _fits(attribute, said, found, subject, passage)
    ):
        return None
    content = _content(rule, found, _shown(said, attribute, scene), subject, scene)
    span = start, found.span[1]
    return Reading(rule, subject, attribute, _meant(rule, attribute, value), content, span, found.places[which])


def _is_unclear(found: Found, plain: str) -> bool:
    """Whether whom a Chinese match is about is left out, or a mother of whom it does not say whose, and it stands
    behind what may be its subject."""
    who = found.parts.get("who", "")
    start = found.places["who"][0] if who else found.span[0]
    return (not who or begins_with_kin(who, "zh")) and not _opens_clause(plain, start)


def _in_full(found: Found, passage: Passage) -> tuple[str, int]:
    """The words for the subject, and where the match begins with them; of a name in English all of it, as rules know
    one word of one: Robert Hale, not Hale."""
    who, first = found.parts.get("who", ""), found.span[0]
    if passage.scene.lang != "en" or not who[:1].isupper():
        return who, first
    start, end = found.places["who"]
    if not _FIRST_NAME.search(passage.plain, 0, start):
        return who, first
    full = next((each for each in named(passage.plain[:end], "en") if each.endswith(f" {who}")), who)
    return full, min(first, end - len(full))


def _to_the_end(found: Found, which: str, plain: str) -> str:
    """The words of the part, with the rest of a number that a point cuts in two: "2.5" ends at no sentence."""
    rest = _REST_OF_NUMBER.match(plain, found.places[which][1])
    value = found.parts[which]
    return value + rest[0] if rest and value[-1:].isdigit() else value


def _meant(rule: Rule, attribute: str, value: str) -> str:
    """The value by which the slot is known: what the rule says it means, or of someone with a name the name."""
    if "means" in rule.data:
        return str(rule.data["means"])
    if attributes.about(attribute).get("value_type") in NAMED and (called := _CALLED.search(value)):
        return called[1]
    return value


def _subject(rule: Rule, who: str, found: Found, scene: Scene, last: Subject | None) -> Subject | None:
    """Whom the match is about: the assistant where the rule says so and one is spoken to, else whom the words `who`
    mean."""
    if rule.data.get("subject") == ASSISTANT:
        return Subject(ASSISTANT, scene.voices.other) if scene.voices.other in STOCK_NAMES else None
    to_assistant = rule.data["attribute"] == "instruction" or rule.data.get("to") == ASSISTANT
    if to_assistant and scene.voices.other not in STOCK_NAMES:
        return None  # "never give up!" is said to a friend
    return whose(who, scene, last if "who" in found.parts else None)


def _fits(attribute: str, said: str, found: Found, subject: Subject, passage: Passage) -> bool:
    """Whether the value can be one of the attribute's, and the one who speaks its subject: nobody is called by a date,
    and after a clause about a daughter 今年五岁 is not said of oneself."""
    row = attributes.about(attribute)
    ageless = _AGE_BEHIND.sub("", said)
    if row.get("value_type") == "person" and _NUMBER.search(ageless) and not _WITH_NUMBER.fullmatch(said):
        return False
    if row.get("category") == "preference" and hangs(said, passage.scene.lang):
        return False  # "I love listening to them": what is liked is named elsewhere
    unnamed = (
        passage.scene.lang == "zh" and not found.parts.get("who") and "我" not in passage.plain[slice(*found.span)]
    )
    if not unnamed or subject.key != passage.scene.subject:
        return True
    return is_of_speaker(attribute, said, passage.plain[: found.span[0]], passage.scene.known)


def _allowed(rule: Rule, value: str, found: Found, passage: Passage) -> bool:
    """Whether the value and the subject are such as the rule takes: `unless` and `who_unless` void it, `only` must be
    there, and nothing of `not_beside` anywhere in the passage."""
    unless, only, who_unless, beside = (rule.data.get(key) for key in ("unless", "only", "who_unless", "not_beside"))
    who = found.parts.get("who", "")
    if beside and _compiled(beside, re.IGNORECASE).search(passage.plain):
        return False
    if unless and _compiled(unless, re.IGNORECASE).search(value):
        return False
    if who_unless and _compiled(who_unless, re.IGNORECASE).search(who):
        return False
    return not only or bool(_compiled(only, 0).search(value))


@cache
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _opens_clause(plain: str, start: int) -> bool:
    """Whether nothing that could be a subject stands between the start of the clause and there."""
    while start < len(plain) and plain[start] in PUNCTUATION:
        start += 1
    before = _MARK.split(plain[:start])[-1]
    return not before or bool(_adverbial().fullmatch(before))


@cache
def _adverbial() -> re.Pattern[str]:
    return re.compile(f"(?:{table('zh', 'words')['adverbial']})*")


def _attribute(rule: Rule, found: Found, lang: str) -> str:
    name = str(rule.data["attribute"])
    if name == "@kin":
        return kin_attribute(found.parts["kin"], lang)
    if name == "@noun":
        return attributes.named(found.parts["thing"].lower())
    thing = found.parts.get("thing", "").lower()
    return name.format(thing=table("attributes", "spellings").get(thing, thing))


@cache
def kin_attribute(words: str, lang: str) -> str:
    """partner, child, friend …: the attribute under which someone has such a one; `relation` for what is none of
    them."""
    last = words.lower().split()[-1]
    for attribute, nouns in table(lang, "kin").items():
        known = nouns.split()
        if last in known or (lang == "zh" and last.endswith(tuple(each for each in known if len(each) > 1))):
            return str(attribute)
    return "relation"


def _content(rule: Rule, found: Found, shown: str, subject: Subject, scene: Scene) -> str:
    """The template of the rule filled in; empty when the rule leaves the wording to the retelling."""
    template = str(rule.data.get("content", ""))
    if not template:
        return ""
    several = found.parts.get("kin", "").lower().endswith(plural_words())
    parts = {**found.parts, "who": subject.shown, "value": shown, "speaker": scene.voices.speaker}
    parts["is"] = "are" if several else be_of(found.parts.get("thing", ""))
    told = phrasing.fill(template, parts, subject.plural, scene.lang)
    return told[:1].upper() + told[1:] if template[0] != "{" or told.startswith("the ") else told


def _shown(said: str, attribute: str, scene: Scene) -> str:
    """The value as it stands in a sentence about the speaker."""
    told = phrasing.inner(said[:1].lower() + said[1:] if attribute in _DEEDS else said, scene.voices, scene.lang)
    if scene.lang == "zh":
        return cleaned(told, scene.lang)
    return _TRAILING.sub("", told.strip(_MARKS if attribute in _DEEDS else BLANKS))


def cleaned(value: str, lang: str) -> str:
    """The bare value: no article, no particle or mark at its ends."""
    value = value.strip(BLANKS)
    if lang == "zh":
        return _paired(_LEADING_ZH.sub("", _TRAILING_ZH.sub("", value)).strip())
    return _TRAILING.sub("", _ARTICLE.sub("", value)).strip()


def _paired(value: str) -> str:
    """The value without a bracket that closes what began before it, and with both marks of a quotation in it."""
    for opening, closing in _PAIRS:
        still_open = value.count(opening) - value.count(closing)
        if closing not in BLANKS:
            value = value.removesuffix(closing) if still_open < 0 else value
        elif still_open:
            value = value + closing if still_open > 0 else opening + value
    return value
