"""The agent's loop: the model answers, its tools are run, it goes on, until it has nothing left to call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memory_system.agent.messages import Row, messages_of, result_message
from memory_system.agent.model import Model, Reply
from memory_system.agent.tools import Toolbox

MOST_ROUNDS = 25


class Show(Protocol):
    """Where a conversation is shown."""

    def text(self, piece: str) -> None:
        """A piece of the answer."""

    def call(self, name: str, arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """A tool was run."""

    def notice(self, said: str) -> None:
        """Something about the session itself."""


class Silent:
    """Shows nothing."""

    def text(self, piece: str) -> None:
        del piece

    def call(self, name: str, arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        del name, arguments, answer

    def notice(self, said: str) -> None:
        del said


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn needs: the system prompt, the rows that the model sees (asked for anew each round), and where its
    messages go. `instead` and `title` are those of `messages_of`."""

    system: str
    rows: Callable[[], Sequence[Row]]
    record: Callable[[Mapping[str, Any]], Any]
    title: str
    instead: Mapping[str, str]


def run_turn(model: Model, turn: Turn, tools: Toolbox, show: Show) -> list[Reply]:
    """Run a turn to its end; the replies, of which the last one is the answer."""
    replies: list[Reply] = []
    offered = [each.to_anthropic() for each in tools.tools.values()]
    for _ in range(MOST_ROUNDS):
        messages = messages_of(turn.rows(), turn.title, turn.instead)
        reply = model.reply(turn.system, messages, offered, show.text)
        replies.append(reply)
        turn.record(reply.message)
        if reply.stop != "tool_use" or not reply.calls:
            break
        for call in reply.calls:
            answer = tools.call(call["name"], call["arguments"])
            show.call(call["name"], call["arguments"], answer)
            turn.record(result_message(call, answer))
    return replies
