"""English claims: what talk fires which rule with which value, and what must not fire it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from spoken import claims, said

from memory_system.understand.claims import claims_of
from memory_system.understand.subjects import Heard

CASES = tomllib.loads(Path(__file__).with_name("claims_cases.en.toml").read_text("utf-8"))


def read(rule: str, said: str) -> list[str]:
    """The values that the rule reads in the last sentence of what is said: an answer, or the next one of a message."""
    *asked, said = said.split(" >> ")
    *before, said = said.split(" << ")
    found = claims_of(said, "en", Heard(asked="".join(asked), before="".join(before)))
    return [each.value for each in found if each.rule == rule]


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_reads_what_it_is_for_and_nothing_else(rule: str) -> None:
    said, value, beside = CASES[rule]
    assert value in read(rule, said)
    assert read(rule, beside) == []


@pytest.mark.parametrize(
    ("words", "never"),
    [
        ("Lorna is my sister, Truro, a retired hygienist", ("sibling", "Truro")),
        ("I'm 69 on the 9th of May", ("age", "69")),
        ("a fishing village girl who hates shellfish, that's me", ("dislikes", "shellfish")),
        ("I've taken a cottage in Mabou for a week in July", ("lives_in", "Mabou")),
    ],
)
def test_what_is_not_sure_fills_no_slot(words: str, never: tuple[str, str]) -> None:
    assert never not in [(each.attribute, each.value) for each in claims([said(words)])]
