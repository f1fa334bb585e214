"""Who types: measured on moments of which nothing was learned."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from memory_system.understand.guests import FROM, Names, sum_of

CORPUS = Path(__file__).parent.parent / "corpus"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_guest_is_often_heard_and_an_owner_who_sounds_like_one_seldom_is(lang: str) -> None:
    moments = [orjson.loads(line) for line in (CORPUS / f"guests.{lang}.blind.jsonl").read_bytes().splitlines()]
    heard = {True: 0, False: 0}
    for each in moments:
        names = Names(frozenset(each["own"]), frozenset(each["near"]))
        heard[each["guest"]] += sum_of(each["s"], names, opens=not each["before"], answer=each["after"]) >= FROM
    guests = sum(each["guest"] for each in moments)
    assert heard[True] >= 0.5 * guests
    assert heard[False] <= 0.2 * (len(moments) - guests)


@pytest.mark.parametrize("words", ["salut c'est moi", "", "42"])
def test_where_there_is_nothing_to_hear_it_is_the_owner(words: str) -> None:
    assert sum_of(words, Names(frozenset(), frozenset()), opens=True) < FROM
