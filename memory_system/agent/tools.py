"""The tools an agent has, defined once for chat, the MCP server and the library. Each is a name, a description, a
schema, and a function from a workspace and arguments to an answer: an object, whatever the arguments hold."""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, cast, get_args

from memory_system import attributes, finder
from memory_system.errors import MemorySystemError, UsageError
from memory_system.finder import Giver, Mode
from memory_system.forgetting import Selection, finish, plan_of
from memory_system.forgetting import forget as forget_for_good
from memory_system.forgetting.planning import Plan
from memory_system.llm import FOLDER
from memory_system.recall import excerpt
from memory_system.recall.search import SCOPES_OF, Scope
from memory_system.recall.units import storable
from memory_system.rules import table
from memory_system.store.inbox import Who
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

Arguments = Mapping[str, Any]
Answer = dict[str, Any]
Run = Callable[[Workspace, Arguments, Who], Answer]

RESULTS = 5  # seed 000's default
MOST_RESULTS = 50
MOST_COUNT = 10**9  # results, lines: what is more was not meant
FORGET_MATCHES = 5
SHOWN = 20  # memories and lines in the preview of a forgetting
MODES: tuple[str, ...] = get_args(Mode)
FIELDS = (
    "id", "type", "path", "startLine", "endLine", "score", "source", "context", "snippet", "outdated_by", "outdated",
    "citation", "said_at", "speaker", "whose",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` answers; `writes` says whether these arguments need the workspace's lock."""

    name: str
    description: str
    schema: dict[str, Any]
    run: Run
    read_only: bool = False
    writes: Callable[[Arguments], bool] = lambda _: False

    def to_anthropic(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "input_schema": self.schema}


class Toolbox:
    """Tools bound to a workspace. Each call opens it anew, at its own moment: nothing is held between calls, so chats,
    servers and a consolidation work side by side."""

    def __init__(
        self, root: Path, now: Callable[[], datetime], tools: Collection[Tool] = (), who: Who = "library"
    ) -> None:
        self.root = root
        self.now = now
        self.who = who
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
                answer: Answer = Giver(ws).answer(tool.run(ws, arguments, self.who))
                return answer
        except MemorySystemError as error:
            return {"error": str(error), "hint": error.hint}
        except OSError as error:
            return {"error": f"{error.filename or self.root}: {error.strerror or error}"}


# ---- what they do --------------------------------------------------------------------------------------------------


def search(ws: Workspace, arguments: Arguments, who: Who) -> Answer:
    """`results`, best first, and `total_found`; `warning` where not all ways of searching were to be had."""
    query = _text(arguments, "query")
    if not query.strip():
        return {"results": [], "error": "Empty query"}
    limit = min(_count(arguments, RESULTS, "top_k", "maxResults"), MOST_RESULTS)
    corpus, mode = _text(arguments, "corpus"), _text(arguments, "mode") or "auto"
    if mode not in MODES:
        raise UsageError(f"there is no mode {mode}", f"there are: {', '.join(MODES)}")
    scope: Scope = next((scope for scope in SCOPES_OF if scope == corpus), "all")  # OpenClaw's `memory` is all there is
    found = finder.search(ws, query, limit=limit, scope=scope, mode=cast(Mode, mode), who=who)
    least = _number(arguments, 0.0, "minScore")
    good = (row for row in found["results"] if row["score"] >= least)
    rows = [{name: row[name] for name in FIELDS if name in row} for row in good]
    warning = {"warning": found["warning"]} if "warning" in found else {}
    return {"results": rows, "total_found": found["total_found"], **warning}


def get(ws: Workspace, arguments: Arguments, who: Who) -> Answer:
    """`status`, `text`, `path`, `from`, `lines`; `truncated` and `nextFrom` when more follows."""
    path = _text(arguments, "path")
    if not path.strip():
        return {"status": "error", "text": "", "error": "Empty path"}
    first, lines = _count(arguments, 1, "from"), _count(arguments, excerpt.LINES, "lines")
    found = finder.get(ws, path.strip(), from_line=first, lines=lines, who=who)
    found.pop("record", None)
    return found


def write(ws: Workspace, arguments: Arguments, who: Who) -> Answer:
    """`status`, `path`, `category`; for a memory its `id` and `type`, too."""
    content = _text(arguments, "content")
    if not content.strip():
        return {"error": "Empty content"}
    category = " ".join(_text(arguments, "category").split()) or "general"
    kind = _text(arguments, "type") or "note"
    if kind == "note":
        return {"status": "saved", "path": edit.note(ws, content, category, who, "assistant"), "category": category}
    known = category if category in table("attributes", "importance") else "general"
    worth = _number(arguments, attributes.importance_of(known, ws.config), "importance")
    # an assistant's, in words of its own, whatever it was told
    record = edit.capture(ws, content, kind=kind, importance=worth, category=known, who=who, role="assistant")
    path = ws.layout.name(ws.layout.inbox)
    return {"status": "saved", "path": path, "category": known, "id": record.id, "type": kind}


def append_note(ws: Workspace, arguments: Arguments, who: Who) -> Answer:
    """As `write`, and only ever to the end of today's note."""
    return write(ws, {name: value for name, value in arguments.items() if name in ("content", "category")}, who)


def forget(ws: Workspace, arguments: Arguments, who: Who) -> Answer:
    """Without ids what may be meant; with ids all that would go, and a code; with that code, too, it goes for good."""
    ids, query = _texts(arguments, "ids"), _text(arguments, "query")
    if not ids and not query.strip():
        return {"error": "Empty query", "hint": "say what to forget: a query, or ids"}
    matches: list[Answer] = []
    if not ids:
        found = finder.search(ws, query, limit=FORGET_MATCHES, scope="memories", who=who)["results"]
        matches = [{"id": row["id"], "content": row["text"], "said_at": row["said_at"]} for row in found]
    if not ids and len(matches) != 1:
        return {"status": "choose" if matches else "not_found", "matches": matches, "question": CHOOSE}
    if arguments.get("confirm"):
        finish(ws)  # one that was stopped goes first
    plan = plan_of(ws, Selection(ids=ids or (matches[0]["id"],)))
    code = _code(plan)
    if arguments.get("confirm") is None:
        row = plan.to_row()  # what would go, and which lines of the owner's files would still say it
        shown = {"memories": row["memories"][:SHOWN], "messages": row["messages"], "left": row["left"][:SHOWN]}
        return {"status": "confirm", **shown, "confirm": code, "question": f"{CONFIRM} {REACH}"}
    if not ids or _text(arguments, "confirm").strip() != code:
        what = "this code does not confirm these ids; nothing was forgotten"
        raise UsageError(what, "call without confirm, show the user what would go, and ask")
    done = forget_for_good(ws, plan, who)
    left = {"left": done["left"][:SHOWN], "failed": done["failed"]}
    return {"status": "forgotten", "memories": done["memories"], "messages": done["messages"], **left, "note": REACH}


REACH = (
    "It cannot be brought back, and no search shows it again. Conversations and notes belong to the user: the words "
    "stay in those files unless they run `memory forget` with --transcripts and --notes."
)
CHOOSE = "Find out from the user which of these are meant, then call again with their ids."
CONFIRM = "Show this to the user and ask. Only after a yes, call again with the same ids and this code."


def _code(plan: Plan) -> str:
    """What confirms exactly this plan: it stands in the preview and can hardly be guessed."""
    return hashlib.blake2b("\n".join([*sorted(plan.gone), str(plan.messages)]).encode(), digest_size=4).hexdigest()


# ---- arguments -----------------------------------------------------------------------------------------------------


def _text(arguments: Arguments, name: str) -> str:
    """The argument as a text that any file or answer can hold; empty when it is not given."""
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} must be text", "see the tool's schema")
    return storable(value or "")


def _texts(arguments: Arguments, name: str) -> tuple[str, ...]:
    """The different texts of a list; a single text counts as one of one."""
    value = arguments.get(name) or []
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(each, str) for each in texts):
        raise UsageError(f"{name} must be a list of texts", "see the tool's schema")
    return tuple(dict.fromkeys(map(storable, texts)))


def _number(arguments: Arguments, default: float, *names: str) -> float:
    """The first of these arguments that is given; models also write numbers as text."""
    for name in names:
        if arguments.get(name) is not None:
            with suppress(TypeError, ValueError, OverflowError):
                number = float(arguments[name])
                if math.isfinite(number):
                    return number
            raise UsageError(f"{name} must be a number", "see the tool's schema")
    return default


def _count(arguments: Arguments, default: int, *names: str) -> int:
    number = _number(arguments, default, *names)
    if not 1 <= number <= MOST_COUNT:
        raise UsageError(f"{' or '.join(names)} must be a whole number from 1", "see the tool's schema")
    return int(number)


# ---- what the model is told ----------------------------------------------------------------------------------------


@cache
def _described() -> dict[str, dict[str, Any]]:
    """Description, required arguments and properties of every tool (`prompts/tools.toml`)."""
    text = (FOLDER / "tools.toml").read_text("utf-8")
    return tomllib.loads(Template(text).substitute(results=RESULTS, lines=excerpt.LINES))


def _tool(name: str, run: Run, described: str = "", **more: Any) -> Tool:
    row = _described()[described or name]
    schema = {"type": "object", "properties": row["properties"], "required": row["required"]}
    return Tool(name, row["description"], schema, run, **more)


TOOLS = (
    _tool("memory_search", search, read_only=True),
    _tool("memory_get", get, read_only=True),
    _tool("memory_write", write),
    _tool("memory_forget", forget, writes=lambda arguments: bool(arguments.get("confirm"))),
)
# While a session is flushed, all else is read-only.
FLUSH_TOOLS = (*TOOLS[:2], _tool("memory_write", append_note, "append_note"))
