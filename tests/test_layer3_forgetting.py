"""Forgetting reaches layer 3, also where it is the only one that knows; new rules mask what lies there; and what was
forgotten stays so however it is masked afterwards."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_forgetting import forget, holding, id_of, story
from workspaces import at, consolidate, contents, copied, copies, make, memories, problems, say, stopped

from memory_system import finder, forgetting, rules, workspace
from memory_system.forgetting import scanning
from memory_system.nights import copying, derive
from memory_system.upkeep import check
from memory_system.workspace import Workspace

NOW = "2026-04-06T12:00:00Z"
LATER = "2026-04-09T12:00:00Z"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The story of test_forgetting a month later: its transcripts are gone, and its month is packed."""
    root = story(tmp_path_factory.mktemp("kept") / "w")
    consolidate(root, NOW)
    shutil.rmtree(root / "sessions")
    (root / "sessions").mkdir()
    assert [path.name for path in (root / "memory/layer3").iterdir()] == ["2026-03.jsonl.gz"]
    return root


@pytest.fixture
def root(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "w"))


def everywhere(root: Path, *words: str) -> list[str]:
    """The files of ours that hold any of the words; layer 3 as it is unpacked."""
    packed = {name: data for name, data in copies(root).items() for word in words if word.encode() in data}
    return [*holding(root, *words), *packed]


CHOSEN = [
    ({"entity": "Barnaby"}, "Barnaby", "Elena"),
    ({"query": "喝龙井茶"}, "龙井茶", "爬山"),
    ({"session": "later"}, "Lisbon", "Elena"),
    ({"since": "2026-03-03T00:00:00Z", "until": "2026-03-04T00:00:00Z"}, "青霉素", "Elena"),
]


@pytest.mark.parametrize(("chosen", "gone", "left"), CHOSEN)
def test_what_only_layer_3_knows_is_forgotten_too(root: Path, chosen: dict[str, str], gone: str, left: str) -> None:
    assert any(gone in text for text in copied(root).values())
    certificate = forget(root, NOW, **chosen)
    assert certificate["messages"]
    assert everywhere(root, gone) == []
    assert any(left in text for text in copied(root).values())
    assert [each for each in problems(root, NOW) if "there is no message" not in each] == []


def test_one_memory_takes_its_words_from_layer_3_and_leaves_the_rest(root: Path) -> None:
    forget(root, NOW, ids=(id_of(root, "青霉素"),))
    assert everywhere(root, "青霉素") == []
    assert "我住在杭州" in copied(root)["clinic:e1"]
    assert len(copied(root)["clinic:e1"]) == len("我对青霉素过敏，这个很重要。我住在杭州。我喜欢喝龙井茶。")


def test_a_copy_that_is_not_wanted_any_more_is_forgotten_too(root: Path) -> None:
    (root / "memory/config.json").write_text('{"timezone": "UTC", "layer3": {"keep": false}}')
    forget(root, NOW, entity="Barnaby")
    assert everywhere(root, "Barnaby") == []


def test_a_transcript_that_turns_up_again_brings_nothing_back(root: Path) -> None:
    forget(root, NOW, entity="Barnaby")
    say(root, "found", ("2026-03-01T09:00:00Z", "user", "I have a dog called Barnaby. I collect stamps from Norway."))
    consolidate(root, LATER)
    assert everywhere(root, "Barnaby") == []
    assert any("stamps" in text for text in copied(root).values())


def test_a_month_that_cannot_be_unpacked_keeps_nothing_that_is_forgotten(root: Path) -> None:
    path = root / "memory/layer3/2026-03.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-12])
    forget(root, NOW, entity="Barnaby")
    assert everywhere(root, "Barnaby") == []
    assert not list((root / "memory/state").glob("*.gz"))


def test_stopped_at_any_step_it_is_finished_by_the_next_writer(root: Path) -> None:
    begun = False
    for what, again in stopped(root, lambda disk: forget(root, NOW, entity="Barnaby", disk=disk), every=2):
        if begun := begun or (again / "memory/state/forgetting.json").exists():
            with Workspace.open(again, now=at(LATER), write=True) as ws:
                forgetting.finish(ws)
            assert everywhere(again, "Barnaby") == [], what
    assert begun


# ---- rules that have learnt ----------------------------------------------------------------------------------------


class Rules:
    """The rules of the program, to which secrets are added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def learn(self, kind: str, pattern: str) -> None:
        path = self.folder / "secrets.toml"
        path.write_text(
            f"{path.read_text()}\n[[secret]]\nid = '{kind}'\nkind = '{kind}'\nwhy = 'of the house'\n"
            f"pattern = '''{pattern}'''\nyes = []\nno = []\n"
        )
        _forget_rules()


def _forget_rules() -> None:
    for cached in (rules.load, rules.table, rules.together, rules._document, workspace._program):
        cached.cache_clear()


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rules]:
    """The rules in a folder where they may be changed, as a newer version of the program changes them."""
    monkeypatch.setattr(rules, "FOLDER", Path(shutil.copytree(rules.FOLDER, tmp_path / "rules")))
    yield Rules(rules.FOLDER)
    monkeypatch.undo()
    _forget_rules()


SECRETS = ("FERN-4417-KB", "青鸟-9981")
PATTERN = r"FERN-\d{4}-[A-Z]{2}|青鸟-\d{4}"


def told_secrets(root: Path, **config: Any) -> Path:
    make(root, **config)
    say(
        root, "s",
        ("2026-03-02T09:00:00Z", "user", f"My locker at the pool is {SECRETS[0]}, remember that. I live in Porto."),
        ("2026-03-02T09:01:00Z", "user", f"记住：我的柜子是{SECRETS[1]}。我喜欢爬山。"),
    )  # fmt: skip
    consolidate(root, "2026-03-03T12:00:00Z")
    assert len(everywhere(root, SECRETS[0])) > 3
    return root


@pytest.mark.parametrize("gone", [False, True])
def test_the_next_night_masks_what_rules_have_learnt_to_know(house: Rules, gone: bool, tmp_path: Path) -> None:
    root = told_secrets(tmp_path / "w")
    if gone:
        (root / "sessions/s.jsonl").unlink()
    house.learn("house-code", PATTERN)
    consolidate(root, NOW)
    assert everywhere(root, *SECRETS) == []
    assert all("[secret:house-code]" in text for text in copied(root).values())
    assert any("[secret:house-code]" in each for each in contents(root))
    assert problems(root, NOW) == []
    with Workspace.open(root, now=at(NOW)) as ws:
        assert check.verify(ws) is None
        entries = len(list(ws.journal.entries()))
    consolidate(root, LATER)
    with Workspace.open(root, now=at(LATER)) as ws:
        assert len(list(ws.journal.entries())) == entries  # nothing to mask: nothing is written


def test_a_masking_that_was_stopped_is_done_the_next_time(house: Rules, tmp_path: Path) -> None:
    root = told_secrets(tmp_path / "w")
    house.learn("house-code", PATTERN)
    for what, again in stopped(root, lambda disk: consolidate(root, NOW, disk=disk), every=2):
        consolidate(again, NOW)
        assert everywhere(again, *SECRETS) == [], what


def test_policy_scan_looks_into_layer_3(house: Rules, tmp_path: Path) -> None:
    root = told_secrets(tmp_path / "w")
    (root / "sessions/s.jsonl").unlink()
    consolidate(root, NOW)  # and it is packed
    house.learn("house-code", PATTERN)
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        found = {each.where for each in scanning.scan(ws)}
        assert {"memory/layer3/2026-03.jsonl:1", "memory/layer3/2026-03.jsonl:2"} <= found
        scanning.fix(ws)
        assert scanning.scan(ws) == []
    assert everywhere(root, *SECRETS) == []


def test_what_is_held_back_later_leaves_layer_3(tmp_path: Path) -> None:
    root = told_secrets(tmp_path / "w")
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        quote = "My locker at the pool is FERN-4417-KB, remember that."
        row = {"ref": "s:e1", "quote": quote, "said_at": "2026-03-02T09:00:00Z", "role": "user", "rule": "en.approve"}
        ws.quarantine.add([row])
        assert copying.fill(ws) == 0
    assert copied(root)["s:e1"].strip() == "I live in Porto."


SAID = "My locker at the pool is FERN-4417-KB, remember that."


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("learnt_first", [False, True])
def test_what_was_forgotten_stays_so_when_a_rule_masks_a_part_of_it(
    house: Rules, learnt_first: bool, keep: bool, tmp_path: Path
) -> None:
    """The digest was that of the words as they were masked then: the same words, masked otherwise, were found again."""
    root = told_secrets(tmp_path / "w", layer3={"keep": keep})
    (root / "memory/2026-03-02.md").write_text(f"## [10:00:00] general\n\n{SAID} The kettle is red.\n")
    house.learn("a", PATTERN) if learnt_first else None
    consolidate(root, NOW)
    forget(root, NOW, ids=tuple(each.id for each in memories(root) if "locker" in each.content and each.evidence))
    house.learn("b", "pool is|柜子")
    with Workspace.open(root, now=at(LATER), write=True) as ws:
        scanning.mask_again(ws)
        copying.fill(ws)
        derive.rebuild(ws)
        assert [
            each for each in finder.search(ws, "locker pool", scope="sessions")["results"] if "locker" in each["text"]
        ] == []
        assert any("Porto" in each["text"] for each in finder.search(ws, "Porto", scope="sessions")["results"])
    path = root / "sessions/s.jsonl"
    path.write_text(path.read_text().replace('"version": 3', '"version": 4'))  # it is read again
    consolidate(root, LATER)
    assert not any("locker" in each for each in (*contents(root), *copied(root).values()))


def test_a_name_that_a_rule_masks_now_stays_forgotten(house: Rules, tmp_path: Path) -> None:
    root = make(tmp_path / "w")
    say(
        root,
        "s",
        ("2026-03-02T09:00:00Z", "user", "I have a dog called Barnaby77. Barnaby77 bit the vet. I live in Porto."),
    )
    consolidate(root, "2026-03-03T12:00:00Z")
    forget(root, NOW, entity="Barnaby77")
    house.learn("pet", "Barnaby77")
    path = root / "sessions/s.jsonl"
    path.write_text(path.read_text().replace('"version": 3', '"version": 4'))
    consolidate(root, LATER)
    assert not any("vet" in each or "[secret" in each for each in (*contents(root), *copied(root).values()))


def test_words_around_a_secret_are_forgotten_and_the_secret_is_not_laid_bare(tmp_path: Path) -> None:
    root = make(tmp_path)
    said = "The password for the printer is zebra-Quartz-441759 and it hums. I live in Porto."
    say(root, "s", ("2026-03-02T09:00:00Z", "user", said))
    consolidate(root, "2026-03-03T12:00:00Z")
    forget(root, NOW, query="password printer")
    path = root / "sessions/s.jsonl"
    path.write_text(path.read_text().replace('"version": 3', '"version": 4'))
    consolidate(root, LATER)
    assert everywhere(root, "Quartz", "hums") == []
    marks = [json.loads(line) for line in (root / "memory/state/tombstones.jsonl").read_text().splitlines()]
    assert len({mark["length"] for mark in marks if mark["kind"] == "quote"}) > 1  # as written, and as it was masked
