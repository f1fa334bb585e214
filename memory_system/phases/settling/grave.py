"""A capture about somebody's health or safety is of that category, as it would be had it been said: such memories never
fade, and nobody who captures names a category."""

from __future__ import annotations

from memory_system import rules
from memory_system.attributes import GRAVE, category_of
from memory_system.records import Fact


def as_grave(capture: Fact) -> Fact:
    """The capture; as a matter of health or safety where its words are about one."""
    if capture.category != "general" or type(capture) is not Fact:
        return capture
    told = capture.content.replace("’", "'")
    found = {category_of(rule) for rule in rules.load(capture.lang)["intrinsic"].firing(told)} & GRAVE
    return capture.model_copy(update={"category": max(found)}) if found else capture
