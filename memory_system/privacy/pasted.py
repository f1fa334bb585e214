"""Where somebody else's words stand in a message: a forwarded mail, a letter, a chat, a quotation; and what the owner
is called, as far as a letter needs it: whom it greets, and who has signed it. The rules are data (rules/trust.toml)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache

from memory_system import rules
from memory_system.rules import worded

_WRITERS = {"me", "我", "本人"}  # as a chat that was copied may call its owner
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\Z")
_COLON = re.compile(r"[:：][ \t]*$")
_GREETING = re.compile(
    r"^\s*(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|greetings|尊敬的|亲爱的|您好|你好)[ ,，]*"
)
_AFTER_NAME = re.compile("[,，:：!！]")
_EDGES = " \t\n\r,.!?:;—–-，。！？：；"
_SIGNATURE_LINES = 3  # a name, and what its bearer does

Span = tuple[int, int]


def is_borrowed(text: str, *, drafted: bool = False) -> bool:
    """Whether most of a text is somebody else's."""
    return 2 * sum(end - start for start, end in borrowed(text, drafted=drafted)) > len(text)


def borrowed(text: str, *, drafted: bool = False, owner: Callings | None = None) -> list[Span]:
    """Where somebody else's text stands in a message: what was forwarded, pasted, announced or put in tags. In what an
    assistant has `drafted` a letter is its own; what the `owner` has signed is theirs."""
    if not rules.load("trust")["gate"].fires(text):
        return []
    found = (*_patterned(text), *worded.load("trust", "quotation").found(text), *_chats(text), *_letters(text))
    return [
        (start, end)
        for rule, (start, end) in found
        if not (drafted and rule.data.get("letter"))
        if not _is_own(rule, text[:start], text[start:end], owner or Callings())
    ]


def _is_own(rule: rules.Rule, before: str, words: str, owner: Callings) -> bool:
    """Whether the words are the writer's all the same: by what stands `before` them, by what they have `unless`,
    because the owner has signed them or is not the one greeted."""
    if excepts(rule, "unless_before", before) or excepts(rule, "unless", words):
        return True
    if rule.data.get("letter") and owner.signs(words):
        return True
    return bool(rule.data.get("addressed")) and not owner.is_greeted(words.lstrip("\n").partition("\n")[0])


def excepts(rule: rules.Rule, key: str, text: str) -> bool:
    """Whether the rule names a pattern under the key by which it does not hold, and the text has it."""
    return key in rule.data and _written(rule.data[key]).search(text) is not None


@cache
def _written(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def spans_of(group: str, text: str) -> Iterator[tuple[rules.Rule, Span]]:
    """Where the rules of a group that goes by patterns match."""
    for rule in rules.load("trust")[group].firing(text):
        yield from ((rule, match.span()) for match in rule.matches(text))


def _patterned(text: str) -> Iterator[tuple[rules.Rule, Span]]:
    for rule, (start, stop) in spans_of("borrowed", text):
        if end := _reach(rule, text, start, stop):
            yield rule, (start, end)


def _reach(rule: rules.Rule, text: str, start: int, end: int) -> int:
    """Where ends what a match begins: with it, or with what the rule says it goes on `until`; 0 where that does not
    come, or what must stand `between` does not."""
    if "until" not in rule.data:
        return end
    last = _written(rule.data["until"]).search(text, end)
    if not last or ("between" in rule.data and not _written(rule.data["between"]).search(text, start, last.start())):
        return 0
    return last.end()


def _chats(text: str) -> Iterator[tuple[rules.Rule, Span]]:
    """From the first line that somebody speaks to the end of the paragraph of the last."""
    for rule in rules.load("trust")["chat"].firing(text):
        heads = [(match.start(), next(filter(None, match.groups()))) for match in rule.matches(text)]
        if _is_talk([name.strip().lower() for _, name in heads], both=bool(rule.data.get("both"))):
            paragraph_end = next(_PARAGRAPH_END.finditer(text, heads[-1][0]))
            yield rule, (heads[0][0], paragraph_end.start())


def _is_talk(names: list[str], *, both: bool) -> bool:
    """Whether two or more speak: a name comes again, or is the writer's. What comes but once may be a label."""
    different = set(names)
    if len(different) < 2 or any(map(_is_diary, different)):
        return False
    signs = bool(different & _WRITERS), len(names) > len(different)
    return all(signs) if both else any(signs)


def _is_diary(name: str) -> bool:
    words = rules.table("trust", "names")["diary"].split()
    return name.split()[0] in words or any(name.startswith(word) for word in words if not word.isascii())


def _letters(text: str) -> Iterator[tuple[rules.Rule, Span]]:
    """Letters that a line announces, and those that begin with a line which greets somebody."""
    signed = sorted(span for _, span in spans_of("signature", text))
    for rule, (_, stop) in worded.load("trust", "announcement").found(text):
        start, end = _line(text, stop)
        last = _announced(rule, text, stop, end, signed)
        if last and not any(worded.load("trust", "own").found(text[start:end])):
            yield rule, (start, last)
    for rule, (start, end) in spans_of("greeting", text):
        yield rule, (start, _signed(signed, end) or len(text))


def _announced(rule: rules.Rule, text: str, stop: int, end: int, signed: list[Span]) -> int:
    """Where ends what is announced up to `stop`, on a line that ends at `end`; 0 where nothing of the kind follows."""
    if rule.data.get("inline"):
        return end
    last = _signed(signed, end)
    if rule.data.get("greeted") and (last or _greets(text[stop:end]) or _greets(_line_after(text, end))):
        return last or len(text)
    opens = rule.data.get("colon") and _COLON.search(text, stop - 1, end) and _line_after(text, end)
    return (last or len(text)) if opens else 0


def _greets(line: str) -> bool:
    known = rules.load("trust")
    return known["greeting"].fires(line) or known["salute"].fires(line)


def _line(text: str, place: int) -> Span:
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end


def _line_after(text: str, end: int) -> str:
    """The next line on which anything stands."""
    return text[end:].lstrip().partition("\n")[0]


def _signed(signed: list[Span], start: int) -> int:
    """Where the next signature ends; 0 when none comes."""
    place = bisect_left(signed, (start, start))
    return signed[place][1] if place < len(signed) else 0


class Callings:
    """What the owner is called: the names that are known, and those by which they introduce themselves."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = {name.strip().casefold() for name in names if name.strip()}

    def hear(self, text: str) -> None:
        """Take in the name that the owner gives in the first line of what they say."""
        if not _may_introduce(text):
            return
        for rule in rules.load("trust")["introduces"].firing(text):
            found = next(rule.found(text))
            if "\n" not in text[: found.span[1]]:
                self._names.add(found.parts["name"].casefold())

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._names)

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
