"""The tools an agent has, defined once: chat, the MCP server and the library use the same four. Each is a name, a
description, a schema, and a function from a workspace and arguments to an answer; whatever the arguments hold, the
answer is an object.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_system import edit, finder, slots
from memory_system.errors import MemorySystemError, UsageError
from memory_system.recall import excerpt
from memory_system.recall.search import SCOPES_OF, Scope
from memory_system.rules import table
from memory_system.workspace import Workspace

Arguments = Mapping[str, Any]
Answer = dict[str, Any]

RESULTS = 5  # seed 000's default
MOST_RESULTS = 50
FORGET_MATCHES = 5
FIELDS = ("id", "type", "path", "startLine", "endLine", "score", "source", "snippet", "citation", "said_at")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` answers; `writes` says whether these arguments need the workspace's lock."""

    name: str
    description: str
    schema: dict[str, Any]
    run: Callable[[Workspace, Arguments], Answer]
    read_only: bool = False
    writes: Callable[[Arguments], bool] = lambda _: False

    def to_anthropic(self) -> dict[str, Any]:
        """As Anthropic's API takes it."""
        return {"name": self.name, "description": self.description, "input_schema": self.schema}


class Toolbox:
    """Tools bound to a workspace. Each call opens it anew, at its own moment: nothing is held between calls, so chats,
    servers and a consolidation work side by side."""

    def __init__(self, root: Path, now: Callable[[], datetime], tools: Collection[Tool] = ()) -> None:
        self.root = root
        self.now = now
        self.tools = {each.name: each for each in tools or TOOLS}

    def call(self, name: str, arguments: object) -> Answer:
        """The tool's answer; an `error` (and a `hint`) when it cannot do what is asked."""
        tool = self.tools.get(name)
        if tool is None:
            return {"error": f"there is no tool {name}", "hint": f"there are: {', '.join(self.tools)}"}
        if not isinstance(arguments, Mapping):
            return {"error": "the arguments are no object"}
        try:
            with Workspace.open(self.root, now=self.now(), write=tool.writes(arguments)) as ws:
                return tool.run(ws, arguments)
        except MemorySystemError as error:
            return {"error": str(error), "hint": error.hint}
        except OSError as error:
            return {"error": f"{error.filename or self.root}: {error.strerror or error}"}


# ---- what they do --------------------------------------------------------------------------------------------------


def search(ws: Workspace, arguments: Arguments) -> Answer:
    """`results`, best first, and `total_found`."""
    query = _text(arguments, "query")
    if not query.strip():
        return {"results": [], "error": "Empty query"}
    limit = min(_count(arguments, RESULTS, "top_k", "maxResults"), MOST_RESULTS)
    found = finder.search(ws, query, limit=limit, scope=_scope(_text(arguments, "corpus")))
    least = _number(arguments, 0.0, "minScore")
    rows = [{name: row[name] for name in FIELDS} for row in found["results"] if row["score"] >= least]
    return {"results": rows, "total_found": found["total_found"]}


def _scope(corpus: str) -> Scope:
    """OpenClaw's `memory` is all that is remembered, whatever it is kept in."""
    return next((scope for scope in SCOPES_OF if scope == corpus), "all")


def get(ws: Workspace, arguments: Arguments) -> Answer:
    """`status`, `text`, `path`, `from`, `lines`; `truncated` and `nextFrom` when more follows."""
    path = _text(arguments, "path")
    if not path.strip():
        return {"status": "error", "text": "", "error": "Empty path"}
    first, lines = _count(arguments, 1, "from"), _count(arguments, excerpt.LINES, "lines")
    found = finder.get(ws, path.strip(), from_line=first, lines=lines)
    found.pop("record", None)
    return found


def write(ws: Workspace, arguments: Arguments) -> Answer:
    """`status`, `path`, `category`; for a memory its `id` and `type`, too."""
    content = _text(arguments, "content")
    if not content.strip():
        return {"error": "Empty content"}
    category = " ".join(_text(arguments, "category").split()) or "general"
    kind = _text(arguments, "type") or "note"
    if kind == "note":
        return {"status": "saved", "path": edit.note(ws, content, category), "category": category}
    known = category if category in table("attributes", "importance") else "general"
    worth = _number(arguments, slots.importance_of(known, ws.config), "importance")
    record = edit.capture(ws, content, kind=kind, importance=worth, category=known)
    path = ws.layout.name(ws.layout.inbox)
    return {"status": "saved", "path": path, "category": known, "id": record.id, "type": kind}


def append_note(ws: Workspace, arguments: Arguments) -> Answer:
    """As `write`, and only ever to the end of today's note."""
    return write(ws, {name: value for name, value in arguments.items() if name in ("content", "category")})


def forget(ws: Workspace, arguments: Arguments) -> Answer:
    """First `status` confirm: what would be taken out, and a code. With that code and the same ids, it is."""
    named = arguments.get("ids") or []
    ids = [named] if isinstance(named, str) else [str(each) for each in named]
    if ids and arguments.get("confirm"):
        return _forgotten(ws, ids, str(arguments["confirm"]).strip())
    if not ids and not _text(arguments, "query").strip():
        return {"error": "Empty query", "hint": "say what to forget: a query, or ids"}
    records = [edit.find(ws, each)[0] for each in dict.fromkeys(ids)] if ids else _matching(ws, arguments)
    if not records:
        return {"status": "not_found", "matches": [], "total_found": 0}
    matches = [{"id": each.id, "content": each.content, "said_at": each.said_at} for each in records]
    return {
        "status": "confirm",
        "matches": matches,
        "confirm": _code([each.id for each in records]),
        "question": "Show these to the user and ask. Only after a yes, call again with these ids and this code; for "
        "some of them only, call with those ids first. " + REACH,
    }


REACH = (
    "They go to the archive, from which they can be restored. The words they were made from stay in conversations and "
    "notes, and a search can still find them there."
)


def _matching(ws: Workspace, arguments: Arguments) -> list[Any]:
    found = finder.search(ws, _text(arguments, "query"), limit=FORGET_MATCHES, scope="memories")
    return [edit.find(ws, row["id"])[0] for row in found["results"]]


def _forgotten(ws: Workspace, ids: list[str], code: str) -> Answer:
    if code != _code(ids):
        raise UsageError(
            "this code does not confirm these ids; nothing was forgotten",
            "call without confirm, show the matches to the user, and ask",
        )
    for each in dict.fromkeys(ids):
        edit.archive(ws, each)
    return {"status": "archived", "ids": list(dict.fromkeys(ids)), "note": REACH}


def _code(ids: Collection[str]) -> str:
    """What confirms exactly these memories: it stands in the preview and can hardly be guessed."""
    return hashlib.blake2b("\n".join(sorted(set(ids))).encode(), digest_size=4).hexdigest()


# ---- arguments -----------------------------------------------------------------------------------------------------


def _text(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} must be text", "see the tool's schema")
    return value or ""


def _number(arguments: Arguments, default: float, *names: str) -> float:
    """The first of these arguments that is given; models also write numbers as text."""
    for name in names:
        if arguments.get(name) is not None:
            try:
                return float(arguments[name])
            except (TypeError, ValueError):
                raise UsageError(f"{name} must be a number", "see the tool's schema") from None
    return default


def _count(arguments: Arguments, default: int, *names: str) -> int:
    number = _number(arguments, default, *names)
    if not 1 <= number < float("inf"):
        raise UsageError(f"{names[0]} must be a whole number from 1", "see the tool's schema")
    return int(number)


# ---- what the model is told ----------------------------------------------------------------------------------------


def _schema(required: Collection[str], **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_CONTENT = {"type": "string", "description": "The information to remember, understandable by itself."}
_CATEGORY = {"type": "string", "description": "preference, fact, decision, todo, person, … Default: general."}

MEMORY_SEARCH = Tool(
    "memory_search",
    "Mandatory recall step: search memories, notes (MEMORY.md, memory/*.md) and past conversations before answering "
    "questions about prior work, decisions, dates, people, preferences, or todos. Returns the best snippets with path "
    "and lines. Ask in the words of the question, in English or Chinese.",
    _schema(
        ["query"],
        query={"type": "string", "description": "What to look for."},
        top_k={"type": "integer", "description": f"Max results. Default {RESULTS}. Also: maxResults.", "minimum": 1},
        minScore={"type": "number", "description": "Only results with at least this score, 0 to 1."},
        corpus={"type": "string", "enum": list(SCOPES_OF), "description": "Where to look. Default: all."},
    ),
    search,
    read_only=True,
)
MEMORY_GET = Tool(
    "memory_get",
    "Read lines of a file of the workspace (MEMORY.md, memory/*.md, sessions/*), or one memory by its id. Use it after "
    "memory_search to pull only the needed lines and keep context small.",
    _schema(
        ["path"],
        path={"type": "string", "description": "As memory_search gives it: a path, or a memory's id."},
        **{"from": {"type": "integer", "description": "First line, from 1. Default 1.", "minimum": 1}},
        lines={"type": "integer", "description": f"How many. Default {excerpt.LINES}.", "minimum": 1},
    ),
    get,
    read_only=True,
)
MEMORY_WRITE = Tool(
    "memory_write",
    "Write a memory to persistent storage. Use this to remember important information the user shares: preferences, "
    "facts, decisions, names, dates. Each memory is timestamped and categorized. It goes to today's note, or with a "
    "type it becomes a memory of its own at once.",
    _schema(
        ["content"],
        content=_CONTENT,
        category=_CATEGORY,
        type={
            "type": "string",
            "enum": ["note", "fact", "belief"],
            "description": "note (default): an entry of today's note. fact: something stated. belief: uncertain.",
        },
        importance={"type": "number", "description": "Of a fact or belief: 0 to 1.", "minimum": 0, "maximum": 1},
    ),
    write,
)
MEMORY_FORGET = Tool(
    "memory_forget",
    "Take memories out on the user's wish. The first call only shows what it would take out and gives a code; ask the "
    f"user, then call again with the same ids and the code. {REACH}",
    _schema(
        [],
        query={"type": "string", "description": "What is to be forgotten, in words."},
        ids={"type": "array", "items": {"type": "string"}, "description": "Ids of memories."},
        confirm={"type": "string", "description": "The code of the first call, after the user has said yes."},
    ),
    forget,
    writes=lambda arguments: bool(arguments.get("confirm")),
)
TOOLS = (MEMORY_SEARCH, MEMORY_GET, MEMORY_WRITE, MEMORY_FORGET)

APPEND_NOTE = Tool(
    "memory_write",
    "Append an entry to today's note (memory/YYYY-MM-DD.md).",
    _schema(["content"], content=_CONTENT, category=_CATEGORY),
    append_note,
)
FLUSH_TOOLS = (MEMORY_SEARCH, MEMORY_GET, APPEND_NOTE)  # while a session is flushed, all else is read-only
