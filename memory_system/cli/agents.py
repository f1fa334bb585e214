"""prompt and serve; session: transcripts from outside; and chat: the terminal in front of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from memory_system import upkeep
from memory_system.cli import Settings, complain
from memory_system.errors import MemorySystemError, UsageError

if TYPE_CHECKING:
    from memory_system.agent.chat import Chat
    from memory_system.agent.session import Session
    from memory_system.workspace import Workspace

Audience = Literal["main", "group"]  # as in prompt, which is not imported for --help
Action = Literal["list", "show", "append", "history", "flush", "compact", "prune", "archive"]
NAMELESS = ("list", "archive")
YOU, AGENT = "You > ", "Agent > "
HELP = """/soul  who the agent is        /memory  what it remembers      /search WORDS  look for something
/prompt  its system prompt     /compact  shorten this session  /new, /reset  begin another session
/help  these lines             /quit  leave; everything is kept"""
NO_WORDS = "what for? /search WORDS"


def prompt(
    settings: Settings,
    session: Annotated[Audience, Option(help="With the owner alone, or in a group: nothing private.")] = "main",
    message: Annotated[str, Option(help="Add the memories that this message calls up.")] = "",
    chat: Annotated[str, Option(help="The group's key: add what was said there and is not sensitive.")] = "",
    days: Annotated[int | None, Option(min=0, help="Days of notes to show, today included.")] = None,
) -> None:
    """Print the agent's system prompt: soul, rules, identity, memory, recent notes."""
    from memory_system.agent.prompt import compose

    with settings.open() as ws:
        made = compose(ws, session=session, message=message, days=days, chat=chat)
    settings.answer(made.to_row(), made.text)


def serve(settings: Settings) -> None:
    """Serve the agent's tools, the snapshot and the notes over MCP, on stdin and stdout."""
    try:
        from memory_system.agent.serve import run
    except ModuleNotFoundError as error:
        raise UsageError(f"serving needs the package {error.name}", "pip install 'memory-system[mcp]'") from None
    settings.open().close()  # what is wrong with the workspace is said here, not to every call
    run(settings.root, lambda: settings.now)


def session(
    settings: Settings,
    action: Annotated[Action, Argument(help="list, show, append, history, flush, compact, prune or archive.")],
    name: Annotated[str, Argument(help="The session's id; for all but list and archive.")] = "",
    text: Annotated[str, Argument(help="What was said; for append.")] = "",
    role: Annotated[Literal["user", "assistant"], Option(help="Who said it; for append.")] = "user",
    limit: Annotated[int, Option(min=1, help="Messages that history shows, sessions that list shows.")] = 100,
    days: Annotated[int, Option(min=0, help="Days of silence after which archive packs a session.")] = 30,
) -> None:
    """Look at sessions, add to them, make room in them, pack old ones; flush and compact ask the model of chat."""
    if bool(name) == (action in NAMELESS):
        named = "needs the id of a session" if not name else "takes no session"
        raise UsageError(f"memory session {action} {named}", "see which there are with: memory session list")
    if (action == "append") != bool(text.strip()):
        raise UsageError("append, and only append, takes a text", 'memory session append ID "what was said"')
    from memory_system.agent import session as sessions

    if action in ("flush", "compact"):
        settings.answer(*_make_room(settings, name, action))
        return
    with settings.open(write=action == "archive") as ws:
        match action:
            case "list":
                rows = sessions.listed(ws)
                row: dict[str, Any] = {"sessions": rows[:limit], "total": len(rows)}
                lines = [
                    f"{each['last'][:16]}  {each['messages']:5}  {each['id']}{'  (archived)' * each['archived']}"
                    for each in row["sessions"]
                ] or ["there are no sessions yet"]
            case "show":
                row = sessions.shown(ws, name)
                told = {**{key: value for key, value in row.items() if key != "registered"}, **row["registered"]}
                lines = [f"{key:28} {value}" for key, value in told.items() if value not in ("", None)]
            case "history":
                row = sessions.history(ws, name, limit, unmasked=settings.unmasked)
                lines = [f"{each['timestamp']} {each['role']}: {each['content']}" for each in row["messages"]]
            case "append":
                session_id, path = sessions.append_to(ws, name, role, text)
                row, lines = {"status": "saved", "id": session_id, "path": path}, [path]
            case "archive":
                made = sessions.archive(ws, days)
                row, lines = {"status": "archived", "archived": made}, made or ["nothing is old enough"]
            case _:
                row, lines = _pruned(ws, name)
    settings.answer(row, "\n".join(lines))


def _make_room(settings: Settings, name: str, how: Literal["flush", "compact"]) -> tuple[dict[str, Any], str]:
    from memory_system.agent import session
    from memory_system.agent.chat import Chat
    from memory_system.agent.model import Claude, Silent

    with settings.open() as ws:
        model, old = Claude(ws.config), resumed(ws, name)
    with closing(model):
        talk = Chat(settings.root, lambda: settings.now, model, Silent(), old)
        done = talk.flush(forced=True) if how == "flush" else talk.compact(keep=None)
    with settings.open() as ws:
        entry = session.entry_of(ws, old.id)
    words = {"flush": ("flushed", "nothing to flush"), "compact": ("compacted", "nothing to sum up")}[how]
    status = words[0] if done else words[1]
    return {"status": status, "id": old.id, "registered": entry}, status


def _pruned(ws: Workspace, name: str) -> tuple[dict[str, Any], list[str]]:
    """What pruning would shorten."""
    from memory_system.agent.chat import CLEARED, context_tokens, prune
    from memory_system.agent.session import in_context

    old, window = resumed(ws, name), ws.config.chat.context_window
    rows = in_context(old.rows)
    tokens = context_tokens(rows, 0)
    instead = prune(rows, tokens, window)
    cleared = sum(each == CLEARED for each in instead.values())
    row = {"id": old.id, "contextTokens": tokens, "trimmed": len(instead) - cleared, "cleared": cleared}
    told = f"{row['trimmed']} results would be trimmed, {cleared} cleared; the transcript stays as it is"
    return row, [f"{tokens} tokens of {window}: {told}"]


def chat(
    settings: Settings,
    session: Annotated[str, Option(help="Go on with this session instead of beginning a new one.")] = "",
    model: Annotated[str, Option(help="Another model than the config's.")] = "",
) -> None:
    """Talk to an agent that remembers; what is said becomes memory with the next consolidation."""
    from memory_system.agent.chat import Chat
    from memory_system.agent.model import Claude

    with settings.open() as ws:
        config, old = ws.config, resumed(ws, session) if session else None
    with closing(Claude(config, model)) as agent:
        agent.key()  # what is missing is said before the first question
        terminal = Terminal()
        talk = Chat(settings.root, lambda: settings.now, agent, terminal, old)
        settings.say(f"session {talk.session.id}; /help tells what there is, /quit leaves")
        _Repl(talk, terminal, settings).run()


def resumed(ws: Workspace, name: str) -> Session:
    """The session of that id, to be gone on with."""
    from memory_system.agent.session import Session, transcript

    return Session.resume(transcript(ws, name), ws.files)


class Terminal:
    """Shows a conversation on stdout."""

    def __init__(self) -> None:
        self._open = False  # whether a line of the agent's is being written

    def text(self, piece: str) -> None:
        if not self._open:
            print(AGENT, end="")
        self._open = True
        print(piece, end="", flush=True)

    def end(self) -> None:
        if self._open:
            print()
        self._open = False

    def call(self, name: str, arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        self.end()
        told = arguments.get("query") or arguments.get("path") or arguments.get("content") or ""
        if "error" in answer:
            outcome = str(answer["error"])
        elif "total_found" in answer:
            outcome = f"{len(answer.get('results', answer.get('matches', [])))} found"
        else:
            outcome = str(answer.get("status", "done"))
        print(f"  · {name} {' '.join(str(told).split())[:60]} → {outcome}", flush=True)

    def notice(self, said: str) -> None:
        self.end()
        if said:
            print(said, flush=True)


@dataclass(frozen=True, slots=True)
class _Repl:
    """Reads lines and does what they ask, until it is told to leave."""

    _talk: Chat
    _terminal: Terminal
    _settings: Settings

    def run(self) -> None:
        """Until /quit, the end of the input, or Ctrl-C at an empty prompt."""
        import readline  # noqa: F401 - line editing and history for input()

        while True:
            try:
                line = input(YOU).encode(errors="replace").decode().strip()
            except (EOFError, KeyboardInterrupt):
                print()
                return
            if line in ("/quit", "/exit"):
                return
            if line:
                self._do(line)

    def _do(self, line: str) -> None:
        try:
            if line.startswith("/"):
                name, _, rest = line.partition(" ")
                self._terminal.notice(self._command(name, rest.strip()))
            else:
                self._talk.turn(line)
        except KeyboardInterrupt:
            self._terminal.notice("(interrupted)")
        except MemorySystemError as error:
            self._terminal.end()
            complain(error)
        self._terminal.end()

    def _command(self, name: str, rest: str) -> str:
        match name:
            case "/compact":
                return "" if self._talk.compact(keep=0) else "there is nothing to sum up yet"
            case "/new" | "/reset":
                note = self._talk.reset()
                summed = f"the last session is summed up in {note}\n" if note else ""
                return f"{summed}session {self._talk.session.id}"
            case "/help":
                return HELP
        with self._settings.open() as ws:
            return self._looked_up(name, rest, ws)

    def _looked_up(self, name: str, rest: str, ws: Workspace) -> str:
        """What the workspace says to a command that only looks."""
        match name:
            case "/soul":
                soul = ws.files.read(ws.layout.root / "SOUL.md").decode(errors="replace")
                return soul.strip() or "there is no SOUL.md"
            case "/memory":
                from memory_system.cli.keeping import stats_lines
                from memory_system.recall.units import note_files

                of_talk = (f"Notes: {len(note_files(ws.layout))}", f"Session: {self._talk.session.id}")
                return "\n".join((*stats_lines(upkeep.stats.stats(ws)), *of_talk))
            case "/search":
                from memory_system import finder
                from memory_system.cli.searching import result_lines

                return "\n".join(result_lines(finder.search(ws, rest, limit=5), ws.zone)) if rest else NO_WORDS
            case "/prompt":
                from memory_system.agent.prompt import compose

                return compose(ws, message=rest).text
            case _:
                return f"there is no {name}\n{HELP}"
