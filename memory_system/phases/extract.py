"""Phase 3: kept segments become claims. Rules fill slots; any other statement is told in the third person; what is hedged
or heard becomes a belief; what was never meant (jokes, what would be) becomes nothing, with its reason counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from memory_system import clock, dates, phrasing, rules, slots, text
from memory_system.phases import Night
from memory_system.phases.filling import Reading, Subject, left_over, opening, read
from memory_system.phases.scene import Scene, as_rules_see, scenes
from memory_system.phrasing.naming import named
from memory_system.records import Claim, EventTime, Segment, Turn

_MORE = 14  # columns beside the slots from which a segment is told in full as well
_TOLD_BY_ASSISTANT = 0.4
_LEAST = 5  # columns that a sentence must have beside the speaker's name
_BEFORE = 30  # characters before a segment that may say that it corrects something
_AFTER = 60  # characters after a segment in which a joke may be taken back
_NOTE_MARK = re.compile(r"^\s*[-*•]?\s*([WBO])(?:\s*\(c=([01]?\.?\d+)\))?(?:\s+@\S+)*\s*[:：]\s*")
_SURE = re.compile(r"\s*\(c=([01]?\.?\d+)\)\s*")
_PRONOUN = re.compile(r"(?:he|she)(?= )|[他她](?![们的])", re.I)
_REPEATED = 0.2


@dataclass(frozen=True, slots=True)
class Mood:
    """How a segment is meant."""

    drop: str = ""
    modality: str = "stated"
    confidence: float = 1.0
    basis: str = ""
    correction: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A segment in its turn and scene."""

    turn: Turn
    segment: Segment
    scene: Scene
    night: Night
    mood: Mood
    quote: str
    plain: str  # the quote for rules: ' for ’, quotations of others blanked, as long as the quote
    offset: int  # where the label or mark before the words ends


def run(turns: Iterable[Turn], night: Night, tally: Counter[str], known: Iterable[str] = ()) -> Iterator[Claim]:
    """The claims of the kept segments. `known` are names that earlier nights have introduced. Counts `claims`,
    `kept.with_claim` and `kept.without_claim.<reason>`."""
    for turn, scene in scenes(turns, night.zone, set(known)):
        antecedent: Subject | None = None
        for segment in turn.segments:
            place = _placed(turn, segment, scene, night)
            claims, reason, antecedent = _claims(place, antecedent)
            tally["kept.with_claim" if claims else f"kept.without_claim.{reason}"] += 1
            tally["claims"] += len(claims)
            yield from claims


def _placed(turn: Turn, segment: Segment, scene: Scene, night: Night) -> Place:
    quote = turn.text_of(segment)
    plain = as_rules_see(quote)
    offset = max(0, min(len(quote), scene.skip - segment.start))
    mood = _mood(turn, segment, scene, plain)
    if turn.message.role == "note" and (mark := _NOTE_MARK.match(quote)):
        offset = mark.end()
    if turn.message.role == "note":
        mood = _noted(quote, mood)
    return Place(turn, segment, scene, night, mood, quote, plain, offset)


def _noted(quote: str, mood: Mood) -> Mood:
    """W and B state, O is an opinion with the confidence beside it."""
    mark, sure = _NOTE_MARK.match(quote), _SURE.search(quote)
    if not mark:
        return mood
    if mark[1] != "O":
        return Mood(modality="stated", correction=mood.correction)
    given = (mark[2] or (sure and sure[1])) or "0.6"
    return Mood(modality="hedged", confidence=min(0.95, float(given)), basis="noted as an opinion")


def _mood(turn: Turn, segment: Segment, scene: Scene, plain: str) -> Mood:
    fired = scene.groups["modality"].firing(plain)
    after = turn.message.text[segment.end : segment.end + _AFTER].lstrip(" 。.!！,，…\n")
    drop = next((str(rule.data["drop"]) for rule in fired if "drop" in rule.data), "")
    if not drop and _taken_back(after, scene):
        drop = "joke"
    unsure = sorted((rule for rule in fired if "confidence" in rule.data), key=lambda rule: float(rule.data["confidence"]))
    planned = any(rule.data.get("modality") == "planned" for rule in fired)
    before = turn.message.text[max(0, segment.start - _BEFORE) : segment.start]
    correction = any(rule.data.get("correction") for rule in (*fired, *(scene.groups["modality"].firing(before) if before else ())))
    if unsure:
        first = unsure[0]
        return Mood(drop, str(first.data["modality"]), float(first.data["confidence"]), str(first.data["basis"]), correction)
    return Mood(drop, "planned" if planned else "stated", correction=correction)


def _taken_back(after: str, scene: Scene) -> bool:
    """Whether the words right after the segment say that it was a joke."""
    joke = next(rule for rule in scene.groups["modality"].rules if rule.data.get("drop") == "joke")
    found = joke.search(after) if after else None
    return bool(found) and found.start() <= 6


def _claims(place: Place, antecedent: Subject | None) -> tuple[list[Claim], str, Subject | None]:
    """The claims of a segment, else the reason why there are none; and whom "she" means from here on."""
    scene, mood = place.scene, place.mood
    if mood.drop:
        return [], mood.drop, antecedent
    if place.segment.kind == "question":
        return [], "question", antecedent
    readings = read(place.plain, scene, antecedent if _leans(place.plain, scene) else None, place.offset) if scene.first_hand else []
    about = next((each.subject for each in readings if each.subject.key != scene.subject), None)
    about = about or opening(place.plain[place.offset :], scene)
    whole = _retold(place, about, _rest(readings, place) if readings else place.quote[place.offset :])
    alone = whole if len(readings) == 1 and not slots.about(readings[0].attribute).get("single") else ""
    claims = [_slotted(place, each, alone) for each in readings]
    if whole and not alone:
        claims += _general(place, whole, about)
    if not any(claim.attribute for claim in claims):
        claims = _answer(place) or claims
    return claims, "fragment", about or (antecedent if _leans(place.plain, scene) else None)


@cache
def _leaning(lang: str) -> re.Pattern[str]:
    return re.compile(r"^\W*(?:他|她|它|其|住|在|今年|身高|生日|喜欢)" if lang == "zh" else r"^\W*(?:and |but |so )?(?:he|she)\b", re.I)


def _leans(plain: str, scene: Scene) -> bool:
    """Whether the text goes on about the one spoken of before."""
    return bool(_leaning(scene.lang).match(plain)) or (scene.lang == "en" and bool(re.search(r"\b(?:he|she)\b", plain, re.I))) or (
        scene.lang == "zh" and bool(re.search("[他她其]", plain)) and "我" not in plain[:4]
    )


def _retold(place: Place, about: Subject | None, words: str) -> str:
    """The words of the segment as a sentence of its own; empty when they are too little."""
    scene = place.scene
    if not words or (shown := _shown(place)):
        return shown if words else ""
    if about and (pronoun := _PRONOUN.match(words)) and about.shown != scene.voices.speaker:
        words = about.shown + words[pronoun.end() :]
    if scene.prefix or place.turn.message.role == "note":
        words = phrasing.report(_SURE.sub(" ", words), scene.voices, scene.lang)
        return scene.prefix + words if words else ""
    told = phrasing.retell(words, scene.voices, scene.lang)
    if about and about.shown != scene.voices.speaker and (plain := phrasing.bare_report(words, scene.voices, scene.lang)).startswith(about.shown):
        told = plain  # it is about another by name: nobody needs to say it
    beside = told.replace(scene.voices.speaker, "")
    return told if len(beside) + sum(not char.isascii() for char in beside) >= _LEAST else ""


def _rest(readings: list[Reading], place: Place) -> str:
    """What of the segment is told beside its slots: the clauses without any, or all of it where a clause says more than
    its slot; empty where that is too little to be worth a sentence."""
    scene = place.scene
    rest = left_over(readings, place.plain, place.offset)
    plain = "".join(place.plain[start:end] for start, end, _ in rest)
    if scene.groups["noise"].fires(plain) or (place.mood.correction and scene.groups["modality"].fires(plain)):
        return ""
    bare = phrasing.bare(plain, scene.voices, scene.lang)
    if len(bare) + text.cjk_count(bare) < _MORE:
        return ""
    if len(readings) > 1 and all(whole for _, _, whole in rest):
        return "".join(place.quote[start:end] for start, end, _ in rest)
    return place.quote[place.offset :]


def _shown(place: Place) -> str:
    """What a picture shows, where its description stands in brackets; else empty."""
    if place.quote[:1] not in "[【":
        return ""
    for rule in place.scene.groups["label"].firing(place.plain):
        found = rule.search(place.plain)
        if "inside" in found.re.groupindex:
            return str(rule.data["prefix"]).format(who=place.scene.voices.speaker) + found.group("inside").strip()
    return ""


def _general(place: Place, told: str, about: Subject | None) -> list[Claim]:
    """The whole sentence as a claim without a slot."""
    scene, mood = place.scene, place.mood
    content, whens = dates.resolve(told, scene.anchor, scene.lang)
    event = dates.to_event(whens[0]) if whens else None
    category = scene.category or _category(place, event)
    subject = about or Subject(scene.subject, scene.voices.speaker)
    if not scene.first_hand and mood.confidence == 1.0 and _about_user(place):
        mood = Mood(modality="reported", confidence=_TOLD_BY_ASSISTANT, basis="said by the assistant")
    return [_claim(place, mood, content, category, subject.key, f"rule:general.{scene.lang}", event, subject.shown)]


def _about_user(place: Place) -> bool:
    told = next((rule for rule in place.scene.groups["assistant"].rules if rule.id.endswith(".told")), None)
    return bool(told and told.search(place.plain))


def _slotted(place: Place, reading: Reading, whole: str) -> Claim:
    """The claim of one filled slot. What was hedged, what its rule has no words for, and what says more than the slot
    (`whole`), is told in full."""
    scene, mood, rule = place.scene, place.mood, reading.rule
    told = whole or (reading.content if reading.content and mood.confidence == 1.0 else _retold(place, None, place.quote[place.offset :]))
    content, whens = dates.resolve(told, scene.anchor, scene.lang)
    whens = whens or dates.find(place.quote, scene.anchor)
    event = dates.to_event(whens[0]) if whens else None
    category = str(rule.data.get("category") or slots.about(reading.attribute).get("category", "general"))
    modality = str(rule.data.get("modality", mood.modality))
    if modality == "planned" and category == "schedule" and not (event and _ahead(event, place)):
        category, event = "general" if not event else category, event
    method = f"rule:{rule.id}"
    meant = Mood("", modality, mood.confidence, mood.basis, mood.correction or bool(rule.data.get("correction")))
    claim = _claim(place, meant, content, category, reading.subject.key, method, event, reading.subject.shown)
    claim.attribute = reading.attribute
    claim.value = dates.resolve(reading.value, scene.anchor, scene.lang)[0] if whens else reading.value
    claim.polarity = bool(rule.data.get("polarity", True))
    return claim


def _claim(
    place: Place, mood: Mood, content: str, category: str, subject: str, method: str, event: EventTime | None, shown: str
) -> Claim:
    message, segment, scene = place.turn.message, place.segment, place.scene
    shown = shown if shown in content else scene.voices.speaker
    known = sorted(each for each in scene.known if each in content)
    names = named(content, scene.lang, (shown, scene.voices.speaker, scene.voices.other, *known))
    return Claim(
        content=content,
        category=category,
        subject=subject,
        importance=_importance(place, category, event),
        lang=scene.lang,
        quote=place.quote,
        ref=message.ref,
        span=(segment.start, segment.end),
        said_at=message.said_at,
        role=message.role,
        method=method,
        modality=mood.modality,
        confidence=mood.confidence,
        basis=mood.basis,
        correction=mood.correction,
        entities=names,
        event_time=event,
        expires=_expires(category, event, place),
    )


def _category(place: Place, event: EventTime | None) -> str:
    """What kind of thing a statement without a slot is."""
    natures = {str(rule.data["category"]) for rule in place.scene.groups["intrinsic"].firing(place.plain)}
    for category in ("safety", "health", "relation", "status"):
        if category in natures:
            return category
    if event and place.mood.modality == "planned" and _ahead(event, place):
        return "schedule"
    if "preference" in natures:
        return "preference"
    return "temporary" if "temporary" in natures else "event" if event else "general"


def _ahead(event: EventTime, place: Place) -> bool:
    """Whether the event ends after the words were said."""
    return datetime.fromisoformat(event.end) > place.scene.anchor.replace(tzinfo=None)


def _importance(place: Place, category: str, event: EventTime | None) -> float:
    """Intrinsic by category, what is over within the day being temporary, plus the signals of the segment."""
    config = place.night.config
    if category == "schedule" and event and event.start[:10] == place.scene.anchor.date().isoformat():
        category = "temporary"
    signals = sum(float(rule.data["weight"]) for rule in place.scene.groups["signal"].firing(place.plain))
    signals += _REPEATED * ("repeated" in place.segment.rules)
    return round(max(0.0, min(1.0, slots.importance_of(category, config) + signals)), 2)


def _expires(category: str, event: EventTime | None, place: Place) -> str | None:
    """When a memory of the category is over: days after its event, else after it was said; only a schedule needs an event."""
    days = getattr(place.night.config.expiry, category, None)
    if days is None or (category == "schedule" and event is None):
        return None
    end = datetime.fromisoformat(event.end).replace(tzinfo=place.scene.anchor.tzinfo) if event else place.scene.anchor
    return clock.stamp(end + timedelta(days=days))


def _answer(place: Place) -> list[Claim]:
    """What a short answer means by the question before it: "where do you live?" "Porto"."""
    asked, scene = place.turn.asked.replace("’", "'"), place.scene
    if not asked or not scene.first_hand:
        return []
    for rule in rules.load(scene.lang)["answer"].firing(asked):
        value = phrasing.bare(place.plain, scene.voices, scene.lang)
        if value and len(value.split()) <= 5 and len(value) <= 24:
            content = str(rule.data["content"]).format(who=scene.voices.speaker, value=value)
            category = str(slots.about(str(rule.data["attribute"])).get("category", "general"))
            claim = _claim(place, place.mood, content, category, scene.subject, f"rule:{rule.id}", None, scene.voices.speaker)
            claim.attribute, claim.value = str(rule.data["attribute"]), value
            return [claim]
    return []
