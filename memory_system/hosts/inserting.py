"""Putting something into a file of somebody else without touching the rest: a value into a JSON text, a block into a
Markdown text. What is put in is one piece of text, and cutting it out gives back the bytes that were there before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]  # public in name, missing in the stubs
from typing import Any

from memory_system.errors import UsageError

Path = Sequence[str]  # keys from the outside in
_SPACE = " \t\r\n"
BEGIN, END = "<!-- memory-system -->", "<!-- /memory-system -->"


def with_value(text: str, path: Path, value: object, *, listed: bool = False) -> tuple[str, str]:
    """The JSON text with `value` under the key `path` (`listed`: as the first element of the list there), and the piece
    that was put in. An empty text becomes an object. UsageError when it is no JSON object, or when something else
    stands there."""
    whole = [value] if listed else value
    if not text.strip():
        made = json.dumps(_nested(path, whole), indent=2, ensure_ascii=False) + "\n"
        return text + made, made
    start, rest = _deepest(text, path)
    if not rest and not listed:
        raise UsageError(f"something else stands under {'.'.join(path)}", "see docs/hosts")
    key, inner = (rest[0], _nested(rest[1:], whole)) if rest else (None, value)
    piece = json.dumps(inner, ensure_ascii=False)
    if key is not None:
        piece = f"{json.dumps(key)}: {piece}"
    empty = text[_skip(text, start + 1)] in "]}"
    piece = f"\n{_indent(text, start)}{piece}" + ("" if empty else ",")
    return text[: start + 1] + piece + text[start + 1 :], piece


def has_value(text: str, path: Path, value: object) -> bool:
    """Whether the value stands there already, itself or in a list."""
    try:
        there: Any = json.loads(text)
        for key in path:
            there = there[key]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(value in there if isinstance(there, list) else there == value)


def without_value(text: str, path: Path, value: object) -> str:
    """The JSON text, written anew, without the value, and without objects and lists that are empty then. For a file
    that its owner's program has written anew since, so that the piece is not there any more."""
    try:
        root: Any = json.loads(text)
    except ValueError:
        return text
    return json.dumps(root, indent=2, ensure_ascii=False) + "\n" if _remove(root, path, value) else text


def _remove(node: Any, path: Path, value: object) -> bool:
    """Whether anything was removed below the node."""
    if not path:
        if not isinstance(node, list) or value not in node:
            return False
        node.remove(value)
        return True
    if not isinstance(node, dict) or path[0] not in node:
        return False
    inner = node[path[0]]
    gone = (len(path) == 1 and inner == value) or _remove(inner, path[1:], value)
    if gone and (inner == value or inner in ({}, [])):
        del node[path[0]]
    return gone


def with_block(text: str, block: str) -> tuple[str, str]:
    """The Markdown text with the block at its end, between two comments, and the piece that was put in."""
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    piece = f"{gap}{BEGIN}\n{block.strip()}\n{END}\n"
    return text + piece, piece


def _nested(path: Path, value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _deepest(text: str, path: Path) -> tuple[int, Path]:
    """Where the innermost object (or list) on the path begins that is there, and the keys that are missing in it."""
    start = _skip(text, 0)
    try:
        json.loads(text)
    except ValueError as error:
        raise UsageError(f"it is not plain JSON: {error}", "put the lines in by hand: see docs/hosts") from None
    if text[start] != "{":
        raise UsageError("it is not a JSON object", "see docs/hosts")
    for number, key in enumerate(path):
        found = _value_of(text, start, key)
        if found is None:
            return start, path[number:]
        start = found
        if text[start] not in "{[" or (text[start] == "[" and number < len(path) - 1):
            raise UsageError(f"something else stands under {'.'.join(path[: number + 1])}", "see docs/hosts")
    if text[start] != "[":
        raise UsageError(f"something else stands under {'.'.join(path)}", "see docs/hosts")
    return start, ()


def _value_of(text: str, start: int, key: str) -> int | None:
    """Where the value of a key begins, in the object that begins at `start` of a valid text."""
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    while text[at] != "}":
        name, at = scanstring(text, at + 1)
        at = _skip(text, _skip(text, at) + 1)
        if name == key:
            return at
        _, at = decoder.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return None


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _indent(text: str, start: int) -> str:
    """Two columns more than the line on which the object or list begins."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line[: len(line) - len(line.lstrip(" \t"))] + "  "
