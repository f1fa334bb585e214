"""A transcript as rows, which of them a model sees, and as the messages that Anthropic's API takes and gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from memory_system.readers.transcript import Lines, json_rows, open_regular

Row = dict[str, Any]
SPEAKERS = ("user", "assistant")
INTERRUPTED = "(interrupted: there is no result)"


def read_rows(path: Path) -> list[Row]:
    """The objects in the file, packed or not; what is none, such as a torn last line, is left out."""
    with open_regular(path) as (stream, _):
        return [row for _, row in json_rows(Lines(stream)) if isinstance(row, dict)]


def branch(rows: Sequence[Row]) -> list[Row]:
    """The rows of the branch that is active, in order, without the header. A row that names no parent, or one that
    nobody knows, follows the row before it."""
    rows = [row for row in rows if row.get("type") != "session"]
    places: dict[Any, int] = {}
    parents: list[int] = []
    tip = -1
    for number, row in enumerate(rows):
        moves = row.get("type") == "leaf"
        named = row.get("targetId" if moves else "parentId", "")
        parent = -1 if named is None else places.get(named, tip) if isinstance(named, str) else tip
        parents.append(parent)
        tip = parent if moves else number
        if not moves and isinstance(row.get("id"), str):
            places.setdefault(row["id"], number)
    found: list[Row] = []
    while tip >= 0:
        found.append(rows[tip])
        tip = parents[tip]
    return found[::-1]


def in_context(rows: Sequence[Row]) -> list[Row]:
    """What a model still sees of a branch: the last summary, if there is one, and the rows that were kept with it. A
    reset begins anew."""
    place = next((n for n in range(len(rows) - 1, -1, -1) if rows[n].get("type") in ("compaction", "reset")), None)
    if place is None:
        return list(rows)
    mark, kept = rows[place], str(rows[place].get("firstKeptEntryId") or "")
    first = next((n for n in range(place) if rows[n].get("id") == kept), place)
    summary = [mark] if mark.get("type") == "compaction" else []
    return [*summary, *(row for row in rows[first:] if row.get("type") not in ("compaction", "reset"))]


def message_of(row: Row) -> Row:
    """The message in the row; {} when it holds none."""
    body = row.get("message") if row.get("type") == "message" else None
    return body if isinstance(body, dict) else {}


def blocks_of(message: Row) -> list[Row]:
    """The content of a message as blocks."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []


def text_of(message: Row) -> str:
    texts: Iterable[Any] = (each.get("text") for each in blocks_of(message) if each.get("type") == "text")
    return "\n".join(each for each in texts if isinstance(each, str))


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
