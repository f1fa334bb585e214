"""chat: the terminal in front of an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_system.cli.answers import Settings, complain, handled

if TYPE_CHECKING:
    from memory_system.agent.chat import Chat
    from memory_system.agent.model import Claude
    from memory_system.agent.session import Session
    from memory_system.config import Config
    from memory_system.workspace import Workspace

YOU, AGENT = "You > ", "Agent > "
HELP = """/soul  who the agent is        /memory  what it remembers      /search WORDS  look for something
/prompt  its system prompt     /compact  shorten this session  /new, /reset  begin another session
/help  these lines             /quit  leave; everything is kept"""


@handled
def chat(
    settings: Settings,
    session: Annotated[str, typer.Option(help="Go on with this session instead of beginning a new one.")] = "",
    model: Annotated[str, typer.Option(help="Another model than the config's.")] = "",
) -> None:
    """Talk to an agent that remembers; what is said becomes memory with the next consolidation."""
    from memory_system.agent.chat import Chat

    with settings.open() as ws:
        config, old = ws.config, resumed(ws, session) if session else None
    with closing(claude(config, model)) as agent:
        talk = Chat(settings.root, lambda: settings.now, agent, Terminal(), old)
        settings.say(f"session {talk.session.id}; /help tells what there is, /quit leaves")
        _Repl(talk, settings).run()


def claude(config: Config, model: str = "") -> Claude:
    """The configured model, or another one."""
    from memory_system.agent.model import Claude

    other = config.chat.model_copy(update={"model": model or config.chat.model})
    return Claude(config.model_copy(update={"chat": other}))


def resumed(ws: Workspace, name: str) -> Session:
    """The session of that id, to be gone on with."""
    from memory_system.agent.listing import transcript
    from memory_system.agent.session import Session

    return Session.resume(transcript(ws, name).place.path, ws.files)


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


class _Repl:
    """Reads lines and does what they ask, until it is told to leave."""

    def __init__(self, talk: Chat, settings: Settings) -> None:
        self._talk = talk
        self._settings = settings
        self._terminal = talk.show
        self._commands: dict[str, Callable[[str], str]] = {
            "/soul": self._soul,
            "/memory": self._memory,
            "/search": self._search,
            "/prompt": self._prompt,
            "/compact": self._compact,
            "/new": self._new,
            "/reset": self._new,
            "/help": lambda _: HELP,
        }

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
        from memory_system.errors import MemorySystemError

        name, _, rest = line.partition(" ")
        command = self._commands.get(name, lambda _: f"there is no {name}\n{HELP}") if line[0] == "/" else None
        try:
            if command:
                self._terminal.notice(command(rest.strip()))
            else:
                self._talk.turn(line)
        except KeyboardInterrupt:
            self._terminal.notice("(interrupted)")
        except MemorySystemError as error:
            self._end()
            complain(error)
        self._end()

    def _end(self) -> None:
        if isinstance(self._terminal, Terminal):
            self._terminal.end()

    def _soul(self, rest: str) -> str:
        del rest
        with self._settings.open() as ws:
            return ws.files.read(ws.layout.root / "SOUL.md").decode(errors="replace").strip() or "there is no SOUL.md"

    def _memory(self, rest: str) -> str:
        from memory_system.cli.keeping import stats_lines
        from memory_system.recall.passages import note_files
        from memory_system.upkeep import stats

        del rest
        with self._settings.open() as ws:
            notes = len(note_files(ws.layout))
            return "\n".join([*stats_lines(stats.stats(ws)), f"Notes: {notes}", f"Session: {self._talk.session.id}"])

    def _search(self, rest: str) -> str:
        from memory_system import finder
        from memory_system.cli.searching import result_lines

        if not rest:
            return "what for? /search WORDS"
        with self._settings.open() as ws:
            return result_lines(finder.search(ws, rest, limit=5), ws.zone)

    def _prompt(self, rest: str) -> str:
        from memory_system.agent.prompt import compose

        with self._settings.open() as ws:
            return compose(ws, message=rest).text

    def _compact(self, rest: str) -> str:
        del rest
        return "" if self._talk.compact(keep=0) else "there is nothing to sum up yet"

    def _new(self, rest: str) -> str:
        del rest
        note = self._talk.reset()
        return (f"the last session is summed up in {note}\n" if note else "") + f"session {self._talk.session.id}"
