"""The model behind a chat: one question, one streamed answer, over Anthropic's API. What can go wrong becomes an
LLMError that says what to do; a full context is one of its own, because the chat can make room and ask again. And the
agent's loop: the model answers, its tools are run, it goes on, until it has nothing left to call; the rows of a
transcript become the messages that the API takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from memory_system.agent.session import Row, blocks_of, message_of, text_of
from memory_system.agent.tools import Toolbox
from memory_system.config import Config
from memory_system.errors import LLMError
from memory_system.llm import Usage
from memory_system.llm.claude import KEY, address_of, client_of, key_for, usage_of

if TYPE_CHECKING:
    import anthropic


TRIES = 3
LONGEST_WAIT = 30.0  # seconds, whatever a server asks for
TIMEOUT = 300.0
CACHED = {"cache_control": {"type": "ephemeral"}}
FULL = ("prompt is too long", "context window", "context_length", "maximum context", "too many tokens")

Say = Callable[[str], None]
_STOPS = {"tool_use": "toolUse", "max_tokens": "length"}
MOST_ROUNDS = 25
INTERRUPTED = "(interrupted: there is no result)"


class ContextFullError(LLMError):
    """The conversation no longer fits into the model's context."""

    hint = "shorten it with /compact, or begin a new session with /new"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its message as it stands in a transcript, and why it ended (end_turn, tool_use, max_tokens, …)."""

    message: Row
    stop: str

    @property
    def calls(self) -> list[Row]:
        return [each for each in self.message["content"] if each["type"] == "toolCall"]

    @property
    def text(self) -> str:
        return "\n".join(each["text"] for each in self.message["content"] if each["type"] == "text")

    @property
    def tokens(self) -> tuple[int, int]:
        """Those that went in and those that came out."""
        usage = self.message["usage"]
        return usage["totalTokens"] - usage["output"], usage["output"]


class Model(Protocol):
    """The port: anything that can go on with a conversation. `name` names it, `spent` counts all that it took."""

    name: str
    spent: Usage

    def reply(self, system: str, messages: Sequence[Row], tools: Sequence[Row], say: Say) -> Reply:
        """The whole answer; its text is given to `say` piece by piece as it comes. LLMError when there is none."""
        ...


class Claude:
    """Anthropic's models (the configured one, or `model`), at the address and with the key that consolidation uses."""

    def __init__(self, config: Config, model: str = "", pause: Callable[[float], None] = time.sleep) -> None:
        self.name = model or config.chat.model
        self.spent = Usage()
        self._config = config
        self._pause = pause

    def key(self) -> str:
        """The key to ask with; LLMError where it, or the model's name, is known to be missing."""
        if not self.name.strip():
            raise LLMError("there is no name of a model", "set chat.model in config.json")
        if found := key_for(self._config):
            return found
        raise LLMError("there is no key for the model", f"export {KEY}=…")

    @cached_property
    def _client(self) -> anthropic.Anthropic:
        """Made with the first question: importing the SDK takes seconds."""
        return client_of(self.key(), address_of(self._config), TIMEOUT)

    def close(self) -> None:
        if "_client" in vars(self):
            self._client.close()

    def reply(self, system: str, messages: Sequence[Row], tools: Sequence[Row], say: Say) -> Reply:
        spoken = False

        def heard(piece: str) -> None:
            nonlocal spoken
            spoken = True
            say(piece)

        for attempt in range(1, TRIES + 1):
            try:
                return self._ask(system, messages, tools, heard)
            except LLMError:
                raise
            except Exception as error:  # the SDK lets through whatever reading a strange answer raises
                if spoken or attempt == TRIES or not _may_pass(error):
                    raise _as_ours(error) from error
                self._pause(_wait(error, attempt))
        raise AssertionError("the last try returns or raises")

    def _ask(self, system: str, messages: Sequence[Row], tools: Sequence[Row], say: Say) -> Reply:
        offered: Any = list(tools)
        asked = self._client.messages.stream(
            model=self.name,
            max_tokens=self._config.chat.max_tokens,
            system=[{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            messages=_cached(messages),
            tools=offered,
        )
        started = time.monotonic()
        self.spent = self.spent.plus(Usage(calls=1))
        with asked as stream:
            try:
                for piece in stream.text_stream:
                    say(piece)
                final = stream.get_final_message()
            finally:  # what breaks off was billed, too
                self.spent = self.spent.plus(_so_far(stream)).plus(Usage(seconds=time.monotonic() - started))
        if final.stop_reason == "model_context_window_exceeded":
            raise ContextFullError
        return Reply(_message(final), str(final.stop_reason))


def _so_far(stream: anthropic.MessageStream[Any]) -> Usage:
    """The tokens that the server has told of by now."""
    try:
        return usage_of(stream.current_message_snapshot)
    except AssertionError:  # the SDK's word for an answer that has not begun
        return Usage()


def _cached(messages: Sequence[Row]) -> Any:
    """The messages with a mark up to which the server may keep them."""
    *before, last = messages
    *blocks, end = last["content"]
    return [*before, {**last, "content": [*blocks, {**end, **CACHED}]}]


def _message(final: anthropic.types.Message) -> Row:
    """The answer in OpenClaw's form."""
    content: list[Row] = []
    for block in final.content:
        if block.type == "text" and block.text:
            content.append({"type": "text", "text": block.text})
        elif block.type == "tool_use":
            content.append({"type": "toolCall", "id": block.id, "name": block.name, "arguments": block.input})
    used = usage_of(final)
    counted = {"input": used.input, "output": used.output, "cacheRead": used.cached, "cacheWrite": used.written}
    return {
        "role": "assistant", "content": content, "model": final.model, "stopReason": _STOPS.get(str(final.stop_reason),
        "stop"), "usage": {**counted, "totalTokens": used.tokens},
    }  # fmt: skip


def _may_pass(error: Exception) -> bool:
    """Whether asking again may help."""
    import anthropic

    return isinstance(error, anthropic.APIConnectionError | anthropic.RateLimitError | anthropic.InternalServerError)


def _wait(error: Exception, attempt: int) -> float:
    """Seconds until the next try: what the server asks for, within reason."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        wanted = float(headers.get("retry-after", ""))
        return min(LONGEST_WAIT, max(0.0, wanted))
    except ValueError:
        return 2.0**attempt / 2


def _as_ours(error: Exception) -> LLMError:
    said = str(error)
    status = getattr(error, "status_code", 0)
    if status == 413 or (status == 400 and any(each in said.lower() for each in FULL)):
        return ContextFullError()
    if status in (401, 403):
        return LLMError(f"the model's server refuses the key: {said}", f"look at {KEY}")
    if status == 404:
        return LLMError(f"there is no such model: {said}", "look at chat.model in config.json")
    return LLMError(f"the model gave no answer: {said}", "try again; /quit keeps what was said")


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

    def text(self, *_: Any, **__: Any) -> None:
        """As in `Show`."""

    call = notice = text


def run_turn(
    model: Model,
    system: str,
    asked: Callable[[], Sequence[Row]],
    record: Callable[[Mapping[str, Any]], Any],
    tools: Toolbox,
    show: Show,
) -> list[Reply]:
    """Run a turn to its end; the replies, of which the last one is the answer. `asked` gives what the model sees, anew
    each round, and `record` is given each new message."""
    replies: list[Reply] = []
    offered = [each.to_anthropic() for each in tools.tools.values()]
    for _ in range(MOST_ROUNDS):
        reply = model.reply(system, asked(), offered, show.text)
        replies.append(reply)
        record(reply.message)
        if reply.stop != "tool_use" or not reply.calls:
            break
        for call in reply.calls:
            answer = tools.call(call["name"], call["arguments"])
            show.call(call["name"], call["arguments"], answer)
            record(result_message(call, answer))
    return replies


def result_message(call: Row, answer: Mapping[str, Any]) -> Row:
    """The result of a `toolCall` block."""
    return {
        "role": "toolResult",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "content": [_text(orjson.dumps(answer).decode())],
        "isError": "error" in answer,
    }


# ---- messages as the API takes them --------------------------------------------------------------------------------


def messages_of(rows: Sequence[Row], title: str, instead: Mapping[str, str] | None = None) -> list[Row]:
    """The messages of rows in context: a summary becomes a message under `title`; `instead` holds shorter texts for
    results, by the id of their call. Each call has its result right behind it, or is told to have none; a message of
    the user comes first."""
    made: list[Row] = []
    waiting: dict[str, None] = {}  # calls without a result so far
    for row in rows:
        message = message_of(row)
        role = message.get("role")
        if role == "toolResult":
            call = str(message.get("toolCallId"))
            if call in waiting:
                del waiting[call]
                _add(made, "user", [_result(call, (instead or {}).get(call) or text_of(message), message)])
            continue
        blocks = _blocks(row, message, title)
        if not blocks:
            continue
        _add(made, "user", [_result(call, INTERRUPTED, {"isError": True}) for call in waiting])
        waiting = {each["id"]: None for each in blocks if each["type"] == "tool_use"}
        if role == "assistant" and not made:
            continue  # an answer to what is no longer there
        _add(made, "assistant" if role == "assistant" else "user", blocks)
    _add(made, "user", [_result(call, INTERRUPTED, {"isError": True}) for call in waiting if made])
    return made


def _add(made: list[Row], role: str, blocks: list[Row]) -> None:
    """Add blocks to the last message where it is of this role."""
    if blocks and made and made[-1]["role"] == role:
        made[-1]["content"] += blocks
    elif blocks:
        made.append({"role": role, "content": blocks})


def _blocks(row: Row, message: Row, title: str) -> list[Row]:
    if row.get("type") == "compaction":
        return [_text(f"[{title}]\n\n{row.get('summary', '')}")]
    if message.get("role") == "user":
        return [_text(said)] if (said := text_of(message)).strip() else []
    return [made for each in blocks_of(message) if (made := _given(each))] if message.get("role") == "assistant" else []


def _given(block: Row) -> Row | None:
    """A block of an answer as the API takes it back; None for what it does not."""
    if block.get("type") == "text" and str(block.get("text", "")).strip():
        return _text(str(block["text"]))
    if block.get("type") == "toolCall":
        return {
            "type": "tool_use", "id": str(block.get("id")), "name": str(block.get("name")),
            "input": block.get("arguments") or {},
        }  # fmt: skip
    return None


def _text(said: str) -> Row:
    return {"type": "text", "text": said}


def _result(call: str, said: str, message: Mapping[str, Any]) -> Row:
    return {
        "type": "tool_result", "tool_use_id": call, "content": said or "(empty)",
        "is_error": bool(message.get("isError")),
    }  # fmt: skip
