"""The MCP server, over stdin and stdout: the agent's tools, the snapshot and the notes as resources, and prompts for
recall and for summarising a session. Each client has a process of its own; the files let them work side by side."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import anyio
import anyio.to_thread
import mcp_types as types
import orjson
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from memory_system import __version__, finder
from memory_system.agent.prompt import language
from memory_system.agent.session import history
from memory_system.agent.tools import Tool, Toolbox
from memory_system.errors import MemorySystemError, UsageError
from memory_system.finder import Giver
from memory_system.llm import Phrases, phrases
from memory_system.recall.units import note_files, storable
from memory_system.workspace import Workspace

SNAPSHOT = "memory://snapshot"
FILE = "memory://file/"
NOTES_LISTED = 100
LONGEST_RESOURCE = 60_000  # characters
SESSION_MESSAGES = 100  # of a session that is to be summed up
LONGEST_MESSAGE = 2_000  # characters
MARKDOWN = "text/markdown"


def run(root: Path, now: Callable[[], datetime]) -> None:
    """Serve until the client closes stdin."""

    async def serve() -> None:
        server = build(root, now)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    gc.freeze()  # what was imported is never garbage; a full collection would walk all of it in the midst of an answer
    with suppress(BrokenPipeError):
        anyio.run(serve)


def build(root: Path, now: Callable[[], datetime]) -> Server[Any]:
    """The server of one workspace; `now` is the moment of each call."""
    desk = _Desk(root, now)
    with Workspace.open(root, now=now()) as ws:
        instructions = phrases(language(ws))["recall"].strip()
    return Server(
        "memory-system",
        version=__version__,
        instructions=instructions,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
        on_list_prompts=desk.list_prompts,
        on_get_prompt=desk.get_prompt,
    )


class _Desk:
    """Answers requests. What takes time is done in a thread, so that one slow call keeps no other waiting."""

    def __init__(self, root: Path, now: Callable[[], datetime]) -> None:
        self.root = root
        self.now = now
        self.tools = Toolbox(root, now, who="mcp")

    def _open(self) -> Workspace:
        return Workspace.open(self.root, now=self.now())

    # Tools

    async def list_tools(self, _ctx: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_as_mcp(each) for each in self.tools.tools.values()])

    async def call_tool(self, _ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        answer = await anyio.to_thread.run_sync(self.tools.call, params.name, params.arguments or {})
        failed = "error" in answer and answer.get("status") != "not_found"
        text = orjson.dumps(answer).decode()
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    # Resources

    async def list_resources(self, _ctx: Any, _params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=await anyio.to_thread.run_sync(lambda: list(self._resources())))

    def _resources(self) -> Iterator[types.Resource]:
        told = "What the agent should know at the start of a day"
        yield types.Resource(uri=SNAPSHOT, name="snapshot", description=told, mime_type=MARKDOWN)
        with self._open() as ws:
            names = sorted((ws.layout.name(path) for path in note_files(ws.layout)), reverse=True)
        for name in names[:NOTES_LISTED]:
            yield types.Resource(uri=FILE + quote(name, errors="replace"), name=storable(name), mime_type=MARKDOWN)

    async def list_templates(self, _ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
        told = "A note or another readable file of the workspace"
        template = types.ResourceTemplate(
            uri_template=FILE + "{+path}", name="file", description=told, mime_type=MARKDOWN
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, _ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        text = await anyio.to_thread.run_sync(self._resource, params.uri)
        contents = types.TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[contents])

    def _resource(self, uri: str) -> str:
        """The text behind the address; MCPError when there is none."""
        with self._open() as ws:
            if uri == SNAPSHOT:
                return Giver(ws).text(ws.files.read(ws.layout.snapshot).decode(errors="replace"))
            if not uri.startswith(FILE):
                raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri}")
            return _whole(ws, unquote(uri.removeprefix(FILE)))

    # Prompts

    async def list_prompts(self, _ctx: Any, _params: Any) -> types.ListPromptsResult:
        question = types.PromptArgument(name="question", description="What is asked", required=True)
        session = types.PromptArgument(name="session", description="Its id; the present one if left out")
        told = "Write down what should outlast a session, and sum it up"
        recall = types.Prompt(name="recall", description="Answer a question from memory", arguments=[question])
        summarise = types.Prompt(name="summarise_session", description=told, arguments=[session])
        return types.ListPromptsResult(prompts=[recall, summarise])

    async def get_prompt(self, _ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        text = await anyio.to_thread.run_sync(self._prompt, params.name, params.arguments or {})
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    def _prompt(self, name: str, arguments: dict[str, str]) -> str:
        """The text of the prompt; MCPError when it cannot be made."""
        makers = {"recall": _recall, "summarise_session": _summarise}
        if name not in makers:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {name}")
        try:
            with self._open() as ws:
                return Giver(ws).text(makers[name](ws, phrases(language(ws)), arguments))
        except MemorySystemError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None


def _recall(ws: Workspace, words: Phrases, arguments: dict[str, str]) -> str:
    question = arguments.get("question", "").strip()
    if not question:
        raise UsageError("recall needs a question")
    found = finder.search(ws, question, who="mcp")["results"]
    lines = [f"- {' '.join(row['snippet'].split())} ({row['citation']})" for row in found]
    filled = {"question": question, "found": "\n".join(lines) or words["nothing"]}
    return str(words["recall_question"]).strip().format(**filled)


def _summarise(ws: Workspace, words: Phrases, arguments: dict[str, str]) -> str:
    summarise, session = str(words["summarise"]).strip(), arguments.get("session", "").strip()
    if not session:
        return summarise
    found = history(ws, session, SESSION_MESSAGES)
    told = "\n\n".join(f"{each['role']}: {each['content'][:LONGEST_MESSAGE]}" for each in found["messages"])
    return str(words["summarise_session"]).strip().format(summarise=summarise, session=found["id"], told=told)


def _as_mcp(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=tool.read_only, destructive_hint=tool.name == "memory_forget", open_world_hint=False
    )
    return types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema, annotations=hints)


def _whole(ws: Workspace, name: str) -> str:
    """The file, or as much of it as a resource may hold; MCPError when it may not be read."""
    text, line = "", 1
    while line and len(text) < LONGEST_RESOURCE:
        try:
            found = finder.get(ws, name, from_line=line, who="mcp")
        except MemorySystemError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        if found["status"] != "ok":
            raise MCPError(types.INVALID_PARAMS, found["error"])
        text += found["text"] + "\n"
        line = found.get("nextFrom", 0)
    return text
