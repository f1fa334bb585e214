"""The snapshot: within its budget, nothing that no longer holds, everybody's own under their own name, and the same for
the same truth."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspaces import at, consolidate, make, say

from memory_system.phases import snapshot
from memory_system.phases.index import open_index
from memory_system.records import Belief, Evidence, Fact, Place, memory_id
from memory_system.store.draft import Draft, changes_of
from memory_system.store.journal import Entry
from memory_system.text import estimate_tokens
from memory_system.understand.language import claim_rules
from memory_system.workspace import Workspace

NOW = at("2026-03-02T03:00:00Z")


def fact(content: str, kind: type[Fact] = Fact, **values: object) -> Fact:
    row = {
        "id": memory_id(kind, NOW.date(), content, content), "content": content, "importance": 0.5, "score": 0.5,
        "entities": ("User",), "created": "2026-02-01T03:00:00Z", "said_at": "2026-02-01T00:00:00Z",
        "scored_at": "2026-02-01T03:00:00Z", "updated": "2026-02-01T03:00:00Z", "lang": "en",
    }  # fmt: skip
    return kind.model_validate(row | values)


def said(words: str, ref: str = "", **values: object) -> dict[str, Any]:
    """What a memory that was read out of those words has beside its content."""
    evidence = Evidence(ref=ref or f"s:{words}", quote=words, said_at="2026-02-01T00:00:00Z", role="user", trust="user")
    return {"evidence": (evidence,), **values}


def claim(attribute: str, value: str, subject: str = "user", **values: Any) -> Fact:
    """A slot that was surely filled."""
    who = "User" if subject == "user" else subject
    row = {"subject": subject, "attribute": attribute, "value": value, "form": "claim", "method": "rule:x"}
    return fact(f"{who} {attribute} {value}", **{**row, **values})


def quote(words: str, ref: str = "", **values: Any) -> Fact:
    return fact(words, **{**said(words, ref), "form": "quote", "method": "judge", **values})


def on(start: str, end: str, granularity: str = "day") -> dict[str, Any]:
    """What a memory has that speaks of that time."""
    times = {"start": f"{start}T00:00", "end": f"{end}T00:00", "granularity": granularity, "text": "then"}
    return {"event_time": times}


def snapshot_of(root: Path, *records: Fact, pool: Any = "active", **config: object) -> str:
    make(root, **config)
    with Workspace.open(root, now=NOW, write=True) as ws:
        draft = Draft(ws.store)
        for record in records:
            draft.put("archive" if record.retired else pool, record, record.retired or "new")
        ws.store.apply(Entry("2026-03-02T03:00:00Z", "test"), changes_of(ws.store, [draft]))
        snapshot.run(NOW, ws)
    return (root / "memory/layer1/snapshot.md").read_text("utf-8")


def section(text: str, title: str) -> list[str]:
    """The lines of the section whose title begins so."""
    return text.partition(f"\n## {title}")[2].partition("\n")[2].partition("\n\n")[0].split("\n")


# ------------------------------------------------------------------------------------------------ always


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1, max_size=200)
CATEGORIES = st.sampled_from(
    ["general", "health", "identity", "instruction", "preference", "safety", "project", "plan", "relation"]
)
ATTRIBUTES = st.sampled_from(["", "", "name", "allergy", "medication", "dose.x", "lives_in", "sibling", "appointment"])
SUBJECTS = st.sampled_from(["user", "user", "assistant", "Ana", "sister"])
WHENS = st.sampled_from(
    [{}, on("2026-03-05", "2026-03-06"), on("2026-02-05", "2026-02-06"), on("2026-01-01", "2027-01-01", "year")]
)
FORMS = st.sampled_from(["claim", "quote", ""])
RECORDS = st.builds(
    lambda words, category, attribute, subject, form, score, when: fact(
        words, category=category, attribute=attribute, value=words[:40] if attribute else "", subject=subject,
        form=form, importance=score, score=score, **said(words), **when,
    ),
    WORDS, CATEGORIES, ATTRIBUTES, SUBJECTS, FORMS, st.floats(0, 1), WHENS,
)  # fmt: skip


@st.composite
def lives(draw: st.DrawFn) -> list[Fact]:
    """Memories, some of which another likely makes outdated."""
    records = draw(st.lists(RECORDS, max_size=80, unique_by=lambda each: each.id))
    newer = st.sampled_from([None, None, *(each.id for each in records)])
    return [each.model_copy(update={"likely_outdated_by": draw(newer)}) for each in records]


@settings(max_examples=60)
@given(lives(), st.integers(200, 2000), st.booleans())
def test_it_never_exceeds_its_budget_and_tells_nothing_twice(records: list[Fact], total: int, zh: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.joinpath("IDENTITY.md").write_text(f"- Name: {'K' * 300}\n- Vibe: {'v' * 300}\n- More: {'m' * 300}\n")
        text = snapshot_of(root, *records, token_budget={"layer1_total": total}, language="zh" if zh else "en")
        assert estimate_tokens(text) <= total
        rankings = json.loads((root / "memory/state/rankings.json").read_text())
        told = [each["id"] for each in rankings["chosen"]]
        assert len(told) == len(set(told))
        assert not {each["id"] for each in rankings["omitted"]} & set(told)


def test_the_budget_is_used_when_there_is_something_to_say(tmp_path: Path) -> None:
    remarks = [fact(f"User counted {number} geese on the long way home from work") for number in range(200)]
    text = snapshot_of(tmp_path, *remarks)
    assert 1900 < estimate_tokens(text) <= 2000


@pytest.mark.parametrize(
    "record",
    [
        claim("lives_in", "Zembla", outdated_by="f_20260301_0000000000"),
        quote("Zembla it is", outdated_by="f_20260301_0000000000"),
        claim("lives_in", "Zembla", superseded_by="f_20260301_0000000000"),
        claim("allergy", "Zembla", polarity=False, category="health"),
        fact("The appointment in Zembla", expires="2026-03-01T00:00:00Z"),
        fact("User is in Zembla just now", category="temporary"),
        quote("It may be Zembla", stance="hedged"),
        quote("I would suggest Zembla.", subject="assistant", **said("", trust="assistant")),
        quote("Zembla!", context=(Place(ref="s:e1", start=-20, end=0),)),
        claim("lives_in", "Zembla", form="", method="rule:en.gone.rule"),
        claim("appointment", "the dentist in Zembla", category="schedule", **on("2026-02-20", "2026-02-21")),
        quote("One day to Zembla", category="plan"),
    ],
)  # fmt: skip
def test_what_does_not_hold_today_is_not_there(record: Fact, tmp_path: Path) -> None:
    if record.subject == "assistant":
        words = Evidence(ref="s:e2", quote=record.content, role="assistant", trust="assistant")
        record = record.model_copy(update={"evidence": (words,)})
    assert "Zembla" not in snapshot_of(tmp_path, record, fact("User rows"))


def test_a_supposition_says_how_sure_it_is(tmp_path: Path) -> None:
    maybe = "My son Ben may be allergic to latex"
    text = snapshot_of(tmp_path, quote(maybe, kind=Belief, stance="hedged", confidence=0.6, basis="hedged"))
    assert maybe in text
    assert "(confidence 0.6)" in text


@pytest.mark.parametrize(
    "values",
    [
        {"form": "claim", "method": "rule:x"},
        {"form": "", "method": f"rule:{claim_rules('en')[0].id}"},
        {"form": "", "method": f"rule:{claim_rules('zh')[0].id}"},
        {"form": "", "method": "rule:en.gone.rule", "edited": ("value",)},
        {"form": "", "method": "rule:en.gone.rule", "pinned": True},
        {"form": "", "method": "capture"},
        {"form": "", "method": "rule:en.gone.rule", **said("I live in Zembla", "capture:k")},
    ],
)
def test_a_slot_stands_where_todays_rules_or_the_owner_fill_it(values: dict[str, Any], tmp_path: Path) -> None:
    assert "Zembla" in snapshot_of(tmp_path, claim("lives_in", "Zembla", **values))


def test_it_is_the_same_for_the_same_truth_and_date(tmp_path: Path) -> None:
    records = [fact(f"User counted {number} geese") for number in range(30)]
    records += [claim("sibling", "Ana"), claim("allergy", "nuts", "Ana"), claim("lives_in", "Porto")]
    one = snapshot_of(tmp_path / "one", *records)
    assert one == snapshot_of(tmp_path / "two", *reversed(records))
    with Workspace.open(tmp_path / "one", now=at("2030-01-01T00:00:00Z")) as ws, open_index(ws) as index:
        assert snapshot.text_of(index, at("2026-03-02T23:00:00Z"), ws) == one


def test_it_tells_the_night_that_it_was_made_for_whatever_has_changed_since(tmp_path: Path) -> None:
    text = snapshot_of(tmp_path, fact("User counted geese"), timezone="Asia/Shanghai")
    assert "> Generated: 2026-03-01T19:00:00Z |" in text  # three in the morning of 2 March in Shanghai
    with Workspace.open(tmp_path, now=at("2030-01-01T00:00:00Z")) as ws, open_index(ws) as index:
        later = snapshot.text_of(index, at("2028-02-20T19:00:00Z"), ws)
    assert "> Generated: 2028-02-20T19:00:00Z |" in later


def test_on_a_date_without_a_night_it_tells_the_date(tmp_path: Path) -> None:
    text = snapshot_of(tmp_path, fact("User counted geese"), consolidation={"schedule": "0 3 * * 6"})
    assert "> Generated: 2026-03-02T00:00:00Z |" in text


@pytest.mark.parametrize(("lang", "title"), [("zh", "# 工作记忆快照"), ("en", "# Working memory snapshot")])
def test_it_speaks_the_language_of_the_memories(tmp_path: Path, lang: str, title: str) -> None:
    words = {
        "zh": ["用户喜欢划船", "用户住在杭州", "User rows"],
        "en": ["User rows", "User lives in Porto", "用户喜欢划船"],
    }
    records = [fact(each, lang="en" if each.isascii() else "zh") for each in words[lang]]
    assert snapshot_of(tmp_path, *records).startswith(title)


def test_the_language_can_be_set(tmp_path: Path) -> None:
    assert snapshot_of(tmp_path, fact("User rows"), language="zh").startswith("# 工作记忆快照")


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    records = [fact(f"User counted {number} geese on the long way home from work") for number in range(200)]
    text = snapshot_of(tmp_path, *records, token_budget={"layer1_total": 500})
    rankings = json.loads((tmp_path / "memory/state/rankings.json").read_text())
    assert len(rankings["chosen"]) == text.count("geese")
    assert len(rankings["chosen"]) + len(rankings["omitted"]) == 200
    assert all(each["tokens"] > 0 for each in rankings["omitted"])


# ------------------------------------------------------------------------------------------------ the user


def test_who_the_agent_is_comes_from_its_files(tmp_path: Path) -> None:
    tmp_path.joinpath("IDENTITY.md").write_text("# Identity\n\n- **Name:** Koda\n- Vibe: calm\n")
    text = snapshot_of(tmp_path, fact("User rows"))
    assert section(text, "Identity") == ["- Name: Koda", "- Vibe: calm"]


def test_the_user_stands_by_slots_in_a_fixed_order(tmp_path: Path) -> None:
    text = snapshot_of(
        tmp_path,
        claim("allergy", "figs", category="health"),
        claim("allergy", "peanuts", category="health"),
        claim("works_at", "Tidewater", category="status"),
        claim("name", "Ana", category="identity"),
        claim("lives_in", "Porto", category="status"),
    )
    names = [line.partition(":")[0] for line in section(text, "User")]
    assert names == ["- name", "- lives in", "- works at", "- allergy"]
    assert all(value in text for value in ("Ana", "Porto", "Tidewater", "peanuts", "figs"))


def test_a_medicine_stands_with_the_dose_that_was_said_last(tmp_path: Path) -> None:
    text = snapshot_of(
        tmp_path,
        claim("medication", "Levothyroxine", category="health"),
        claim("dose.levothyroxine", "75 µg", category="health", said_at="2026-01-01T00:00:00Z"),
        claim("dose.levothyroxine", "100 µg", category="health", said_at="2026-02-20T00:00:00Z"),
    )
    assert "Levothyroxine 100 µg" in text
    assert "75" not in text


def test_a_dose_that_later_words_may_have_changed_is_not_told(tmp_path: Path) -> None:
    old = claim("dose.levothyroxine", "75 µg", category="health", said_at="2026-01-01T00:00:00Z")
    later = quote("They doubled my levothyroxine", category="health", said_at="2026-02-20T00:00:00Z")
    lines = section(snapshot_of(tmp_path, old, later), "User")
    assert "levothyroxine" in lines[0]
    assert "75" not in lines[0]


@pytest.mark.parametrize(
    ("clear", "leaning"),
    [
        ("My sister Ana is a nurse in Lisbon.", "She is a nurse there, as I said."),
        ("我姐姐在成都当护士。", "她在那边当护士，跟你说过的。"),
    ],
)
def test_what_nobody_understands_alone_does_not_stand(clear: str, leaning: str, tmp_path: Path) -> None:
    text = snapshot_of(tmp_path, quote(clear, "s:e1", category="relation"), quote(leaning, "s:e2", category="relation"))
    assert clear in text
    assert leaning not in text


def test_where_nothing_has_given_way_both_values_stand(tmp_path: Path) -> None:
    text = snapshot_of(tmp_path, claim("birthday", "9 May"), claim("birthday", "19 May"))
    assert [line for line in section(text, "User") if "9 May" in line and "19 May" in line]


@pytest.mark.parametrize(
    ("values", "homes", "is_told"),
    [
        (on("2026-05-01", "2026-06-01", "month"), [], True),
        (on("2026-02-01", "2026-02-02"), [], False),
        ({}, ["2026-01-15T00:00:00Z"], True),
        ({}, ["2026-02-15T00:00:00Z"], False),
    ],
)
def test_a_move_stands_until_it_is_over(
    values: dict[str, Any], homes: list[str], is_told: bool, tmp_path: Path
) -> None:
    home = [claim("lives_in", "Porto", said_at=each) for each in homes]
    text = snapshot_of(tmp_path, claim("moves_to", "Basel", category="schedule", **values), *home)
    assert ("Basel" in "".join(section(text, "User"))) == is_told


NAMES = st.sampled_from(["Ana", "sister", "Biscuit", "Rex"])
GRAVE = st.sampled_from(["allergy", "condition", "medication", "dose.x", "diet", "lives_in", "age"])
OTHERS = st.lists(st.tuples(NAMES, GRAVE, st.integers(0, 9)), max_size=12, unique=True)


@settings(max_examples=40)
@given(OTHERS, st.booleans())
def test_what_is_of_others_stands_only_beside_their_name(others: list[tuple[str, str, int]], known: bool) -> None:
    near = [
        claim("sibling", "Ana", category="relation", **said("my sister Ana called")),
        claim("pet", "Biscuit", category="relation", **said("our dog Biscuit")),
    ]
    facts = [
        claim(attribute, f"value{number}", who, category="health", **said(f"{who} {number} {attribute}"))
        for who, attribute, number in others
    ]
    own = [claim("allergy", "figs", category="health")]
    with tempfile.TemporaryDirectory() as folder:
        text = snapshot_of(Path(folder), *own, *facts, *(near if known else ()))
    kin = {"sister": ("sister", "Ana")} if known else {}
    for _, attribute, number in others:
        lines = [line for line in text.split("\n") if f"value{number}" in line]
        named = {each[0] for each in others if each[2] == number}
        for line in lines:
            assert any(name in line for each in named for name in kin.get(each, (each,)))
        assert f"- {snapshot_label(attribute)}: value{number}" not in text
        assert "figs" not in "".join(lines)


def snapshot_label(attribute: str) -> str:
    from memory_system.phases.portrait import label_of

    return label_of(attribute, "en")


def test_those_near_stand_by_name_with_what_they_are(tmp_path: Path) -> None:
    text = snapshot_of(
        tmp_path,
        claim("sibling", "Ana", category="relation", **said("My sister Ana is here")),
        claim("friend", "Marco", category="relation", **said("a friend of mine, Marco")),
        claim("pet", "Biscuit", category="relation", **said("I have a dog called Biscuit")),
        claim("pet", "Tuppence", category="relation", **said("Tuppence bites, Maestro is the parrot")),
        claim("pet", "Maestro", category="relation", **said("Tuppence bites, Maestro is the parrot")),
        claim("parent", "Beatrix", category="relation", **said("dad died in May and mum, Beatrix, is alone")),
        claim("allergy", "nuts", "Ana", category="health"),
        claim("condition", "diabetes", "mum", category="health"),
        claim("condition", "gout", "Zed", category="health"),
    )
    lines = section(text, "User")
    assert {"- friend: Marco", "- dog: Biscuit"} <= set(lines)
    assert not any("parrot" in line for line in lines)  # which of the two it is
    assert not any("dad" in line for line in lines)
    assert next(line for line in lines if "nuts" in line).startswith("- Ana (sister): ")
    assert next(line for line in lines if "diabetes" in line).startswith("- mum: ")
    assert not any("gout" in line for line in lines)  # of Zed nobody knows who that is


def test_chinese_kin_words_stand_too(tmp_path: Path) -> None:
    zh = {"lang": "zh", "entities": ("用户",)}
    text = snapshot_of(
        tmp_path,
        claim("sibling", "知意", category="relation", **said("我妹妹叫知意"), **zh),
        claim("allergy", "花生", "知意", category="health", **zh),
        claim("pet", "团子", category="relation", **said("我养了只猫叫团子"), **zh),
        claim("pet", "猫", category="relation", **said("我养了猫"), **zh),
        claim("pet", "阿福", category="relation", **said("阿福咬人，元宝是鹦鹉"), **zh),
        claim("pet", "元宝", category="relation", **said("阿福咬人，元宝是鹦鹉"), **zh),
    )
    lines = section(text, "用户")
    assert not any("鹦鹉" in line for line in lines)  # which of the two it is
    assert next(line for line in lines if "花生" in line).startswith("- 知意 (妹妹): ")
    assert "- 猫: 团子" in lines


# ------------------------------------------------------------------------------------------------ the rest


def test_how_to_answer_is_the_owners_earnest_word(tmp_path: Path) -> None:
    page = Evidence(ref="s:e9", quote="Answer in verse", role="assistant", trust="assistant")
    text = snapshot_of(
        tmp_path,
        claim("instruction", "short answers", category="instruction", **said("keep your answers short please")),
        quote("Keep lists out of it", category="instruction"),
        quote("Don't call me before 9.", category="instruction"),
        quote("Should you call me Bo?", category="instruction", stance="ask"),
        fact("Answer in verse", category="instruction", evidence=(page,)),
        claim("emergency_contact", "Ana", category="safety"),
    )
    lines = "\n".join(section(text, "Constraints"))
    assert all(words in lines for words in ("short answers", "Keep lists out of it", "before 9", "Ana"))
    assert "call me Bo" not in lines
    assert "verse" not in lines


LATER = {
    "en": ("I take 4 mg of tizanidine at night.", "It is 6 now", "later"),
    "zh": ("我对青霉素过敏。", "查了其实是头孢", "后来"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_said_later_stands_right_behind_what_it_may_have_changed(tmp_path: Path, lang: str) -> None:
    older, newer, word = LATER[lang]
    last = quote(newer, category="health", lang=lang, said_at="2026-02-20T00:00:00Z")
    first = quote(older, category="health", lang=lang, likely_outdated_by=last.id)
    (line,) = [each for each in snapshot_of(tmp_path, first, last).split("\n") if newer in each]
    assert line.index(older) < line.index(word) < line.index("2026-02-20") < line.index(newer)


NURSE, FARO = (
    "My sister Ana is a nurse at the children's hospital in Porto.",
    "My sister Ana has a nursing job in Faro.",
)


def of_ana(words: str, day: str, newer: Fact | None = None) -> Fact:
    named = newer.id if newer else None
    return quote(words, category="relation", said_at=f"{day}T00:00:00Z", likely_outdated_by=named)


@pytest.mark.parametrize("middle", [FARO, "that one in Faro"])
def test_of_several_that_the_same_words_may_have_changed_the_last_clear_one_stands(tmp_path: Path, middle: str) -> None:
    last = of_ana("Ana works in Lisbon now", "2026-02-20")
    works = [of_ana(NURSE, "2026-01-02", last), of_ana(middle, "2026-01-09", last)]
    text = snapshot_of(tmp_path, *works, last)
    stands, gone = ("Faro", "Porto") if middle == FARO else ("Porto", "Faro")
    assert stands in text
    assert gone not in text
    assert text.count("Lisbon") == 1


def test_what_was_changed_twice_stands_with_the_last(tmp_path: Path) -> None:
    last = of_ana("Berlin it is now", "2026-02-25")
    middle = of_ana(FARO, "2026-02-20", last)
    text = snapshot_of(tmp_path, of_ana(NURSE, "2026-01-02", middle), middle, last)
    (line,) = [each for each in text.split("\n") if "Berlin" in each]
    assert "Faro" in line
    assert "Porto" not in text


@pytest.mark.parametrize(("newer", "stands"), [("it is that", True), ("I live in Tavira now, by the mill.", False)])
def test_a_slot_gives_way_to_newer_words_that_can_stand_themselves(tmp_path: Path, newer: str, stands: bool) -> None:
    last = quote(newer, category="status", said_at="2026-02-20T00:00:00Z")
    slot = claim("lives_in", "Faro", category="status", likely_outdated_by=last.id)
    assert ("Faro" in snapshot_of(tmp_path, slot, last)) is stands


@pytest.mark.parametrize("newer", ["put me up to 75 micrograms", "I'm on 75 micrograms of levothyroxine now."])
def test_what_is_grave_stands_before_the_newer_words(tmp_path: Path, newer: str) -> None:
    """These may name nothing: the dose of what?"""
    last = quote(newer, category="health", said_at="2026-02-20T00:00:00Z")
    medicine = claim("medication", "levothyroxine", category="health", likely_outdated_by=last.id)
    dose = claim("dose.levothyroxine", "50 micrograms", category="health", likely_outdated_by=last.id)
    other = claim("medication", "metformin", category="health")
    (line,) = [each for each in snapshot_of(tmp_path, other, medicine, dose, last).split("\n") if "75" in each]
    assert line.startswith("- medication: ")
    before = line.partition("75 micrograms")[0]
    assert before.rfind("levothyroxine") > before.rfind("metformin")  # it stands behind its own


def test_what_newer_words_may_have_changed_stands_no_more_but_what_is_pinned(tmp_path: Path) -> None:
    garage, hens = (
        quote("I bring the car to the garage on 12 March.", category="plan", **on("2026-03-12", "2026-03-13")),
        quote("I keep six hens behind the old mill in Tavira.", category="status", pinned=True),
    )
    named = tuple(each.id for each in (garage, hens))
    newer = quote(
        "The car is fine again, says Rui from the garage.",
        category="event",
        doubts=named,
        said_at="2026-02-20T00:00:00Z",
    )
    assert all(each in snapshot_of(tmp_path / "before", garage, hens) for each in ("12 March", "hens"))
    text = snapshot_of(tmp_path / "after", garage, hens, newer)
    assert "12 March" not in text
    assert "hens" in text


@pytest.mark.parametrize(
    "words", ["我对青霉素过敏，海鲜也过敏。", "I'm allergic to penicillin, and to shellfish as well I think."]
)
def test_an_allergy_that_no_slot_holds_stands_in_words_beside_the_one_that_does(tmp_path: Path, words: str) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    text = (tmp_path / "memory/layer1/snapshot.md").read_text()
    assert "海鲜" in text or "shellfish" in text


def test_what_was_said_again_since_is_in_doubt_no_more(tmp_path: Path) -> None:
    older = quote("My boss at the bakery is called Ruth Amaral.", category="relation", said_at="2026-02-01T00:00:00Z")
    newer = quote("Ruth has a new post in Leeds.", said_at="2026-02-10T00:00:00Z", doubts=(older.id,))
    again = older.model_copy(update={"last_confirmed": "2026-02-20T00:00:00Z"})
    assert "Amaral" not in snapshot_of(tmp_path / "doubted", older, newer)
    assert "Amaral" in snapshot_of(tmp_path / "again", again, newer)


def test_an_order_that_leans_on_what_stood_before_is_obeyed_by_nobody(tmp_path: Path) -> None:
    shown_with = {"context": (Place(ref="s:e1", start=0, end=5),)}
    orders = (
        quote("From now on always put the dates first in every list.", category="instruction", **shown_with),
        quote("And that one always goes first in every list from now on.", category="instruction", **shown_with),
    )
    text = snapshot_of(tmp_path, *orders)
    assert "dates first" in text
    assert "that one" not in text


def test_what_is_moved_stands_on_its_new_day_alone(tmp_path: Path) -> None:
    new, old = on("2026-03-10", "2026-03-11"), on("2026-03-05", "2026-03-06")
    last = quote("The car goes to the garage on Tuesday.", category="plan", said_at="2026-02-20T00:00:00Z", **new)
    first = quote("I bring the car to the garage on Thursday.", category="plan", likely_outdated_by=last.id, **old)
    lines = section(snapshot_of(tmp_path, first, last), "Coming up")
    assert [each[:13] for each in lines] == ["- 2026-03-10:"]


def test_what_is_coming_stands_there_nearest_first(tmp_path: Path) -> None:
    cheeses = [fact(f"User likes cheese number {n}", attribute="likes", importance=0.8, score=0.8) for n in range(60)]
    promise = Evidence(ref="s:e7", quote="I'll remind you", role="assistant", trust="assistant")
    text = snapshot_of(
        tmp_path,
        *cheeses,
        claim("deadline", "the passport", **on("2026-03-16", "2026-03-17")),
        quote("I fly to Oslo on Thursday", category="event", **on("2026-03-05", "2026-03-06")),
        claim("appointment", "a fitting", category="schedule", **on("2026-03-02", "2026-03-03")),
        quote("I have a check-up at the clinic on Wednesday", category="health", **on("2026-03-04", "2026-03-05")),
        quote("I'll remind you", subject="assistant", evidence=(promise,), **on("2026-03-07", "2026-03-08")),
        quote("My knee has hurt since then", category="health", **on("2026-02-20", "2026-02-21")),
        claim("allergy", "celery", category="health", **on("2026-03-04", "2026-03-05")),
        quote("We fly to Rome on 17 March", category="plan", **on("2026-03-17", "2026-03-18")),
        quote("We get a new roof in April", category="plan", **on("2026-04-01", "2026-05-01", "month")),
        quote("My dentist appointment is on the 20th", category="plan", **on("2026-04-20", "2026-04-21")),
        quote(
            "We move out of the flat by the end of March", category="plan", **on("2026-03-21", "2026-04-01", "third")
        ),
        quote("My sister and I go to York this year", category="plan", **on("2026-01-01", "2027-01-01", "year")),
    )
    lines = section(text, "Coming up (14 days)")
    assert [line[2:12] for line in lines] == ["2026-03-02", "2026-03-04", "2026-03-05", "2026-03-07", "2026-03-16"]
    assert not any("celery" in line or "knee" in line for line in lines)
    later = section(text, "Later")
    assert [line.partition(":")[0] for line in later] == [
        "- 2026-03-17", "- 2026-03-21/31", "- 2026-04-20", "- 2026-04", "- 2026",
    ]  # fmt: skip
    assert text.count("I fly to Oslo on Thursday") == 1


def test_what_has_begun_for_good_does_not_lie_ahead(tmp_path: Path) -> None:
    this_week = on("2026-02-23", "2026-03-09", "week")
    text = snapshot_of(
        tmp_path,
        quote("No meat for me since this week", form="statement", category="health", tells=("diet",), **this_week),
        quote("这周开始我不吃肉了", form="statement", category="plan", tells=("diet",), **this_week),
        quote("The fair is on", form="statement", category="event", **this_week),
        quote("We paint the attic", form="statement", category="plan", **this_week),
        quote("A blood test", form="statement", category="health", **on("2026-03-05", "2026-03-06")),
    )
    ahead = "\n".join(section(text, "Coming up (14 days)"))
    assert all(words in ahead for words in ("fair", "attic", "blood"))
    assert "meat" not in ahead
    assert "不吃肉" not in ahead


def test_projects_have_a_place(tmp_path: Path) -> None:
    text = snapshot_of(
        tmp_path,
        quote("We decided that Kelp, our billing service, stays on Postgres for good.", category="project"),
        quote("I rowed", category="event"),
    )
    assert ["Kelp" in line for line in section(text, "Projects")] == [True]


def test_what_matters_comes_first_and_what_fades_last(tmp_path: Path) -> None:
    text = snapshot_of(
        tmp_path,
        fact("User saw a whale", score=0.2),
        quote("I am allergic to latex and cannot go sailing", category="health", importance=1.0, score=0.1),
        fact("User likes rowing", category="preference", importance=0.8, score=0.8),
    )
    places = [text.index(words) for words in ("sailing", "rowing", "whale")]
    assert places == sorted(places)
    assert "sailing" in "\n".join(section(text, "User"))
    assert re.search(r"^1\. \[0\.\d\d\] User likes rowing$", text, re.MULTILINE)


def test_health_stands_before_what_fills_the_rest(tmp_path: Path) -> None:
    row = {"form": "statement", "method": "llm:read", "importance": 0.8, "score": 0.8}
    trifles = [
        fact(f"User met neighbour number {n} of the street on the stairs and stayed for tea", category=name, **row)
        for n in range(60)
        for name in ("relation", "status", "preference")
    ]
    grave = fact("User cannot have sulfa drugs: a rash", category="health", **row | {"importance": 1.0})
    child = fact("Ana is six years old", category="identity", subject="Ana", **row | {"importance": 1.0, "score": 1.0})
    text = snapshot_of(tmp_path, grave, child, *trifles)
    assert any("sulfa" in line for line in section(text, "User"))
    assert "[1.00]" not in text  # of the core: how old somebody else is


def test_who_the_user_is_stands_before_what_mentions_it_and_before_others(tmp_path: Path) -> None:
    row = {"form": "statement", "method": "llm:read", "importance": 0.8, "score": 0.8}
    this_month = on("2026-03-01", "2026-04-01", "month")
    trifles = [
        fact(f"Mrs Lee, neighbour number {n}, has asthma and took tea", category="health", **row | {"score": 1.0})
        for n in range(60)
    ]
    text = snapshot_of(
        tmp_path,
        fact("User drives a crane", category="status", tells=("occupation",), **row | this_month),
        fact("User talked to the class teacher Mr Ao", category="relation", tells=("occupation",), **row),
        fact("User cannot eat pineapple", category="health", **row),
        *trifles,
    )
    told = "\n".join(section(text, "User"))
    assert "crane" in told
    assert told.index("crane") < told.index("asthma")
    assert "pineapple" in told


def test_recent_days_are_the_last_three(tmp_path: Path) -> None:
    budget = {"layer1_total": 300, "layer1_top1": 0, "layer1_top2": 0, "layer1_top3": 0, "layer1_rest": 0}
    filler = [fact(f"User counted {number} geese on the long way home from work", score=0.9) for number in range(40)]
    text = snapshot_of(
        tmp_path,
        *filler,
        fact("User bought a kettle", said_at="2026-02-28T10:00:00Z", score=0.1),
        fact("User sold a kite on the long way home from work to a boy", said_at="2026-02-27T10:00:00Z", score=0.1),
        token_budget=budget,
    )
    assert section(text, "Recent") == ["- 2026-02-28: User bought a kettle"]
    assert "kite" not in text


def test_what_a_claim_tells_is_not_quoted_as_well(tmp_path: Path) -> None:
    words, more = "I live in Porto.", "I live in Porto and take the tram to the library most days"
    home = claim("lives_in", "Porto", **said(words, "s:e1"))
    assert words not in snapshot_of(tmp_path / "same", home, quote(words, "s:e1"))
    assert more in snapshot_of(tmp_path / "more", home, quote(more, "s:e1"))
    assert words in snapshot_of(tmp_path / "elsewhere", home, quote(words, "s:e2", subject="Ana", speaker="Ana"))


@pytest.mark.parametrize(
    ("words", "told"),
    [("I live in Leeds, no nuts.", "User lives in Leeds"), ("我住在青岛，对花生过敏。", "用户住在青岛")],
)
def test_what_matters_for_health_is_told_however_few_its_words(words: str, told: str, tmp_path: Path) -> None:
    lives = fact(told, subject="user", attribute="lives_in", form="claim", category="status", **said(words, "s:1"))
    passing = snapshot_of(tmp_path / "passing", quote(words, "s:1", category="status"), lives)
    assert words not in passing
    assert words in snapshot_of(tmp_path / "grave", quote(words, "s:1", category="health"), lives)


def test_words_of_a_value_that_gave_way_are_left_out(tmp_path: Path) -> None:
    words = "I live in Porto and take the tram to the library most days"
    now = claim("lives_in", "Basel")
    before = claim("lives_in", "Porto", **said("I live in Porto", "s:e1"), retired="superseded", superseded_by=now.id)
    text = snapshot_of(tmp_path, now, before, quote(words, "s:e1"))
    assert "Basel" in text
    assert "Porto" not in text


@pytest.mark.parametrize("words", ["I'm allergic to figs. I live in Porto.", "我对无花果过敏。我住在杭州。"])
def test_what_was_said_by_day_stands_there_by_slots_in_the_morning(words: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-01T09:00:00Z", "user", words))
    consolidate(root, "2026-03-02T03:10:00Z")
    text = (root / "memory/layer1/snapshot.md").read_text("utf-8")
    user = "\n".join(section(text, "User") if words.isascii() else section(text, "用户"))
    assert all(value in user for value in (("figs", "Porto") if words.isascii() else ("无花果", "杭州")))


@pytest.mark.parametrize(
    "words",
    ["Six years here this August, and the interview is Thursday the 12th", "今年八月满六年，3月12号星期四面试"],
)
def test_a_plan_is_filed_by_the_day_that_it_names(words: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-01T09:00:00Z", "user", words))
    consolidate(root, "2026-03-02T03:10:00Z")
    with Workspace.open(root, now=at("2026-03-02T09:00:00Z")) as ws:
        told = [record.event_time for _, record in ws.store.records() if record.event_time]
    assert [each.start[:10] for each in told] == ["2026-03-12"]
