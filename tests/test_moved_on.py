"""Who says in haste that they have moved or begun a new job lives and works there now."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, said, talk
from workspaces import afterwards, consolidate, contents, make, say


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("started my new job at the Nuffield clinic today!", ("works_at", "Nuffield clinic")),
        ("I've begun my new role at quillfield", ("works_at", "quillfield")),
        ("just moved to leeds from manchester", ("lives_in", "leeds")),
        ("i moved from london to york last month", ("lives_in", "york")),
        ("we moved to leeds on saturday", ("lives_in", "leeds")),
        ("moved house to leeds on saturday", ("lives_in", "leeds")),
    ],
)
def test_what_is_so_from_then_on(words: str, slot: tuple[str, str]) -> None:
    assert slot in [(each.attribute, each.value) for each in claims([said(words)])]


@pytest.mark.parametrize(
    "words",
    [
        "starting my new job at Quillfield on monday",
        "just moved to postgres from mysql",
        "the meeting just moved to tuesday from monday",
        "started a new job at the gym on weekends as well",
        "didnt get the job at spotify",
    ],
)
def test_what_is_not(words: str) -> None:
    assert not {each.attribute for each in claims([said(words)])} & {"works_at", "lives_in"}


def test_the_job_of_whoever_was_asked_about_is_not_the_speakers() -> None:
    found = claims(talk(("assistant", "How is your sister?"), ("user", "started a new job at the Nuffield clinic")))
    assert not [each for each in found if each.attribute == "works_at"]


def test_the_job_that_somebody_got_is_told_with_its_first_day(tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "a", ("2026-03-04T10:00:00Z", "user", "got the job at spotify!! i start on april 13"))
    consolidate(root, "2026-03-05T12:00:00Z")
    told = " ".join(contents(root))
    assert "spotify" in told
    assert "13 April 2026" in told


def test_a_new_job_ends_the_one_before(tmp_path: Path) -> None:
    afterwards(tmp_path, "I work at Fernway.", "started my new job at the Nuffield clinic today!")
    assert "User works at Fernway" in contents(tmp_path, "archive")
