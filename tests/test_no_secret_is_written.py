"""Every secret in every disguise, through every way in: no byte of any is found in any file of ours, nor on stderr."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from answering import telling
from claude_server import serving
from commands import memory
from secrets_cases import Case, harmless, secrets
from workspaces import at, consolidate, make, say

from memory_system import finder
from memory_system.errors import UsageError
from memory_system.privacy.secrets import redact
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

CASES = list(secrets())
NOW = "2026-03-03T12:00:00Z"


def test_the_corpus_is_large_enough_and_in_both_languages() -> None:
    assert len(CASES) >= 150
    assert len(set(harmless())) >= 300
    assert sum(not case.text.isascii() for case in CASES) > len(CASES) / 3


def is_hidden(case: Case) -> bool:
    cleaned, found = redact(case.text)
    return bool(found) and not any(words in cleaned for words in case.hidden) and redact(cleaned)[0] == cleaned


def test_nothing_of_a_secret_is_left() -> None:
    assert [case.name for case in CASES if not is_hidden(case)] == []


def test_what_stands_beside_it_in_wide_characters_hides_nothing() -> None:
    """Then all of the text is looked at in narrow ones, its punctuation as well."""
    left = [case.name for case in CASES for words in case.hidden if words in redact(f"ＡＢＣＤ。\n\n{case.text}")[0]]
    assert left == []


def test_what_holds_no_secret_is_left_alone() -> None:
    sentences = list(harmless())
    touched = [each for each in sentences if redact(each)[1]]
    assert len(touched) <= 0.02 * len(sentences), touched


def needles() -> set[bytes]:
    """The words that no file may hold, as they are and as JSON writes them; those that chance could write are left."""
    words = {each.lower() for case in CASES for each in case.hidden if len(each) >= 8}
    return {form.encode() for each in words for form in (each, json.dumps(each, ensure_ascii=False)[1:-1])}


def test_no_byte_of_any_in_any_file_of_ours(tmp_path: Path) -> None:
    make(tmp_path)
    said = [(f"2026-03-02T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}Z", "user", c.text) for n, c in enumerate(CASES)]
    say(tmp_path, "told", *said)
    (tmp_path / "MEMORY.md").write_text("\n\n".join(f"- {case.text}" for case in CASES))
    (tmp_path / "IDENTITY.md").write_text(f"- **Name:** Juno {CASES[0].text}\n")
    with Workspace.open(tmp_path, now=at("2026-03-02T20:00:00Z")) as ws:
        for case in CASES[::3]:
            edit.capture(
                ws, f"User waits for the ferry at the old pier. {case.text}", source=case.text, entities=[case.text]
            )
            edit.note(ws, case.text, case.text)
    consolidate(tmp_path, NOW)
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        with pytest.raises(UsageError):
            edit.capture(ws, CASES[0].text)  # there is nothing else in it
        for case in CASES[::20]:
            finder.search(ws, case.text)
    ours = [path for path in (tmp_path / "memory").rglob("*") if path.is_file()]
    wanted = needles()
    assert len(ours) > 10
    for path in ours:
        data = path.read_bytes().lower()
        assert [each for each in wanted if each in data] == [], path


def test_an_error_does_not_tell_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path)
    secret = CASES[0].hidden[0]
    calls = (
        ["capture", secret, "--type", secret], ["get", secret], ["why", secret], ["search", secret, "--scope", secret],
        ["forget", secret, "--yes"], ["forget", "--since", secret], ["rollback", secret],
    )  # fmt: skip
    monkeypatch.setenv("COLUMNS", "300")
    for call in calls:
        done = memory("--workspace", tmp_path, *call)
        if call[0] not in ("get", "search"):  # these answer with the name that was asked for
            assert secret not in done.stdout + done.stderr, call
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_a_crash_does_not_tell_it(tmp_path: Path) -> None:
    make(tmp_path)
    case = CASES[0]
    row = {"id": "f_20260101_aaaaaaaaaa", "content": "x", "importance": case.text, "score": 1}
    (tmp_path / "memory/layer2/active/facts.jsonl").write_text(json.dumps(row) + "\n")
    traces = 0
    for words in (["stats"], ["search", "x"], ["consolidate"], ["validate"]):
        for more in ([], ["--debug"]):
            done = memory("--workspace", tmp_path, *more, *words)
            told = done.stdout + done.stderr
            assert [each for each in case.hidden if each in told] == [], words
            traces += "Traceback" in told
    assert traces


def test_no_byte_of_any_is_sent_to_a_model(tmp_path: Path, key: None) -> None:
    with serving(telling({})) as server:
        asked = ["extract", "conflict", "beliefs", "summaries", "polish"]
        model = {"mode": "auto", "base_url": server.url, "questions": asked}
        make(tmp_path, llm=model, budget={"tokens_per_night": 200_000})
        said = [
            (f"2026-03-02T{n // 60 + 1:02}:{n % 60:02}:00Z", "user", f"Please remember that my note says {c.text}")
            for n, c in enumerate(CASES)
        ]
        say(tmp_path, "told", *said)
        consolidate(tmp_path, NOW)
    sent = json.dumps(server.requests, ensure_ascii=False).lower().encode()
    assert b"[secret:" in sent
    assert [each for each in needles() if each in sent] == []
