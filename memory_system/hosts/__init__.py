"""Living inside a host (OpenClaw, Claude Code, or a machine's own scheduler): what has to stand where, shown before it
is written, and taken out again to the byte.

It is made of pieces put into files, files of our own, and commands of the host. Steps are planned from what is there,
shown, and only then taken; what was done stands in `state/hosts.json`, so that it can be taken back: what is put into a
file of somebody else is one piece of text, and cutting it out gives back the bytes that were there before."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from json.decoder import WHITESPACE  # type: ignore[attr-defined]  # public in name, missing in the stubs
from pathlib import Path
from typing import Any

import orjson

from memory_system.disk import Files
from memory_system.errors import UsageError
from memory_system.privacy.secrets import redact
from memory_system.upkeep.distill import difference, overwrite, text_of
from memory_system.workspace import Workspace

PATIENCE = 120  # seconds for a command of the host
BEGIN, END = "<!-- memory-system -->", "<!-- /memory-system -->"
Open = Callable[..., Workspace]
Keys = Sequence[str]  # the way to a value in a JSON file, from the outside in


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a JSON file of the host: under `keys`, or with `listed` as an element of the list there."""

    path: str
    keys: list[str]
    value: Any
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A block in a Markdown file of a person."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Own:
    """A file that is ours alone."""

    path: str
    text: str


Command = tuple[str, ...]  # of the host; where its program is not there, it is only told
Step = Value | Block | Own | Command


@dataclass(slots=True)
class Change:
    """One file as it is and as it will be (None: not there)."""

    path: Path
    before: str | None
    after: str | None

    def diff(self) -> str:
        """As `diff -u` shows it, without secrets."""
        old, new = ("/dev/null" if text is None else str(self.path) for text in (self.before, self.after))
        return redact(difference(self.before or "", self.after or "", (old, new)))[0]


@dataclass(slots=True)
class Plan:
    """What is to be done: files to change, commands to run, and the row for `state/hosts.json`."""

    changes: list[Change]
    commands: list[Command]
    done: dict[str, Any]
    advice: list[str]


class Drafts(dict[str, Change]):
    """Files as they will be, by path, while a plan is made; each is read when it is first looked at."""

    def __missing__(self, path: str) -> Change:
        text = text_of(Path(path), "mend it, or put the lines in by hand: see docs/hosts")
        return self.setdefault(path, Change(Path(path), text, text))

    def changes(self) -> list[Change]:
        return [each for each in self.values() if each.before != each.after]


def plan(ws: Workspace, host: str, steps: Sequence[Step], advice: Sequence[str]) -> Plan:
    """What the steps would change; steps that were taken before change nothing."""
    known = _done(ws).get(host, [])
    wanted = [(each, _row(each)) for each in steps if not isinstance(each, tuple)]
    asked = any(isinstance(step, Block) for step, _ in wanted)  # else no file of a person is touched
    pieces = [each for each in known if each["kind"] == "Block" and not asked]
    drafts = Drafts()
    again = [each for each in known if any(row.items() <= each.items() for _, row in wanted)]
    _cut(drafts, [each for each in known if each not in pieces and each not in again])
    ours = {each["path"] for each in known if each["kind"] == "Own"}
    for step, row in wanted:
        before = next((each for each in again if row.items() <= each.items()), None)
        made = drafts[step.path].after is None
        piece = _taken(step, drafts[step.path], ours)
        if piece and not (before and before["piece"] == piece):
            pieces.append({**row, "piece": piece, "made": made})
        elif before:
            pieces.append(before)
    commands = [each for each in steps if isinstance(each, tuple)]
    return Plan(drafts.changes(), commands, {host: pieces}, list(advice))


def _row(step: Value | Block | Own) -> dict[str, Any]:
    """The step as `state/hosts.json` holds it; of a file of ours only that it is one."""
    row = {"kind": type(step).__name__, **asdict(step)}
    return row | {"text": ""} if isinstance(step, Own) else row


def _cut(drafts: Drafts, rows: Sequence[dict[str, Any]]) -> None:
    """Take back what these steps have put in, the last one first."""
    for row in reversed(rows):
        draft = drafts[row["path"]]
        if draft.after is not None:
            draft.after = _without(row, draft.after)


def _taken(step: Value | Block | Own, draft: Change, ours: Collection[str]) -> str:
    """Put the step into the draft of its file; the piece that was put in. Empty: it was there."""
    text = draft.after
    if isinstance(step, Own):
        if text is not None and text != step.text and step.path not in ours:
            raise UsageError(f"{step.path} is there, and was not made by this program", "move it away first")
        draft.after = step.text
        return "the whole file"
    if isinstance(step, Block):
        if text is not None and step.text.strip() in text:
            return ""
        draft.after, piece = with_block(text or "", step.text)
        return piece
    if text is not None and has_value(text, step.keys, step.value):
        return ""
    try:
        draft.after, piece = with_value(text or "", step.keys, step.value, listed=step.listed)
    except UsageError as error:
        raise UsageError(f"{step.path}: {error}", error.hint) from None
    return piece


def plan_removal(ws: Workspace, host: str, commands: Sequence[Command], advice: Sequence[str]) -> Plan:
    """What taking everything of that host back would change."""
    drafts = Drafts()
    _cut(drafts, _done(ws).get(host, []))
    return Plan(drafts.changes(), list(commands), {host: None}, list(advice))


def _without(row: dict[str, Any], text: str) -> str | None:
    """The file without what that step has put in; None when nothing else was ever in it."""
    if row["kind"] == "Own":
        return None
    if text.count(row["piece"]) == 1:
        rest = text.replace(row["piece"], "")
        return None if row["made"] and not rest else rest
    if row["kind"] == "Value":
        return without_value(text, row["keys"], row["value"])
    return text  # a person has changed the block: it is theirs now


def apply(ws: Workspace, chosen: Plan) -> list[str]:
    """Take the steps; what of them could not be done, and how to do it by hand."""
    files = Files()
    removing = None in chosen.done.values()
    if not removing:  # first, so that whatever happens next can be taken back
        _remember(ws, chosen)
    for change in chosen.changes:
        _write(files, change)
    if removing:
        _remember(ws, chosen)
    return [told for argv in chosen.commands if (told := _run(argv))]


def _remember(ws: Workspace, chosen: Plan) -> None:
    rows = {name: row for name, row in {**_done(ws), **chosen.done}.items() if row}
    if rows:
        ws.files.replace(ws.layout.hosts, orjson.dumps(rows, option=orjson.OPT_INDENT_2) + b"\n")
    elif ws.layout.hosts.exists():
        ws.files.remove(ws.layout.hosts)


def _write(files: Files, change: Change) -> None:
    if change.after is None:
        files.remove(change.path)
        with suppress(OSError):  # a folder that others use stays
            change.path.parent.rmdir()
        return
    files.make_folder(change.path.parent)
    overwrite(change.path, change.after, files)


def _run(argv: Sequence[str]) -> str:
    """Run a command of the host; what is left to do by hand, or nothing."""
    if shutil.which(argv[0]) is None:
        return f"{argv[0]} is not here; run this where it is: {shlex.join(argv)}"
    try:
        done = subprocess.run(argv, capture_output=True, timeout=PATIENCE, check=False)  # noqa: S603 - shown before
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"this did not work ({type(error).__name__}): {shlex.join(argv)}"
    told = (done.stderr + done.stdout).decode(errors="replace")
    if done.returncode == 0 or "already exists" in told:
        return ""
    said = next((line for line in told.splitlines() if line.strip()), f"code {done.returncode}")
    return f"this did not work ({redact(said.strip())[0]}): {shlex.join(argv)}"


def _done(ws: Workspace) -> dict[str, Any]:
    return ws.files.read_object(ws.layout.hosts)


def shown(chosen: Plan) -> Iterator[str]:
    """The plan as a person reads it."""
    for change in chosen.changes:
        yield change.diff().rstrip("\n")
    for argv in chosen.commands:
        yield f"$ {shlex.join(argv)}"


# ---- pieces in files of somebody else ------------------------------------------------------------------------------


def with_value(text: str, path: Keys, value: object, *, listed: bool = False) -> tuple[str, str]:
    """The JSON text with `value` under the key `path` (`listed`: first in the list there), and the piece that was put
    in; an empty text becomes an object. UsageError when it is no JSON object, or when something else stands there."""
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


def has_value(text: str, path: Keys, value: object) -> bool:
    """Whether the value stands there already, itself or in a list."""
    try:
        there: Any = json.loads(text)
        for key in path:
            there = there[key]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(value in there if isinstance(there, list) else there == value)


def without_value(text: str, path: Keys, value: object) -> str:
    """The JSON text, written anew, without the value, and without objects and lists that are empty then. For a file
    that its owner's program has written anew since, so that the piece is not there any more."""
    try:
        root: Any = json.loads(text)
    except ValueError:
        return text
    return json.dumps(root, indent=2, ensure_ascii=False) + "\n" if _remove(root, path, value) else text


def _remove(node: Any, path: Keys, value: object) -> bool:
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


def _nested(path: Keys, value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _deepest(text: str, path: Keys) -> tuple[int, Keys]:
    """Where the innermost object (or list) on the path that is there begins, and the keys that are missing in it."""
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
        start, is_last = found, number == len(path) - 1
        if text[start] != ("[" if is_last else "{"):
            raise UsageError(f"something else stands under {'.'.join(path[: number + 1])}", "see docs/hosts")
    return start, ()


def _value_of(text: str, start: int, key: str) -> int | None:
    """Where the value of a key begins, in the object that begins at `start` of a valid text."""
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    while text[at] != "}":
        name, at = decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        if name == key:
            return at
        _, at = decoder.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return None


def _skip(text: str, at: int) -> int:
    """The first place from there on that is no blank of JSON."""
    return int(WHITESPACE.match(text, at).end())


def _indent(text: str, start: int) -> str:
    """Two columns more than the line on which the object or list begins."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line[: len(line) - len(line.lstrip(" \t"))] + "  "
