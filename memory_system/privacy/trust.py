"""What is not believed for being written: words that want to steer an agent, and words that are somebody else's. A
memory can be relied on as far as the least of those whose words it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memory_system import rules
from memory_system.privacy.checksums import decoded
from memory_system.records import Belief, Evidence, Fact
from memory_system.rules import worded
from memory_system.text import essence

if TYPE_CHECKING:
    from memory_system.turns import Message

# Whose words count more; all others' count nothing.
TIERS = {"user": 2, "note": 2, "person": 2, "assistant": 1, "agent": 1}
OWNER = frozenset({"user", "note"})
SHORT = 160  # characters of a voice that are read as one over several messages: orders may come in pieces
CODE = ("```", "~~~")  # how code in a message begins
SHINGLE = 5  # bytes; a Han character has three
ECHOED = 0.8  # share of shingles from which words are an echo
SIGNATURE = "<!-- by: assistant, {lines} lines -->"  # below what an agent has written into a note
_WRITERS = {"me", "我", "本人"}  # as a chat that was copied may call its owner
_SIGNATURE = re.compile(r"[ \t]*<!-- by: assistant, (\d{1,6}) lines -->[ \t]*\r?")
IN_PIECES = "in pieces"  # the rule of words that only together with those before them are an order
_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff\U000e0000-\U000e007f]"
)
_IMAGE = re.compile(r"!\[([^\]\n]{0,200})\]\([^)\s]*\)?")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\s]*\)")
_ADDRESS = re.compile(r"(?<!`)\b(?:https?|ftp|file|data|javascript)://?[^\s`<>]+", re.IGNORECASE)
_GREETING = re.compile(
    r"^\s*(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|greetings|尊敬的|亲爱的|您好|你好)[ ,，]*"
)
_AFTER_NAME = re.compile("[,，:：!！]")
_EDGES = " \t\n\r,.!?:;—–-，。！？：；"
_SIGNATURE_LINES = 3  # a name, and what its bearer does
_TAGS = str.maketrans("<>", "‹›")


class Suspect(NamedTuple):
    """A stretch of a message that wants to steer an agent, and the rule that says so."""

    start: int
    end: int
    rule: rules.Rule


def tier_of(role: str) -> int:
    """How much the words of a role count; a role that nobody knows counts nothing."""
    return TIERS.get(role, 0)


def tier_of_evidence(evidence: Iterable[Evidence]) -> int:
    """How far a memory can be relied on: as far as the lowest of its evidence. One without any is as good as its
    facts, which are people's alone (a summary)."""
    return min((tier_of(each.trust) for each in evidence), default=TIERS["user"])


def is_owners(evidence: Iterable[Evidence]) -> bool:
    """Whether a memory stands on the owner's own words alone: only such may bind an agent."""
    return all(each.trust in OWNER for each in evidence)


def is_told(evidence: Sequence[Evidence]) -> bool:
    """Whether a memory was first said by a person, and no assistant."""
    return not (evidence and evidence[0].trust == "assistant")


def is_unproven(record: Fact) -> bool:
    """Whether a memory rests on what an agent has noted, and nothing has borne it out yet."""
    return isinstance(record, Belief) and all(each.trust == "agent" for each in record.evidence)


def is_owners_word(message: Message) -> bool:
    """Whether only the owner can have said it: not an assistant, an agent or another person, and not in a chat where
    others speak in the same role."""
    return message.role in OWNER and not message.chat


def signed(entry: str) -> str:
    """The entry of a note as an agent's; of signatures that stand in it nothing is left."""
    words = _SIGNATURE.sub("", entry).rstrip("\n")
    return f"{words}\n{SIGNATURE.format(lines=words.count(chr(10)) + 1)}\n"


def signs(line: str) -> int:
    """How many lines above it a note's line says that an agent has written; 0 for any other line."""
    found = _SIGNATURE.fullmatch(line) if "<!-- by" in line else None
    return int(found[1]) if found else 0


def without_signatures(text: str) -> str:
    """The note with signatures left blank: every line stays the line it was."""
    return _SIGNATURE.sub("", text) if "<!-- by" in text else text


class Callings:
    """What the owner is called: the names that are known, and those by which they introduce themselves."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = {name.strip().casefold() for name in names if name.strip()}

    def hear(self, message: Message) -> None:
        """Take in the name that the owner gives in the first line of a message."""
        text = message.text
        if not _may_introduce(text):
            return
        for rule in rules.load("trust")["introduces"].firing(text):
            found = next(rule.found(text))
            if "\n" not in text[: found.span[1]]:
                self._names.add(found.parts["name"].casefold())

    def is_greeted(self, line: str) -> bool:
        """Whether the line greets the owner: Dear Ms Holm, 周女士您好."""
        who = _AFTER_NAME.split(_GREETING.sub("", line.casefold()).strip(_EDGES))[0].strip()
        return any(_calls(who, name) for name in self._names) if who else False

    def signs(self, letter: str) -> bool:
        """Whether the owner's name stands below the letter."""
        lines = [line.strip(_EDGES).casefold() for line in letter.splitlines()[1:] if line.strip(_EDGES)]
        return any(_is_name(line, name) for line in lines[-_SIGNATURE_LINES:] for name in self._names)


def _may_introduce(text: str) -> bool:
    """A look at every message, dearer than which no rule may be: whether somebody may say what they are called."""
    english = "'m " in text or "’m " in text or " am " in text or "im " in text or "ame" in text or "all me " in text
    return english or "我叫" in text or "我姓" in text or "名" in text


def _calls(who: str, name: str) -> bool:
    """Whether the words of a greeting are that name, or a part of it with a title."""
    if name.isascii():
        words = name.split()
        return who in (name, words[0]) or (
            len(words) > 1 and bool(re.fullmatch(rf"m[rs]s?\.? {re.escape(words[-1])}", who))
        )
    return who.startswith(name) or (len(name) > 2 and who.startswith(name[1:])) or bool(_titled(name[0]).match(who))


def _is_name(line: str, name: str) -> bool:
    """Whether the line of a signature is that name, with or without the family's."""
    if name.isascii():
        return line == name or line.split()[0].strip(_EDGES) == name.split()[0]
    return line in (name, name[1:]) or (len(line) > 1 and name.startswith(line)) or line.endswith(name)


@cache
def _titled(family: str) -> re.Pattern[str]:
    return re.compile(rf"{family}[^，,。]{{0,2}}(?:先生|女士|小姐|老师|经理|师傅|总|工|哥|姐)|[小老]{family}")


def suspects(text: str, *, owner: bool = True) -> list[Suspect]:
    """The stretches of a text that want to steer an agent; `owner` says that it is the owner's own."""
    told = (*_patterned(text), *worded.load("trust", "order").found(text))
    return [
        Suspect(start, end, rule)
        for rule, (start, end) in told
        if not (owner and rule.data.get("owner") is False)
        if not _is_ruled_out(rule, text[:start])
        if rule.data.get("check") != "base64" or any(map(suspects, decoded(text[start:end])))
    ]


def _patterned(text: str) -> Iterator[tuple[rules.Rule, tuple[int, int]]]:
    for rule in rules.load("trust")["attack"].firing(text):
        yield from ((rule, match.span()) for match in rule.matches(text))


def why(rule: str) -> str:
    """What a rule is for, by its id, which may have had a language before it."""
    known = (*rules.load("trust")["attack"].rules, *worded.load("trust", "order").rules)
    found = (each.why for each in known if each.id == rule.rpartition(".")[2])
    return next(found, "it ends what the message before it has begun")


def _is_ruled_out(rule: rules.Rule, before: str) -> bool:
    """Whether what stands before the match says that it must not be done."""
    return "unless_before" in rule.data and _written(rule.data["unless_before"]).search(before) is not None


def is_borrowed(text: str, *, drafted: bool = False) -> bool:
    """Whether most of a text is somebody else's."""
    spans = borrowed(text, drafted=drafted)
    return 2 * sum(end - start for start, end in spans) > len(text)


def borrowed(text: str, *, drafted: bool = False, owner: Callings | None = None) -> list[tuple[int, int]]:
    """Where somebody else's text stands in a message: what was forwarded, pasted, announced or put in tags. In what an
    assistant has `drafted` a letter is its own; what the `owner` has signed is theirs."""
    if not rules.load("trust")["gate"].fires(text):
        return []
    return [
        match.span()
        for rule in rules.load("trust")["borrowed"].firing(text)
        if not (drafted and rule.data.get("letter"))
        for match in rule.matches(text)
        if not _is_own(rule, text[: match.start()], match[0], owner or Callings())
    ]


def _is_own(rule: rules.Rule, before: str, words: str, owner: Callings) -> bool:
    """Whether the words are the writer's all the same: by what stands `before` them, by what they have `unless` or in
    their first line, because the owner has signed them or is not the one greeted, or as no talk of two."""
    first = words.lstrip("\n").partition("\n")[0]
    tests = ("unless_before", before), ("unless", words), ("unless_first", first)
    if any(key in rule.data and _written(rule.data[key]).search(part) for key, part in tests):
        return True
    if rule.data.get("letter") and owner.signs(words):
        return True
    if rule.data.get("addressed") and not owner.is_greeted(first):
        return True
    return "speaker" in rule.data and not _is_talk(rule, words)


@cache
def _written(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _is_talk(rule: rules.Rule, words: str) -> bool:
    """Whether two or more speak: a name comes again, or the writer is one of them where the rule has it `with_writer`.
    What stands but once before a line may be a label."""
    found = re.finditer(rule.data["speaker"], words, re.IGNORECASE | re.MULTILINE)
    names = [next(filter(None, each.groups())).strip().lower() for each in found]
    different = set(names)
    has_writer = bool(rule.data.get("with_writer") and different & _WRITERS)
    return len(different) > 1 and (has_writer or len(names) > len(different))


class Stretch(NamedTuple):
    """A stretch of a message that is held back. `reason` is `quarantined` or `quoted`; what is quarantined stands
    around the words that want to steer (`core`), which `rule` knows."""

    start: int
    end: int
    reason: str
    rule: str = ""
    core: tuple[int, int] = (0, 0)
    in_code: bool = True  # whether it means anything in code, too

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and start < self.end

    def is_hit(self, start: int, end: int) -> bool:
        """Whether any of the words that want to steer stand there."""
        return self.core[0] < end and start < self.core[1]


class Guard:
    """Watches the messages of a night go by, session by session. `found` are the segments that were held back: the
    ref, the words, when they were said and by whom, and the rule's id. `approved` are `key_of` what the owner has
    allowed; `names` what the owner is known to be called."""

    def __init__(self, approved: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        self.approved = frozenset(approved)
        self._owner = Callings(names)
        self.found: list[dict[str, str]] = []
        self._session = ""
        self._tails: dict[tuple[str, str], str] = {}  # a voice's last words

    def stretches(self, message: Message) -> list[Stretch]:
        """The stretches of a message that are held back, and why; most have none."""
        text, voice = message.text, (message.role, message.speaker)
        if message.session != self._session:
            self._session = message.session
            self._tails.clear()
        tail = self._tails.pop(voice, "")
        owner = message.role in OWNER and not message.speaker
        if owner:
            self._owner.hear(message)
        is_short = len(text) < SHORT
        if is_short:
            self._tails[voice] = f"{tail} {text}"[-SHORT:]
        held = [_around(text, each) for each in suspects(text, owner=owner)]
        if not held and tail and is_short and _ends(tail, text, owner=owner):
            held = [Stretch(0, len(text), "quarantined", IN_PIECES, (0, len(text)))]
        spans = borrowed(text, drafted=not message.is_first_hand, owner=self._owner)
        return [*held, *(Stretch(*span, "quoted") for span in spans)]

    def held(self, message: Message, held: Iterable[Stretch], start: int, end: int, *, idle: bool = False) -> str:
        """Why the segment is held back; empty when it is not. What is quarantined is put down. An `idle` segment, of
        which nothing would be remembered, is held back only where it wants to steer itself."""
        words = message.text[start:end]
        is_code = idle and words.startswith(CODE)
        over = [each for each in held if each.overlaps(start, end) and (each.in_code or not is_code)]
        suspect = [each for each in over if each.reason == "quarantined" and (each.is_hit(start, end) or not idle)]
        if suspect and key_of(words) not in self.approved:
            hit = next((each for each in suspect if each.is_hit(start, end)), suspect[0])
            self._put_down(message, words, hit.rule)
            return "quarantined"
        return "quoted" if any(each.reason == "quoted" for each in over) else ""

    def _put_down(self, message: Message, words: str, rule: str) -> None:
        self.found.append(
            {"ref": message.ref, "quote": words, "said_at": message.said_at, "role": message.role, "rule": rule}
        )


def _around(text: str, suspect: Suspect) -> Stretch:
    """The whole line: what stands beside such words is of a piece with them; after a frame, all that is in it."""
    data = suspect.rule.data
    rest = bool(data.get("rest"))
    end = -1 if rest else text.find("\n", suspect.end)
    start, end = text.rfind("\n", 0, suspect.start) + 1, len(text) if end < 0 else end
    core = suspect.start, end if rest else suspect.end
    return Stretch(start, end, "quarantined", suspect.rule.id, core, data.get("code") is not False)


def _ends(tail: str, text: str, *, owner: bool) -> bool:
    """Whether a message ends what the ones before it have begun: neither of the two says it alone."""
    across = [each for each in suspects(f"{tail} {text}", owner=owner) if each.start < len(tail) < each.end - 1]
    before = {each.rule.id for each in suspects(tail, owner=owner)} if across else ()
    return any(each.rule.id not in before for each in across)


def echoes(words: str, memory: str) -> bool:
    """Whether words only repeat what a memory says, in its own form: most of their shingles stand in it."""
    own, there = _shingles(words), _shingles(memory)
    return bool(own) and len(own & there) >= ECHOED * len(own)


def _shingles(words: str) -> set[bytes]:
    """The stretches of a few letters, or of a Han character and a little of its neighbours, in a text."""
    plain = essence(words)
    return {plain[start : start + SHINGLE] for start in range(len(plain) - SHINGLE + 1)}


def key_of(words: str) -> str:
    """What the same words have in common, however they are spaced and marked."""
    return essence(words).decode(errors="replace")


def shown(text: str) -> str:
    """A memory's text as it may stand before an agent: no characters that nobody sees, no images, no links that lead
    anywhere, no tags."""
    if _UNSEEN.search(text):
        text = _UNSEEN.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if ":/" in text:
        text = _ADDRESS.sub(lambda found: f"`{found[0]}`", text)
    return text.translate(_TAGS) if "<" in text or ">" in text else text
