"""The MCP server, driven by the official client: in process, and over stdio beside a consolidation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from commands import memory
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from workspaces import at, consolidate, contents, remembering, say

from memory_system.agent import serve
from memory_system.hosts import integrations
from memory_system.workspace import Workspace

NOW = "2026-02-24T14:30:15Z"
Use = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = remembering(tmp_path / "w")
    (root / "memory/2026-02-24-西湖.md").write_text("# 2026-02-24\n\n去了西湖。\n", encoding="utf-8")
    (root / "memory/long.md").write_text("".join(f"line {number}\n" for number in range(5_000)))
    return root


def in_process(root: Path, use: Use) -> Any:
    async def main() -> Any:
        async with Client(serve.build(root, lambda: at(NOW))) as client:
            return await use(client)

    return anyio.run(main)


def said(result: Any) -> dict[str, Any]:
    (content,) = result.content
    found: dict[str, Any] = json.loads(content.text)
    return found


def test_the_tools_say_which_only_read(root: Path) -> None:
    tools = in_process(root, lambda client: client.list_tools()).tools
    assert {each.name: each.annotations.read_only_hint for each in tools} == {
        "memory_search": True,
        "memory_get": True,
        "memory_write": False,
        "memory_forget": False,
    }
    assert tools[0].input_schema["required"] == ["query"]


def test_answers_are_short_whatever_was_asked_for(root: Path) -> None:
    """A host wraps each answer in a notice of its own, and shows it to a model under the server's name."""
    for number in range(60):
        text = f"Note {number} about the ferry. " + "It leaves at seven from the old harbour. " * 60
        (root / f"memory/ferry-{number}.md").write_text(text + str(number))

    async def use(client: Client) -> None:
        found = await client.call_tool("memory_search", {"query": "ferry"})
        assert len(said(found)["results"]) == 5
        assert len(found.content[0].text) < 6_000
        most = await client.call_tool("memory_search", {"query": "ferry", "maxResults": 10_000})
        assert len(said(most)["results"]) <= 50
        read = await client.call_tool("memory_get", {"path": "memory/long.md", "lines": 1_000_000})
        assert len(read.content[0].text) < 16_000
        assert said(read)["nextFrom"] == said(read)["lines"] + 1
        for tool in (await client.list_tools()).tools:
            assert re.fullmatch(r"memory_[a-z]+", tool.name)  # a host puts its name for the server before it

    in_process(root, use)


def test_tools_answer_as_they_do_elsewhere(root: Path) -> None:
    async def use(client: Client) -> None:
        found = await client.call_tool("memory_search", {"query": "用户住在哪里？"})
        assert not found.is_error
        assert "杭州" in said(found)["results"][0]["snippet"]
        saved = await client.call_tool("memory_write", {"content": "Tea is out", "category": "todo"})
        assert said(saved) == {"status": "saved", "path": "memory/2026-02-24.md", "category": "todo"}
        missing = await client.call_tool("memory_get", {"path": "memory/2020-01-01.md"})
        assert (missing.is_error, said(missing)["status"]) == (False, "not_found")
        for name, arguments in (("memory_search", {"query": ""}), ("memory_write", {}), ("memory_bake", {})):
            failed = await client.call_tool(name, arguments)
            assert failed.is_error
            assert said(failed)["error"]

    in_process(root, use)


def test_forgetting_takes_two_calls(root: Path) -> None:
    async def use(client: Client) -> None:
        found = said(await client.call_tool("memory_search", {"query": "peanuts", "corpus": "memories", "top_k": 1}))
        ids = [each["id"] for each in found["results"]]
        asked = said(await client.call_tool("memory_forget", {"ids": ids}))
        done = await client.call_tool("memory_forget", {"ids": ids, "confirm": asked["confirm"]})
        assert said(done)["status"] == "forgotten"

    in_process(root, use)
    assert "User is allergic to peanuts" not in contents(root)


def test_snapshot_and_notes_are_resources(root: Path) -> None:
    async def use(client: Client) -> None:
        listed = {each.name: each.uri for each in (await client.list_resources()).resources}
        assert set(listed) == {"snapshot", "memory/2026-02-24-西湖.md", "memory/long.md"}
        texts = {name: (await client.read_resource(uri)).contents[0].text for name, uri in listed.items()}
        assert "allergy: peanuts" in texts["snapshot"]
        assert "去了西湖。" in texts["memory/2026-02-24-西湖.md"]
        assert texts["memory/long.md"].count("\n") == 5_000
        for bad in ("memory://file/..%2Fsecret.md", "memory://file/memory/state/lock", "memory://nothing"):
            with pytest.raises(MCPError):
                await client.read_resource(bad)

    in_process(root, use)


def test_the_prompts_for_recall_and_for_summarising(root: Path) -> None:
    async def use(client: Client) -> None:
        assert [each.name for each in (await client.list_prompts()).prompts] == ["recall", "summarise_session"]
        recall = await client.get_prompt("recall", {"question": "what is the user allergic to?"})
        assert "User is allergic to peanuts" in recall.messages[0].content.text
        assert "memory_write" in (await client.get_prompt("summarise_session")).messages[0].content.text
        other = await client.get_prompt("summarise_session", {"session": "a"})
        assert "user: 我住在杭州。" in other.messages[0].content.text
        for name, arguments in (("recall", {"question": " "}), ("summarise_session", {"session": "b"}), ("bake", {})):
            with pytest.raises(MCPError):
                await client.get_prompt(name, arguments)

    in_process(root, use)


def test_what_the_owner_masks_since_the_last_night_is_masked_at_once(root: Path) -> None:
    say(root, "b", ("2026-02-22T09:00:00Z", "user", "Remember that my phone number is 415-555-0134."))
    consolidate(root, NOW)
    assert "415-555-0134" in (root / "memory/layer1/snapshot.md").read_text()
    config = root / "memory/config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "policy": {"masked": ["phone"]}}))

    async def use(client: Client) -> list[str]:
        asked = [await client.get_prompt("recall", {"question": "phone number"})]
        asked += [await client.get_prompt("summarise_session", {"session": "b"})]
        snapshot = (await client.read_resource("memory://snapshot")).contents[0].text
        return [snapshot, *(each.messages[0].content.text for each in asked)]

    hooked = integrations.answer("session-start", b"{}", lambda: Workspace.open(root, now=at(NOW)))
    for shown in (*in_process(root, use), json.dumps(hooked)):
        assert ("[phone]" in shown, "0134" in shown) == (True, False)


def over_stdio(root: Path) -> StdioServerParameters:
    arguments = ["-m", "memory_system", "--workspace", str(root), "serve"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))


def test_two_clients_work_beside_a_consolidation(root: Path) -> None:
    lines = [(f"2026-02-22T09:{n // 60:02}:{n % 60:02}Z", "user", f"I own kite number {n}.") for n in range(300)]
    say(root, "many", *lines)
    night = [sys.executable, "-m", "memory_system", "--workspace", str(root), "--now", NOW, "consolidate", "--json"]

    async def talk(name: str) -> list[str]:
        answers = []
        async with Client(over_stdio(root)) as client:
            for number in range(5):
                saved = await client.call_tool("memory_write", {"content": f"{name} saw star {number}", "type": "fact"})
                found = await client.call_tool("memory_search", {"query": f"{name} star {number}"})
                answers.append(said(found)["results"][0]["snippet"])
                assert said(saved)["status"] == "saved"
        return answers

    async def main() -> dict[str, list[str]]:
        told: dict[str, list[str]] = {}

        async def one(name: str) -> None:
            told[name] = await talk(name)

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(one, "Ana")
                group.start_soon(one, "Wei")
        return told

    with subprocess.Popen(night, stdout=subprocess.PIPE, text=True) as running:
        told = anyio.run(main)
        report = json.loads(running.communicate(timeout=60)[0])
    assert report["status"] == "done"
    assert told == {name: [f"{name} saw star {number}" for number in range(5)] for name in ("Ana", "Wei")}
    consolidate(root, "2026-12-31T03:10:00Z")
    assert {f"Wei saw star {number}" for number in range(5)} <= contents(root)


def test_what_is_wrong_with_the_workspace_is_said_at_the_start(tmp_path: Path) -> None:
    done = memory("--workspace", tmp_path / "none", "serve")
    assert done.returncode == 4
    assert "is not a workspace" in done.stderr
    assert done.stdout == ""


def test_without_the_extra_it_says_how_to_get_it(root: Path) -> None:
    code = "import sys\nsys.modules.update(mcp=None, mcp_types=None)\nfrom memory_system.cli import main\nmain()\n"
    command = [sys.executable, "-c", code, "--workspace", str(root), "serve"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "pip install 'memory-system[mcp]'" in done.stderr
