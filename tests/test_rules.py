"""Every rule of every rule set keeps its word: it matches its `yes` examples and not its `no` examples."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources
from typing import Any

import pytest

from memory_system import rules

FILES = sorted(
    each.name.removesuffix(".toml") for each in resources.files(rules).iterdir() if each.name.endswith(".toml")
)
RULES = [
    pytest.param(group, rule, id=f"{name}-{group_name}-{rule.id}")
    for name in FILES
    for group_name, group in rules.load(name, examples=True).items()
    for rule in group.rules
]
PATTERN = re.compile(r"[|(\[{?]")  # other entries beside the lists are patterns and sentences


def text_of(example: Any) -> str:
    """An example is a text, or a table with what the rule makes of its `text`."""
    return example if isinstance(example, str) else example["text"]


@pytest.mark.parametrize(("group", "rule"), RULES)
def test_a_rule_matches_its_yes_examples(group: rules.RuleSet, rule: rules.Rule) -> None:
    for example in rule.yes:
        assert rule.search(text_of(example)), example
        assert rule in group.firing(text_of(example)), f"the set of all patterns misses {example}"


@pytest.mark.parametrize(("group", "rule"), RULES)
def test_a_rule_does_not_match_its_no_examples(group: rules.RuleSet, rule: rules.Rule) -> None:
    for example in rule.no:
        assert not rule.search(text_of(example)), example
        assert rule not in group.firing(text_of(example)), example


@pytest.mark.parametrize("name", FILES)
def test_every_rule_says_why_and_has_examples(name: str) -> None:
    for group in rules.load(name, examples=True).values():
        assert [rule.id for rule in group.rules if not (rule.why and rule.yes and rule.no)] == []


@pytest.mark.parametrize("name", FILES)
def test_the_ids_of_a_file_are_its_own(name: str) -> None:
    ids = [rule.id for group in rules.load(name).values() for rule in group.rules]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["withheld", "frame", "confided"])
def test_a_gate_lets_through_what_its_rules_know(lang: str, name: str) -> None:
    groups = rules.load(lang, examples=True)
    opening = (rule for rule in groups[name].rules if not rule.data.get("over"))
    examples = [text_of(example) for rule in opening for example in rule.yes]
    assert [text for text in examples if not groups[f"{name}_gate"].fires(text)] == []
    assert [text for text in examples if not groups[f"{name}_gate"].fires(text.upper())] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_word_list_holds_a_word_twice(lang: str) -> None:
    lists = {name: words.split() for name, words in rules.table(lang, "words").items() if not PATTERN.search(words)}
    twice = {name: [word for word, times in Counter(words).items() if times > 1] for name, words in lists.items()}
    assert {name: words for name, words in twice.items() if words} == {}
