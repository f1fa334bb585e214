"""English and Chinese pages are equals: what one says, the other says in the same place, with the same figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import normpath, relpath
from pathlib import PurePosixPath
from typing import NamedTuple

import pytest
from pages import BLOCK, LINK, PAGES, READMES, anchors, uncommented

FOR_DEVELOPERS = {f"docs/{name}.md" for name in ("dates", "design", "facts", "merging")}
FOR_USERS = sorted(page for page in PAGES if re.match(r"docs/(?!zh/)", page) and page not in FOR_DEVELOPERS)

GENERATED = re.compile(r"<!-- generated: ([\w-]+) -->\n.*?<!-- /generated -->", re.DOTALL)
FENCE = re.compile(r"\x00(\d+)")  # stands for a code block
SPAN = re.compile(r"`([^`]+)`")
NUMBER = re.compile(r"\d(?:[\d,.]*\d)?")
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
SPELLED = {word: str(number) for number, word in enumerate(WORDS, 1)}
PLACEHOLDER = re.compile(r"(?<![\w.])[A-Z]{2,}(?![\w.])|[\u4e00-\u9fff]+")  # `memory get ID`, `memory get 编号`

SAID = {"I am allergic to peanuts.": "我对花生过敏。", "search peanut": "search 花生"}  # in commands to try out


def in_chinese(page: str) -> str:
    return page.replace("docs/", "docs/zh/", 1)


def in_english(page: str) -> str:
    return page.replace("docs/zh/", "docs/", 1).replace("README.zh.md", "README.md")


class Section(NamedTuple):
    """What stands below one heading, and must stand below the same heading of the other page."""

    level: int
    chunks: list[tuple[object, ...]]  # in order: texts, lists by length, tables by size, code, generated parts
    links: set[tuple[str, int]]
    code: set[str]


class Figures(NamedTuple):
    """The numbers of a section, in digits, and those that are written in English words."""

    digits: set[str]
    spelled: set[str]


def sections(page: str) -> Iterator[tuple[str, Section, Figures]]:
    """Each heading with what stands below it."""
    text = GENERATED.sub(r"<!-- \1 -->", PAGES[page])
    fences = BLOCK.findall(text)
    places = iter(range(len(fences)))
    text = BLOCK.sub(lambda _: f"\x00{next(places)}", text)
    for level, heading, body in re.findall(r"^(#+) (.+)\n((?:(?!#+ ).*(?:\n|\Z))*)", text, re.MULTILINE):
        chunks = [kind_of(each.strip("\n"), fences) for each in re.split(r"\n\s*\n", body) if each.strip()]
        code = {PLACEHOLDER.sub("…", " ".join(each.split())) for each in SPAN.findall(body)}
        yield heading, Section(len(level), chunks, set(targets(page, body)), code), figures(body)


def kind_of(chunk: str, fences: list[tuple[str, str]]) -> tuple[object, ...]:
    """What a chunk is, and what of it no language changes."""
    if fence := FENCE.match(chunk):
        language, body = fences[int(fence[1])]
        for english, chinese in SAID.items() if language == "sh" else ():
            body = body.replace(english, chinese)
        return "code", language, uncommented(body)
    if chunk.startswith("|"):
        return "table", [len(re.findall(r"(?<!\\)\|", line)) for line in chunk.split("\n")]
    if chunk.startswith("<!--"):
        return "comment", chunk
    items = re.findall(r"^ *(?:-|\d+\.) ", chunk, re.MULTILINE)
    return ("list", len(items)) if items else ("text",)


def targets(page: str, text: str) -> Iterator[tuple[str, int]]:
    """Where the links lead: the page, by its English name, and the number of the heading (-1 without one)."""
    for link in LINK.findall(text):
        name, _, anchor = link.partition("#")
        target = normpath(PurePosixPath(page).parent / name) if name else page
        yield in_english(target), anchors(PAGES[target]).index(anchor) if anchor else -1


def figures(body: str) -> Figures:
    words = FENCE.sub("", LINK.sub("", body))
    spelled = {SPELLED[each] for each in re.findall(r"[a-z]+", words.lower()) if each in SPELLED}
    return Figures(set(NUMBER.findall(words)), spelled)


def test_every_page_for_users_is_there_in_chinese() -> None:
    assert {page for page in PAGES if page.startswith("docs/zh/")} == {in_chinese(page) for page in FOR_USERS}


@pytest.mark.parametrize("page", FOR_USERS)
def test_both_pages_have_one_structure(page: str) -> None:
    english, chinese = list(sections(page)), list(sections(in_chinese(page)))
    assert [each.level for _, each, _ in english] == [each.level for _, each, _ in chinese]
    for (heading, one, _), (_, other, _) in zip(english, chinese, strict=True):
        assert (heading, one.chunks) == (heading, other.chunks)
        assert (heading, one.links ^ other.links) == (heading, set())
        assert (heading, one.code ^ other.code) == (heading, set())


@pytest.mark.parametrize("page", FOR_USERS)
def test_both_pages_have_the_same_figures(page: str) -> None:
    for (heading, _, one), (_, _, other) in zip(sections(page), sections(in_chinese(page)), strict=True):
        missing, added = one.digits - other.digits, other.digits - one.digits - one.spelled
        assert (heading, missing, added) == (heading, set(), set())


@pytest.mark.parametrize("page", FOR_USERS)
def test_each_page_leads_to_the_other_and_stays_in_its_language(page: str) -> None:
    for here, there, word in ((page, in_chinese(page), "中文"), (in_chinese(page), page, "English")):
        folder = PurePosixPath(here).parent
        first, _, rest = PAGES[here].partition("\n\n")[2].partition("\n\n")
        assert first == f"[{word}]({relpath(there, folder)})"
        led_to = {normpath(folder / link.partition("#")[0]) for link in LINK.findall(rest)}
        others = {in_chinese(each) for each in FOR_USERS} if here == page else set(FOR_USERS)
        assert led_to & others == set()


def test_both_readmes_have_one_structure() -> None:
    english, chinese = (PAGES[path.name] for path in READMES)
    assert re.findall(r"^#+ ", english, re.MULTILINE) == re.findall(r"^#+ ", chinese, re.MULTILINE)
    links = [set(targets(path.name, PAGES[path.name])) for path in READMES]
    assert links[0] ^ links[1] == set()
    for (kind, one), (other_kind, other) in zip(BLOCK.findall(english), BLOCK.findall(chinese), strict=True):
        assert (kind, uncommented(one)) == (other_kind, uncommented(other))


def test_the_chinese_readme_leads_to_chinese_pages() -> None:
    assert {link.partition("#")[0] for link in LINK.findall(PAGES["README.zh.md"])} & set(FOR_USERS) == set()
