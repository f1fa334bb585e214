"""What the owner wants masked is kept, and shown to nobody who does not ask for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import memory
from workspaces import at, consolidate, contents, make, say

from memory_system import finder
from memory_system.agent import prompt
from memory_system.agent.tools import Toolbox
from memory_system.privacy import masks
from memory_system.upkeep import check
from memory_system.workspace import Workspace

NOW = "2026-03-03T12:00:00Z"
ALL = ("phone", "email", "address")
PRIVATE = ("415-555-0134", "ana@heron.example", "14 Mill Lane", "13800138000", "柳莺路12号")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Her number is (415) 555-0134, call +351 912 345 678 too.", "Her number is [phone], call [phone] too."),
        ("两个号码13800138000 13900139000", "两个号码[phone] [phone]"),
        ("我住在杭州市柳莺路12号3幢502室，电话6543 2100", "我住在[address]，电话[phone]"),
        ("I moved to 221 Old Harbour Street, Flat 3 in May", "I moved to [address] in May"),
        ("Joe: 01632 960 983 or 07700 900123.", "Joe: [phone] or [phone]."),
        ("My new number is 555 0134, ring me on 555 0135", "My new number is [phone], ring me on [phone]"),
        ("我的新号码是６５４３ ２１００，打给我：6543 2101", "我的新号码是[phone]，打给我：[phone]"),
        ("My number one priority is order 4711 0134", "My number one priority is order 4711 0134"),
        ("mail ana@heron.example and lin@mail.test", "mail [email] and [email]"),
        ("The order 4711-2026-03-02 has 14 lanes and 20 roads", "The order 4711-2026-03-02 has 14 lanes and 20 roads"),
        ("我坐12路车，8号见，走路去", "我坐12路车，8号见，走路去"),
        ("She lives at 12 May [2026-05-12] Street since May [2026-05]", "She lives at [address] since May [2026-05]"),
        ("住在中山路12号[2026-03-12]3栋，明天[2026-03-03]去", "住在[address]，明天[2026-03-03]去"),
    ],
)
def test_what_is_masked(text: str, wanted: str) -> None:
    assert masks.masked(text, ALL) == wanted
    assert masks.masked(wanted, ALL) == wanted
    assert masks.masked(text, ()) == text


@pytest.mark.parametrize(
    ("text", "number"), [("My number is 555 0134", "555 0134"), ("我的电话是6543 2100", "6543 2100")]
)
def test_a_bare_value_is_masked_where_the_answer_tells_what_it_is(text: str, number: str) -> None:
    answer = {
        "content": text,
        "value": number,
        "sources": [{"quote": f"so: {number}", "ref": number}],
        "other": f"9{number}",
    }
    shown = masks.shown(answer, ("phone",))
    assert (shown["value"], shown["sources"]) == ("[phone]", [{"quote": "so: [phone]", "ref": number}])
    assert shown["other"] == f"9{number}"


def test_each_kind_by_itself() -> None:
    text = "Call 415-555-0134 or write to ana@heron.example"
    assert masks.masked(text, ("phone",)) == "Call [phone] or write to ana@heron.example"
    assert masks.masked(text, ("email",)) == "Call 415-555-0134 or write to [email]"


def talked(root: Path, **config: Any) -> Path:
    make(root, **config)
    say(
        root, "s",
        ("2026-03-02T09:00:00Z", "user", "Remember that my sister's number is 415-555-0134."),
        ("2026-03-02T09:01:00Z", "user", "Remember that Ana's email is ana@heron.example."),
        ("2026-03-02T09:02:00Z", "user", "I live at 14 Mill Lane in Porto."),
        ("2026-03-02T09:03:00Z", "user", "记住我的电话是13800138000，我住在柳莺路12号。"),
    )  # fmt: skip
    (root / "MEMORY.md").write_text("".join(f"- about {each}\n" for each in PRIVATE))
    consolidate(root, NOW)
    return root


def everything_shown(root: Path, *, unmasked: bool = False) -> str:
    """All that is given to an agent or its owner, as one text."""
    with Workspace.open(root, now=at(NOW)) as ws:
        found = finder.search(ws, "phone email Lane 电话", limit=20, unmasked=unmasked)
        ids = [row["id"] for row in found["results"]]
        given = [
            found,
            *(finder.get(ws, each, unmasked=unmasked) for each in ids),
            finder.get(ws, "MEMORY.md", unmasked=unmasked),
            finder.context(ws, "What is my phone number? 我的电话是多少？", unmasked=unmasked),
        ]
        if not unmasked:
            given += [prompt.compose(ws, message="What is my phone number?").text]
            given += [(root / "memory/layer1/snapshot.md").read_text()]
            toolbox = Toolbox(root, now=lambda: at(NOW))
            given += [
                toolbox.call("memory_search", {"query": "phone number"}),
                toolbox.call("memory_get", {"path": "MEMORY.md"}),
            ]
    return json.dumps(given, ensure_ascii=False)


def test_it_is_kept_and_shown_to_nobody_who_does_not_ask(tmp_path: Path) -> None:
    root = talked(tmp_path, policy={"masked": list(ALL)})
    assert all(any(each in content for content in contents(root)) for each in PRIVATE[:3])
    masked, unmasked = everything_shown(root), everything_shown(root, unmasked=True)
    assert [each for each in PRIVATE if each in masked] == []
    assert [each for each in PRIVATE if each not in unmasked] == []
    with Workspace.open(root, now=at(NOW)) as ws:
        assert check.validate(ws) == []


def test_nothing_is_masked_unless_the_owner_says_so(tmp_path: Path) -> None:
    given = everything_shown(talked(tmp_path))
    assert [each for each in PRIVATE if each not in given] == []


def test_by_command(tmp_path: Path) -> None:
    root = talked(tmp_path, policy={"masked": ["phone"]})
    for words in (["search", "phone number"], ["get", "MEMORY.md"], ["context", "What is my phone number?"]):
        masked = memory("--workspace", root, *words).stdout
        assert "[phone]" in masked
        assert "0134" not in masked
        assert "0134" in memory("--workspace", root, *words, "--unmasked").stdout
