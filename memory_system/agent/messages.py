"""Between the rows of a transcript and the messages that Anthropic's API takes and gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from memory_system.agent.rows import Row, blocks_of, message_of, text_of

INTERRUPTED = "(interrupted: there is no result)"


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


# ---- what is written into the transcript ---------------------------------------------------------------------------


def user_message(said: str) -> Row:
    return {"role": "user", "content": [_text(said)]}


def result_message(call: Row, answer: Mapping[str, Any]) -> Row:
    """The result of a `toolCall` block."""
    return {
        "role": "toolResult",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "content": [_text(orjson.dumps(answer).decode())],
        "isError": "error" in answer,
    }


def told(rows: Iterable[Row], longest: int) -> str:
    """The rows as a text to be summed up: who said what, and which tools were used; each at most so long."""
    lines = []
    for row in rows:
        message = message_of(row)
        said = str(row.get("summary", "")) if row.get("type") == "compaction" else text_of(message)
        calls = [f"[{each.get('name')} {orjson.dumps(each.get('arguments')).decode()}]" for each in _calls(message)]
        said = " ".join([said.strip(), *calls]).strip()
        if said:
            shown = said if len(said) <= longest else f"{said[: longest // 2]} … {said[-longest // 2 :]}"
            lines.append(f"{message.get('role') or 'summary'}: {shown}")
    return "\n\n".join(lines)


def _calls(message: Row) -> list[Row]:
    return [each for each in blocks_of(message) if each.get("type") == "toolCall"]
