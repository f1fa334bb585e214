"""Every rule keeps its word: it says why it is there, matches its `yes` examples and not its `no` examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_system import rules

WIDEST = 300  # characters of a pattern, its parts put in
CLAIMS = ("claims.en", "claims.zh")  # whose examples are the corpus
FILES = sorted({each.stem for each in rules.FOLDER.glob("*.toml")} - {*CLAIMS})


def broken(name: str) -> Iterator[tuple[str, Any]]:
    """The ids of rules, each with the example that it fails."""
    for group in rules.load(name, examples=True).values():
        for rule in group.rules:
            for example in (*rule.yes, *rule.no):
                text = example if isinstance(example, str) else example["text"]
                wanted = example in rule.yes
                if {bool(rule.search(text)), rule in group.firing(text)} != {wanted}:
                    yield rule.id, example


@pytest.mark.parametrize("name", FILES)
def test_rules_match_what_they_say(name: str) -> None:
    assert list(broken(name)) == []


@pytest.mark.parametrize("name", [*FILES, *CLAIMS])
def test_every_rule_has_an_id_of_its_own_and_says_why(name: str) -> None:
    found = [rule for group in rules.load(name, examples=True).values() for rule in group.rules]
    ids = [rule.id for rule in found]
    assert len(ids) == len({*ids})
    assert [rule.id for rule in found if not rule.why] == []


@pytest.mark.parametrize("name", ["asking", "cues"])
def test_no_pattern_is_wider_than_can_be_read(name: str) -> None:
    found = [rule for group in rules.load(name).values() for rule in group.rules]
    assert [rule.id for rule in found if len(rule.pattern) > WIDEST] == []
