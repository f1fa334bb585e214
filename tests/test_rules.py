"""Every rule keeps its word: it says why it is there, matches its `yes` examples and not its `no` examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_system import rules
from memory_system.rules import worded

WIDEST = 300  # characters of a pattern, its parts put in
CLAIMS = ("claims.en", "claims.zh")  # whose examples are the corpus
FILES = sorted({each.stem for each in rules.FOLDER.glob("*.toml")} - {*CLAIMS})


def broken(name: str) -> Iterator[tuple[str, Any]]:
    """The ids of rules, each with the example that it fails."""
    for group in rules.load(name, examples=True).values():
        for rule in group.rules:
            for example in (*rule.data.get("yes", ()), *rule.data.get("no", ())):
                text = example if isinstance(example, str) else example["text"]
                wanted = example in rule.data.get("yes", ())
                if {bool(rule.search(text)), rule in group.firing(text)} != {wanted}:
                    yield rule.id, example


def test_rules_match_what_they_say() -> None:
    assert [(name, *each) for name in FILES for each in broken(name)] == []


def test_what_a_rule_matches_in_a_sentence_may_fire_in_all_of_its_message() -> None:
    asking = rules.load("frames", examples=True)["remembered"]
    for example in (each for rule in asking.rules for each in rule.data["yes"]):
        assert asking.may_fire(f"It rained. 下雨了。{example} It rained. 下雨了。"), example
    assert not asking.may_fire("It rained. 下雨了。")


def test_every_rule_has_an_id_of_its_own_and_says_why() -> None:
    for name in (*FILES, *CLAIMS):
        found = [rule for group in rules.load(name, examples=True).values() for rule in group.rules]
        assert len(found) == len({rule.id for rule in found}), name
        assert [rule.id for rule in found if not rule.why] == [], name


WORDED = ("order", "announcement", "own", "quotation")  # groups of trust.toml


@pytest.mark.parametrize("group", WORDED)
def test_rules_in_classes_of_words_find_what_they_say(group: str) -> None:
    told = worded.load("trust", group, examples=True)
    for rule in told.rules:
        for text in (*rule.data["yes"], *rule.data["no"]):
            assert any(found is rule for found, _ in told.found(text)) == (text in rule.data["yes"]), (rule.id, text)


def test_every_class_that_much_talk_has_is_one() -> None:
    common = rules.table("trust", "classes")["common"].split(", ")
    assert len(common) == len({*common})
    assert {*common} <= {*rules.table("trust", "words"), *rules.table("trust", "forms")}


@pytest.mark.parametrize("kind", ["classes that nobody has defined", "classes that no rule needs"])
def test_every_class_of_words_is_defined_and_needed(kind: str) -> None:
    named = {*rules.table("trust", "words"), *rules.table("trust", "forms")}
    rows = [row for group in WORDED for row in rules.table("trust", group)]
    needed = {name for row in rows for each in row["says"] for name in worded.Way.told(each).classes()}
    assert (needed - named if "defined" in kind else named - needed) == set()


@pytest.mark.parametrize("name", [*FILES, *CLAIMS])
def test_no_pattern_is_wider_than_can_be_read(name: str) -> None:
    forms = rules.table(name, "forms").items() if name == "trust" else ()
    assert [each for each, pattern in (*forms, *patterns(name)) if len(pattern) > WIDEST] == []


def patterns(name: str) -> Iterator[tuple[str, str]]:
    """Every pattern of the file with its parts put in, also those that void another, by the id of its rule."""
    for rule in (each for group in rules.load(name).values() for each in group.rules):
        told = {key: each for key, each in rule.data.items() if key != "names"}  # a list of plain words
        yield from ((rule.id, each) for each in (rule.pattern, *told.values()) if isinstance(each, str))
