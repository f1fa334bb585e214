"""Which of the user's attributes a question asks for: those that its words name (`rules/words.toml`), and those that
are heard in it, as in what people say of themselves (`understand/judge`)."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import orjson

from memory_system.recall.names import Name, named, nearest, of_oneself
from memory_system.recall.terms import names
from memory_system.recall.views import Standing
from memory_system.rules import load, table
from memory_system.text import fold, is_cjk, language

CALLED = 4  # memories of what the user is called, at most

_VERBS = {"does": "do i", "is": "am i", "has": "have i"}  # as one asks of oneself
_VERB = r"(?:\b(?P<verb>does|is|was|has|did|can|will|should|would|must) )"
_USER = re.compile(
    rf"{_VERB}?\bthe user\b(?!['’])|(?P<my>\bthe user['’]s)\b|(?P<zh>用户(?!名|们|体验|界面))"
    r"|\b(?P<before>does|is|has) i\b"
)
_THEY = re.compile(
    rf"{_VERB}?\b(?:he|she|they)\b(?!['’])|(?P<my>\b(?:his|their|her(?= *\w)))\b|(?P<zh>[他她](?!们))"
    r"|(?P<me>\b(?:him|them|her))\b"
)
_WHO = re.compile(r"\b(?:who|whose|names?|called)\b|谁|叫|名字")


class Asked(NamedTuple):
    """The kinds of attributes (`rules/words.toml`), those of them that quotes tell of, and the slots that hold them."""

    kinds: tuple[str, ...] = ()
    told: frozenset[str] = frozenset()
    slots: frozenset[str] = frozenset()


def asked_of_user(question: str, standing: Standing) -> Asked:
    """What is asked of the user, who asks, or whom the question calls by name or speaks of as the only one."""
    from memory_system.understand import judge  # it reads the weights

    own = in_first_person(question) or in_first_person(of_oneself(question, _called(question, standing)))
    if not own:
        return Asked()
    heard, of_others = judge.attributes_asked(own, language(own)), bool(nearest(question)) and not _WHO.search(own)
    wanted = {
        name: row
        for name, row in table("words", "asked").items()
        if not heard.isdisjoint(row["told"].split()) or _words(name).search(own)
        if not (of_others and row.get("near"))  # "where does my brother live" asks for no brother
    }
    told, slots = (frozenset(" ".join(row[key] for row in wanted.values()).split()) for key in ("told", "slots"))
    return Asked(tuple(wanted), told, slots)


def in_first_person(question: str) -> str:
    """The question, folded, as the user would ask it; empty where it is about somebody else, or about nobody. An agent
    asks of the user what the user asks of themselves: "where does the user live", "what does she take", 他住在哪."""
    text, own = _USER.sub(_as_oneself, fold(question)), load("asking")["own"]
    if not own.fires(text) and not _others(question):
        text = _THEY.sub(_as_oneself, text)
    return text if own.fires(text) else ""


def _as_oneself(found: re.Match[str]) -> str:
    given = found.groupdict()
    if verb := given.get("verb") or given.get("before"):
        return _VERBS.get(verb, f"{verb} i")
    return "我" if given["zh"] else "my" if given["my"] else "me" if given.get("me") else "i"


def _others(question: str) -> list[Name]:
    """Who has a name in the question, and is not just near to somebody."""
    near = nearest(question)
    return [name for name in named(question) if name not in near]


def _called(question: str, standing: Standing) -> list[str]:
    """By which of the names in the question the user is called, as far as memories tell."""
    asked = _others(question)
    if not asked:
        return []
    slots = (orjson.loads(each.line) for each in standing.of_kind((), ("name", "nickname"), CALLED))
    quotes = [orjson.loads(each.line)["content"].lower() for each in standing.telling({"name"}, CALLED)]
    told = (form for name in asked for form in name if any(names(text, form) for text in quotes))
    return [*told, *filter(None, (row.get("value", "") for row in slots))]


@cache
def _words(kind: str) -> re.Pattern[str]:
    """The words that ask for it; English ones in the plural as well."""
    words = table("words", "asked")[kind]["words"].split("|")
    latin = "|".join(each for each in words if not is_cjk(each))
    signs = [each for each in words if is_cjk(each)]
    return re.compile("|".join([*[rf"\b(?:{latin})(?:s|es)?\b"] * bool(latin), *signs]))
