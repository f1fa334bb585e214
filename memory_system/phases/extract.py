"""Phase 3: kept segments become claims. Rules fill slots; any other statement is told in the third person; what is
hedged or heard becomes a belief; what was never meant (jokes, what would be) becomes nothing, with its reason counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memory_system import attributes, dates, phrasing, text
from memory_system.attributes import EMPLOYER
from memory_system.phases import Night
from memory_system.phases.asking import claims as asking
from memory_system.phases.grouping import grouped
from memory_system.phases.understanding import dating, pronouns
from memory_system.phases.understanding.answers import answer_of
from memory_system.phases.understanding.asked import asks_what_is_wanted, is_request
from memory_system.phases.understanding.beside import clauses_of, left_over, names_somebody, of_named
from memory_system.phases.understanding.confided import Confidences
from memory_system.phases.understanding.essays import (
    as_sample,
    has_draft,
    in_one_line,
    is_drafted,
    with_whole_quotations,
)
from memory_system.phases.understanding.filling import Reading, named_in, read, rules_for
from memory_system.phases.understanding.known import Known
from memory_system.phases.understanding.mood import Mood
from memory_system.phases.understanding.parting import is_to_come, parted, tells_when, time_of
from memory_system.phases.understanding.passage import Passage, passages
from memory_system.phases.understanding.repairing import Afterthoughts, repaired
from memory_system.phases.understanding.replying import is_shown_already, standing, with_question, with_what_is_before
from memory_system.phases.understanding.scene import is_courtesy, kinds_in
from memory_system.phases.understanding.script import Script
from memory_system.phases.understanding.still import otherwise
from memory_system.phases.understanding.subjects import (
    Subject,
    as_own,
    begins_with_another,
    may_be,
    may_go_on,
    opening,
    talked_of,
)
from memory_system.phases.understanding.wondering import is_anothers
from memory_system.phrasing.contractions import written_out
from memory_system.phrasing.naming import named
from memory_system.records import ASKED, ASSISTANT
from memory_system.text.traditional import simplified
from memory_system.turns import Claim, Segment, Turn

_MORE = 14  # columns beside the slots from which a segment is told in full as well
_LASTING = frozenset({"identity", "relation", "contact"})
_LEAST = {"en": 5, "zh": 4}  # columns that a sentence must have beside the speaker's name
_HEARSAY = 0.6
_HEARD = {"en": "hearsay", "zh": "听说"}
_TOLD_BY_ASSISTANT = Mood(modality="reported", confidence=0.4, basis="said by the assistant")
_STATED = re.compile(  # "I heard they have boats?" asks nothing
    r"(?:(?:and|so|oh|but|well|yeah|also|btw|by the way),? )*(?:i|i'm|i've|my|we|we're|we've)\b"
    r"(?!.*\b(?:what|how|why|when|where|who|which|if|whether|can|could|should|would|will|do|does|did|are|is|wonder\w*)\b)",
    re.IGNORECASE,
)


def run(turns: Iterable[Turn], night: Night, tally: Counter[str], known: Iterable[str] = ()) -> Iterator[Claim]:
    """The claims of the kept segments. `known` are names that earlier nights have introduced. Counts `claims`,
    `kept.with_claim` and `kept.without_claim.<reason>`. What the rules leave open is asked about at the end."""
    script = Script()
    yield from script.told(_run(script.read(turns), night, tally, map(simplified, known)))


def _run(turns: Iterable[Turn], night: Night, tally: Counter[str], known: Iterable[str]) -> Iterator[Claim]:
    asker = night.asker(asking.NAME)
    waiting = asking.Waiting(asker, tally) if asker else None
    speaking: Turn | None = None
    antecedent: Subject | None = None
    told: list[str] = []  # of the message
    thoughts, confidences = Afterthoughts(), Confidences()
    for passage, count in grouped(turns, night, Known(known)):
        if passage.turn is not speaking:
            speaking, antecedent, told = passage.turn, talked_of(passage.turn, passage.scene), []
            confidences = Confidences.of(passage.turn, passage.scene)
        if is_shown_already(passage, told):
            tally["kept.with_claim"] += count
            continue
        claims, antecedent = _claims(passage, antecedent)
        claims = confidences.kept(passage, thoughts.put_right(passage, claims))
        told += [claim.content for claim in claims]
        reason = passage.why_nothing
        if waiting and waiting.put(passage, claims, _blank(passage), count, reason):
            yield from waiting.overdue()
            continue
        tally["kept.with_claim" if claims else f"kept.without_claim.{reason}"] += count
        tally["claims"] += len(claims)
        yield from claims
    if waiting:
        yield from waiting.answered()
        yield from waiting.answered_late()


def _claims(passage: Passage, antecedent: Subject | None) -> tuple[list[Claim], Subject | None]:
    """The claims of a segment, and whom "she" means from here on."""
    scene = passage.scene
    if passage.mood.drop:
        return [], antecedent
    asks = passage.segment.kind == "question" and not is_anothers(passage.plain, scene.lang)
    if asks and not _STATED.match(passage.plain):
        return _question(passage), antecedent
    last = antecedent if may_go_on(passage.turn, passage.plain, scene.lang) else None
    fired = rules_for(passage, antecedent) if scene.first_hand else []
    opened = passage.named or opening(passage.plain[passage.offset :], scene)
    readings = repaired(read(passage, fired, passage.named or last or opened), passage)
    readings = [each for each in readings if _is_meant(each, passage) and not is_to_come(each, passage)]
    if parts := parted(passage, readings):
        return _of_parts(passage, parts, antecedent)
    others = (each.subject for each in readings if each.subject.key not in (scene.subject, ASSISTANT))
    about = next(others, None) or opened or _meant_by_pronoun(passage, last)
    names = [each.value for each in readings if named_in(each, scene)]
    claims = _of_readings(readings, passage, about)
    if not readings:
        claims = _otherwise(passage) or _answer(passage) or claims
    return claims, Subject(names[-1], names[-1]) if names else about or last


def _meant_by_pronoun(passage: Passage, last: Subject | None) -> Subject | None:
    """Who "he" or "she" is that an English passage begins with: the one spoken of before, if he or she may be."""
    if passage.scene.lang != "en" or last is None or last.plural:
        return None
    pronoun = pronouns.subject(phrasing.stripped(passage.words, passage.scene.voices, passage.scene.lang))
    return last if pronoun and may_be(pronoun, last.shown) else None


def _is_meant(reading: Reading, passage: Passage) -> bool:
    """Whether the slot is filled in earnest; what others say of the speaker fills but those of health and safety, which
    one often knows from others, and what those others are called."""
    place = reading.span[0], reading.value_span[1]
    if passage.is_unmeant(*place):
        return False
    if not passage.is_attributed(*place):
        return True
    grave = attributes.about(reading.attribute).get("category") in attributes.GRAVE
    return (grave or names_somebody(reading)) and not passage.is_others_own(*place)


def _as_heard(claim: Claim, reading: Reading, passage: Passage) -> Claim:
    """The claim of a slot; a belief where it is what others say of the speaker."""
    place = reading.span[0], reading.value_span[1]
    if claim.confidence <= _HEARSAY or names_somebody(reading) or not passage.is_attributed(*place):
        return claim
    basis = _HEARD[passage.scene.lang]
    return replace(claim, modality="reported", confidence=_HEARSAY, basis=basis)


def _of_parts(
    passage: Passage, parts: Iterable[Segment], antecedent: Subject | None
) -> tuple[list[Claim], Subject | None]:
    """The claims of a passage that says two things, each with what belongs to it."""
    claims: list[Claim] = []
    event = None
    for part in passages([(passage.turn, each, passage.scene) for each in parts], passage.config):
        if part.event is None and any(rule.data["attribute"] == "reminder" for rule in part.fired.get("claim", ())):
            part = replace(part, event=event)  # "my medical is on the 28th, remind me to bring my glasses"
        event = part.event or event
        told, antecedent = _claims(part, antecedent)
        claims += told
    return claims, antecedent


def _of_readings(readings: list[Reading], passage: Passage, about: Subject | None) -> list[Claim]:
    """The slots as claims. What a segment says beside them is told as well: in the claim itself where it fills one slot
    of many values, else as a claim of its own."""
    rest, whose = _rest(readings, passage, about) if readings else (passage.words, about)
    whole = _retold(passage, whose, rest)
    alone = whole if whose is about and len(readings) == 1 and _takes_all(readings[0], passage) else ""
    claims = []
    for each in sorted(readings, key=lambda reading: reading.attribute == EMPLOYER):  # after the post before it
        told = alone or _own(each, readings, passage)
        claims.append(_as_heard(_slotted(passage, each, told, time_of(each, readings, passage)), each, passage))
    if whole and not alone:
        claims.append(_general(passage, whole, whose))
    return [claim for claim in claims if claim.content]


def _takes_all(reading: Reading, passage: Passage) -> bool:
    """Whether all that the segment says can stand in the memory of its slot: not where that holds one value at a time,
    and not beside a name, which has no time."""
    return not attributes.about(reading.attribute).get("single") and not (passage.whens and _is_lasting(reading))


def _is_lasting(reading: Reading) -> bool:
    """Whether the slot says who somebody is, whatever happens when."""
    lasting = attributes.about(reading.attribute).get("category") in _LASTING
    return lasting and bool(reading.content) and not reading.rule.data.get("happens")


def _own(reading: Reading, readings: list[Reading], passage: Passage) -> str:
    """What a slot says whose rule has no words for it, told without the clauses of other slots; empty for others."""
    if reading.content or len(readings) == 1 or passage.noted:
        return ""
    start, end = clauses_of(reading, passage.plain, passage.offset)
    told = _retold(passage, reading.subject, passage.dated(passage.quote[start:end].strip("，, ")))
    return as_own(told, reading.subject, passage.scene)


def _rest(readings: list[Reading], passage: Passage, about: Subject | None) -> tuple[str, Subject | None]:
    """What of the segment is told beside its slots, and of whom: the clauses without any, or all of it where a clause
    says more than its slot; empty where that is too little to be worth a sentence."""
    scene = passage.scene
    rest = left_over(readings, passage.plain, passage.offset, scene.lang)
    if any(whole and tells_when(passage, start, end) for start, end, whole in rest):
        return passage.words, about  # an appointment is never too little
    plain = "".join(passage.plain[start:end] for start, end, _ in rest)
    if is_courtesy(plain, scene.lang) or "noise" in kinds_in(plain, scene.lang):
        return "", about
    if passage.mood.correction and scene.groups["modality"].fires(plain):
        return "", about
    if scene.lang == "zh" and (about_named := of_named(readings, rest, passage)):
        return about_named
    bare = phrasing.bare(plain, scene.voices, scene.lang) if 2 * len(plain) >= _MORE else ""
    if len(bare) + text.cjk_count(bare) < _MORE and not begins_with_another(plain, scene.lang):
        return "", about
    if len(readings) > 1 and all(whole for _, _, whole in rest):
        return passage.dated("".join(passage.quote[start:end] for start, end, _ in rest)), about
    return passage.words, about


def _retold(passage: Passage, about: Subject | None, words: str) -> str:
    """The words of the segment as a sentence of its own; empty when they are too little."""
    scene = passage.scene
    if not words:
        return ""
    if passage.picture:
        return passage.picture
    if passage.noted:
        told = phrasing.report(words, scene.voices, scene.lang)
        title = scene.title if passage.segment.start > scene.skip else ""
        return scene.prefix + title + told if told else ""
    other = about if about and about.shown != scene.voices.speaker else None
    if other and (pronoun := pronouns.subject(words)):
        words = other.shown + written_out(words)[len(pronoun) :]
    if not scene.first_hand:
        words = _of_answer(words, passage)
    told = phrasing.retell(words, scene.voices, scene.lang, wanted=asks_what_is_wanted(passage.turn.asked))
    if other and (plain := phrasing.stripped(words, scene.voices, scene.lang)).startswith(other.shown):
        told = phrasing.report(plain, scene.voices, scene.lang)  # about another by name: nobody needs to say it
    beside = told.lower().replace(scene.voices.speaker.lower(), "")
    if len(beside) + text.cjk_count(beside) < _LEAST[scene.lang]:
        return ""
    whole = with_question(told, passage)
    if whole != told:
        return whole
    return "" if phrasing.is_half(told, scene.voices, scene.lang) else standing(told, words, passage)


def _of_answer(words: str, passage: Passage) -> str:
    """A passage of an assistant's answer as one sentence; what was written for the user to send as a quotation."""
    lang, body = passage.scene.lang, passage.turn.message.text
    words = with_whole_quotations(words, body[: passage.segment.start])
    drafts = has_draft(body, lang)
    if "\n" in words:
        return in_one_line(words, lang, drafts=drafts)
    return as_sample(words, lang) if drafts and is_drafted(words, lang) else words


def _general(passage: Passage, told: str, about: Subject | None) -> Claim:
    """A whole sentence as a claim without a slot."""
    scene = passage.scene
    subject = about or Subject(scene.subject, scene.voices.speaker)
    category = passage.category()
    if about is None and category in attributes.GRAVE and pronouns.begins_with(passage.plain, scene.lang):
        category = "general"  # "he is allergic to cats": whoever he is, it is no health of the speaker's
    kind = "general"
    if phrasing.is_request(told, scene.voices, scene.lang) and _is_soon_done(passage, category):
        kind, category = ASKED, "general"  # a letter of resignation to be written is no change of one's status
    claim = _claim(passage, told, category, subject, f"{kind}.{scene.lang}")
    if not scene.first_hand:  # however it is hedged, it was said; what it says of the user is another matter
        told_back = any(rule.data.get("told") for rule in passage.fired.get("assistant", ()))
        _meant(claim, _TOLD_BY_ASSISTANT if told_back else Mood())
    return claim


def _is_soon_done(passage: Passage, category: str) -> bool:
    """Whether what is asked for is done once and over: no wish for every answer, without a day, and not grave."""
    return passage.event is None and category not in attributes.CERTAIN


def _blank(passage: Passage) -> Claim:
    """A claim that says nothing yet about its speaker."""
    speaker = Subject(passage.scene.subject, passage.scene.voices.speaker)
    return _claim(passage, "", passage.category(), speaker, f"general.{passage.scene.lang}")


def _question(passage: Passage) -> list[Claim]:
    """What somebody asks: it tells what they are about."""
    scene = passage.scene
    told = phrasing.ask(passage.words, scene.voices, scene.lang)
    whole = with_what_is_before(told, passage, asks=is_request(passage.words, scene.lang)) if told else ""
    if whole == told and told and not standing(told, passage.words, passage):
        whole = ""
    speaker = Subject(scene.subject, scene.voices.speaker)
    claim = _claim(passage, whole, "general", speaker, f"{ASKED}.{scene.lang}")
    _meant(claim, Mood())  # that it was asked is certain
    return [claim] if whole else []


def _slotted(passage: Passage, reading: Reading, whole: str, when: dates.When | None) -> Claim:
    """The claim of one filled slot. What was hedged, what its rule has no words for, and what says more than the slot
    (`whole`), is told in full."""
    rule = reading.rule
    mood = Mood(correction=True) if rule.data.get("after_all") else passage.mood
    content = whole or (_told(reading, when, passage) if mood.confidence == 1.0 else "")
    content = content or _retold(passage, reading.subject, passage.words)
    category = attributes.category_of(rule, reading.attribute)
    modality = str(rule.data.get("modality", mood.modality))
    if category == "schedule" and not passage.is_ahead:
        category = "general"  # a plan without a time to come is no schedule: it does not run out
    if mood.confidence < 1 and reading.subject.key != passage.scene.subject:
        category = "general"  # a guess about another is no matter of the user's identity or health
    claim = _claim(passage, content, category, reading.subject, rule.id)
    _meant(claim, replace(mood, modality=modality, correction=mood.correction or bool(rule.data.get("correction"))))
    claim.attribute, claim.value = reading.attribute, reading.value
    own = when if when and not _is_lasting(reading) else None
    claim.event_time = dates.to_event(own) if own else passage.event if reading.attribute == "reminder" else None
    claim.polarity = bool(rule.data.get("polarity", True))
    claim.correction |= not claim.polarity and category in attributes.GRAVE and passage.is_found_out(reading.span[0])
    return claim


def _told(reading: Reading, when: dates.When | None, passage: Passage) -> str:
    """The slot in the words of its rule; what happens (`happens`) with its time, what has lasted with its beginning. A
    rule may name the word that the time stands before or after (`when_before`, `when_after`)."""
    content, lang = reading.content, passage.scene.lang
    if content and not passage.whens and not passage.noted:
        content += dating.since(passage.plain, reading.value_span[1], passage.scene.anchor, lang)
    if when is None or passage.noted or not reading.rule.data.keys() & {"happens", "when_before", "when_after"}:
        return content
    time, who = dates.adverbial(when, lang), reading.subject.shown
    if time in content:
        return content  # 提醒我周四…: the value tells it
    if before := reading.rule.data.get("when_before"):
        return content.replace(str(before), f"{time}{before}", 1)
    if after := reading.rule.data.get("when_after"):
        return content.replace(str(after), f"{after} {time}" if lang == "en" else f"{after}{time}", 1)
    return f"{content} {time}" if lang == "en" else content.replace(who, f"{who}{time}", 1)


def _meant(claim: Claim, mood: Mood) -> None:
    claim.modality, claim.confidence, claim.basis = mood.modality, mood.confidence, mood.basis
    claim.correction = mood.correction


def _claim(passage: Passage, content: str, category: str, subject: Subject, rule: str) -> Claim:
    """A claim with everything that does not depend on its slot."""
    message, segment, scene = passage.turn.message, passage.segment, passage.scene
    other = subject.shown if subject.key != scene.subject and subject.shown in content else ""
    names = named(content, scene.lang, (other, scene.voices.speaker, scene.voices.other, *scene.known.within(content)))
    claim = Claim(
        content=content,
        category=category,
        subject=subject.key,
        importance=passage.importance(category),
        lang=scene.lang,
        quote=passage.quote,
        ref=message.ref,
        span=(segment.start, segment.end),
        said_at=message.said_at,
        role=message.role,
        chat=message.chat,
        method=f"rule:{rule}",
        entities=tuple([subject.key if each == other else each for each in names]),
        event_time=passage.event,
        expires=passage.expires(category),
        trust="person" if message.speaker and message.role == "assistant" else "",
    )
    _meant(claim, passage.mood)
    return claim


def _answer(passage: Passage) -> list[Claim]:
    """What a short answer means by the question before it."""
    meant = answer_of(passage)
    if meant is None:
        return []
    claim = _claim(
        passage, meant.content, attributes.category_of(meant.rule, meant.attribute), meant.subject, meant.rule.id
    )
    claim.attribute, claim.value = meant.attribute, meant.value
    return [claim]


def _otherwise(passage: Passage) -> list[Claim]:
    """What is so no more, and what is so now, by a short answer to whether it still is."""
    span, claims = (passage.segment.start, passage.segment.end), []
    for told, denies, slot in otherwise(passage):
        for claim in _claims(told, None)[0]:
            if slot:
                claim.attribute, claim.value, claim.subject = slot.attribute, slot.value, slot.subject.key
            claims.append(replace(claim, quote=passage.quote, span=span, correction=True, polarity=not denies))
    return claims
