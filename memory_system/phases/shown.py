"""What of a night's talk a language model reads: the owner's words (and those of people with a name) as numbered lines,
redacted and whole, what the assistant asked right before them, the beginning of what was pasted beside them, and
nothing that is withheld, held back or code.

And what it is told beforehand: the memories that the night likely makes otherwise, those that share words, names or kin
words with it, how to address and answer the owner, the people near and what is planned. Each has a short id for this
question alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import chain, groupby, zip_longest
from operator import attrgetter, itemgetter

from memory_system import clock, text
from memory_system.phases import Night, extract, fitting, linking, revising
from memory_system.phases.linking import told_of
from memory_system.phases.portrait import NEAR
from memory_system.phases.screen import CATEGORIES, SECRET, Judged, Weighed
from memory_system.records import QUOTE, USER, Fact
from memory_system.store.draft import Draft
from memory_system.store.gist import gist_of
from memory_system.store.keys import Key, entity_key, slot_key, topic_key
from memory_system.store.store import Memories
from memory_system.text import simplified
from memory_system.turns import Message, Segment, Turn
from memory_system.understand import matters
from memory_system.understand.language import kin_words
from memory_system.understand.quotes import leans
from memory_system.understand.whose import Owner, owners
from memory_system.understand.withheld import WITHHELD

LONG = 400  # characters of a line, above which a message is several
PASTED = 120  # characters of what the owner pasted, as what their words are about: its beginning
ASKED = 160  # characters of the assistant's words that stand before what they were answered with: their end
FRAME = 6  # tokens of a line beside its words
BARRED = frozenset({WITHHELD, "quarantined", SECRET})  # reasons for which words are not shown
QUOTED = "quoted"  # the reason of what is somebody else's
ADDRESSED = ("name", "nickname")
ANSWERING = ("instruction", "prefers")
AHEAD = ("appointment", "deadline", "reminder", "todo", "moves_to", "plan")
CHANGING = ("lives_in", "works_at", "occupation", "studies_at", "medication", "condition", "allergy")
KINDS = sorted({*CATEGORIES.values()})
OF_EACH = 8  # memories of a slot or topic that are always told, at most
SHARE = 0.3  # of the room of a question that what is known may take
MOST = 1_000  # tokens of it
LONGEST = 16  # tokens of a quote where there is little room
MANY = 50  # tokens of room for each token more
STEM = 4  # letters by which a word of it is known
A_WORD = 16  # characters within which the beginning of a word is looked for
_FENCES = ("```", "~~~")
LINE, BRACKETS, NOWHERE = "line", "brackets", "nowhere"  # where words may stand: as their speaker's, as another's
_DAYS = {
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
}


@dataclass(slots=True)
class Line:
    """Neighbouring segments of one message as a line. `before` is what the assistant said right before it, `pasted` how
    that begins which the message holds of others' words."""

    message: Message
    judged: list[Judged]
    before: str = ""
    pasted: str = ""

    @property
    def span(self) -> tuple[int, int]:
        return self.judged[0].segment.start, self.judged[-1].segment.end

    @property
    def words(self) -> str:
        return self.message.text[slice(*self.span)]

    @property
    def worth(self) -> tuple[float, int]:
        """By what a line is preferred to others: how much what is kept of it matters, and how surely it is kept."""
        return max((0.0 if each.reason else each.segment.importance, each.worth) for each in self.judged)

    @property
    def tokens(self) -> int:
        return FRAME + sum(map(text.estimate_tokens, (plain(self.words), self.before, self.pasted)))

    @property
    def segments(self) -> list[Segment]:
        return [each.segment for each in self.judged]

    @property
    def turn(self) -> Turn:
        return Turn(self.message, self.segments, self.before)

    @property
    def kept(self) -> Turn:
        """The turn with what is worth keeping alone."""
        return Turn(self.message, [each.segment for each in self.judged if not each.reason], self.before)

    def text_of(self, judged: Judged) -> str:
        return self.message.text[judged.segment.start : judged.segment.end]

    def moment(self, zone: tzinfo) -> datetime:
        """When it was said, where the owner lives."""
        return clock.read_stamp(self.message.said_at).astimezone(zone)

    def to_row(self) -> dict[str, object]:
        """The line as it waits for a late answer."""
        return {"turn": self.turn.to_line().decode(), "why": [(each.worth, each.reason) for each in self.judged]}


def plain(words: str) -> str:
    """Words of a conversation as part of a line: on one line, and unable to close the frame around it."""
    return " ".join(words.split()).replace("<", "‹").replace(">", "›")


def lines_of(heard: Iterable[Weighed]) -> Iterator[Line]:
    """The lines of judged turns, session by session."""
    said: dict[str, str] = {}  # of the session, by ref, what may be shown of the assistant's words
    session = ""
    for turn, judged in heard:
        message = turn.message
        if message.session != session:
            session, said = message.session, {}
        visible, pasted = _runs(turn, judged)
        if not message.is_first_hand:
            said[message.ref] = " ".join(message.text[run[0].segment.start : run[-1].segment.end] for run in visible)
        elif message.role != "agent" and (message.speaker or not message.chat):  # it is known which person speaks
            for line in _lines(turn, visible, said.get(turn.before_ref, ""), pasted):
                if line.before:
                    said.pop(turn.before_ref)  # once is enough
                yield line


def _lines(turn: Turn, visible: Iterable[Sequence[Judged]], said: str, pasted: str) -> Iterator[Line]:
    before = _asked(said, turn.message.text)
    for part in (each for run in visible for each in _short(run)):
        yield Line(turn.message, part, before, pasted)
        before = pasted = ""


def _runs(turn: Turn, judged: Sequence[Judged]) -> tuple[list[list[Judged]], str]:
    """Stretches of neighbouring segments that may be shown, and how the words of others among the rest begin."""
    forms = owners(turn.message.text, [(each.segment.start, each.segment.end) for each in judged])
    places = [
        (each, _showing_of(each, form, turn.text_of(each.segment))) for each, form in zip(judged, forms, strict=True)
    ]
    runs = [(place, [each for each, _ in group]) for place, group in groupby(places, key=itemgetter(1))]
    others = " ".join(turn.text_of(each.segment) for place, run in runs if place == BRACKETS for each in run)
    return [run for place, run in runs if place == LINE], text.shortened(plain(others), PASTED)


def _showing_of(judged: Judged, form: Owner, words: str) -> str:
    """Where the words of a segment may stand."""
    if judged.reason in BARRED or words.startswith(_FENCES):
        return NOWHERE
    return BRACKETS if form is Owner.OTHERS or judged.reason == QUOTED else LINE


def _short(run: Sequence[Judged]) -> Iterator[list[Judged]]:
    part: list[Judged] = []
    for each in run:
        if part and each.segment.end - part[0].segment.start > LONG:
            yield part
            part = []
        part.append(each)
    if part:
        yield part


def _asked(said: str, answer: str) -> str:
    """What of the assistant's words an answer leans on: their last sentences, where it does."""
    said = said.rstrip()
    if not said.endswith(("?", "？")) and not leans(answer, text.language(answer)):
        return ""
    end = plain(said)[-ASKED:]
    if len(said) <= ASKED:
        return end
    spans = list(text.sentences(end))
    return end[spans[1][0] :] if len(spans) > 1 else f"…{end}"


def talk(lines: Sequence[Line], zone: tzinfo, lang: str) -> str:
    """The lines as the model reads them, numbered from one, under the day of each session."""
    told: list[str] = []
    headed: tuple[str, str] | None = None
    for number, line in enumerate(lines, 1):
        moment = line.moment(zone)
        day = f"{moment:%Y-%m-%d} {_DAYS[lang][moment.weekday()]}"
        if headed != (line.message.session, day):
            headed = line.message.session, day
            told.append(f"# {day}")
        if line.before:
            told.append(f"({line.before})")
        if line.pasted:
            told.append(f"[{line.pasted}]")
        who = f"{plain(line.message.speaker)}: " if line.message.speaker else ""
        told.append(f"{number} {moment:%H:%M} {who}{plain(line.words)}")
    return "\n".join(told)


@dataclass(frozen=True, slots=True)
class Known:
    """The memories that a question names, by their ids there, and what it says of each."""

    records: Mapping[str, Fact]
    told: Sequence[str] = ()

    @property
    def text(self) -> str:
        return "\n".join(f"{name} | {words}" for name, words in zip(self.records, self.told, strict=True))

    @property
    def names(self) -> set[str]:
        """Those who are named in them."""
        return {name for each in self.records.values() for name in (*each.entities, each.subject, each.value) if name}


def known(lines: Sequence[Line], memories: Memories, night: Night, left: int) -> Known:
    """The memories to be told beside the lines, within so many tokens."""
    keys = (*(slot_key(USER, name) for name in CHANGING), *(topic_key(f"{USER}/{name}") for name in KINDS))
    rest = (each for key in keys for each in _standing(memories.find(key)[-OF_EACH:], memories))
    terms = frozenset(term for line in lines for term in matters.telling(line.words))
    ways = _linked(lines, memories, night), _sharing(lines, terms, memories), _always(memories, night)
    found = {each.id: each for each in (*chain.from_iterable(zip_longest(*ways)), *rest) if each is not None}
    longest = max(LONGEST, left // MANY)
    told = ((record, _told(record, terms, longest)) for record in found.values())
    taken = fitting(told, left, lambda each: text.estimate_tokens(f"m10 | {each[1]}\n"))
    names = {f"m{number}": record for number, (record, _) in enumerate(taken, 1)}
    return Known(names, [words for _, words in taken])


def _told(record: Fact, terms: Iterable[str], longest: int) -> str:
    """A memory as the question has it: of a long quote about so many tokens, around the first word that it shares with
    the lines."""
    words = plain(record.told)
    size = text.estimate_tokens(words)
    if record.form != QUOTE or size <= longest:
        return words
    room = longest * len(words) // size
    folded = simplified(words).casefold()
    places = (folded.find(term[:STEM] if term.isascii() else term) for term in terms)
    start = max(0, min((place for place in places if place >= 0), default=0) - room // 3)
    start = min(start, len(words) - room)
    start = words.rfind(" ", max(0, start - A_WORD), start) + 1 or start
    return f"{'…' * (start > 0)}{words[start : start + room]}{'…' * (start + room < len(words))}"


def _always(memories: Memories, night: Night) -> Iterator[Fact]:
    for name in (*ADDRESSED, *NEAR, *ANSWERING):
        yield from _standing(memories.find(slot_key(USER, name))[-OF_EACH:], memories)
    yield from _standing(memories.find(topic_key(f"{USER}/instruction"))[-OF_EACH:], memories)
    now = night.at.astimezone(night.zone).isoformat()
    keys = [*(slot_key(USER, name) for name in AHEAD), topic_key(f"{USER}/plan")]
    for each in _standing((each for key in keys for each in memories.find(key)), memories):
        if each.event_time is None or each.event_time.end > now:
            yield each


def _standing(ids: Iterable[str], memories: Memories) -> Iterator[Fact]:
    """Those of the memories that a model may be told."""
    return (record for record in told_of(ids, memories) if not record.outdated_by)


def _linked(lines: Iterable[Line], memories: Memories, night: Night) -> Iterator[Fact]:
    """The memories that the lines may make outdated, the likeliest first."""
    draft, listening = Draft(memories), extract.Listening({})
    sums: dict[str, int] = {}
    for claim in (each for line in lines for each in extract.read(line.kept, night, listening)):
        for each, total in revising.weighed(linking.candidates(claim, draft, night), claim, night):
            sums[each.record.id] = max(total, sums.get(each.record.id, total))
    return _standing(sorted(sums, key=lambda each: (-sums[each], each)), memories)


def _sharing(lines: Sequence[Line], terms: frozenset[str], memories: Memories) -> list[Fact]:
    """The memories that share words, names or kin words with the lines: those that share the rarest first, of equals
    the newest."""
    words = {word for term in terms for word in matters.words_of(term)}
    alike = (each for ids in memories.find_alike(sorted(words)).values() for each in ids)
    keyed = (each for key in _keys(lines, memories) for each in memories.find(key)[-OF_EACH:])
    found = sorted(_standing(dict.fromkeys((*alike, *keyed)), memories), key=attrgetter("id"))
    shared = {each.id: terms.intersection(matters.terms_of(each.content)) for each in found}
    held = Counter(term for each in shared.values() for term in each)
    weights = {key: sum(1 / held[term] for term in sorted(each)) for key, each in shared.items()}
    return sorted(found, key=lambda each: (weights[each.id], each.said_at), reverse=True)


def _keys(lines: Sequence[Line], memories: Memories) -> Iterator[Key]:
    """Where to look for those whom the lines name: by their names, or as what they are to the owner."""
    said = simplified("\n".join(line.words for line in lines)).casefold()
    kin = {**kin_words("en"), **kin_words("zh")}
    named = {word for word in kin if text.stands_in(word, said)}
    for attribute in sorted({kin[word] for word in named}):
        yield slot_key(USER, attribute)
        for record in _standing(memories.find(slot_key(USER, attribute))[-OF_EACH:], memories):
            yield entity_key(record.value)
    for word in dict.fromkeys(word for line in lines for word in _names(line.words)):
        yield entity_key(word)
    bags = {gist_of(word).bag for word in named}  # and those that mean the same: 妈 is 母亲
    yield from (entity_key(word) for word in sorted(kin) if word in named or gist_of(word).bag in bags)


def _names(words: str) -> Iterator[str]:
    """Words with a capital letter."""
    for each in words.split():
        name = each.strip(".,!?;:'\"()…").removesuffix("'s").removesuffix("’s")
        if name[:1].isupper():
            yield name
