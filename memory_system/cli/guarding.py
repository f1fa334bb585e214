"""quarantine, policy and audit: what was held back, what should have been, and whether the journal is the one that was
written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_system.cli.answers import Settings, handled
from memory_system.errors import UsageError

if TYPE_CHECKING:
    from memory_system.forgetting.scanning import Finding
    from memory_system.privacy.quarantine import Held
    from memory_system.workspace import Workspace

WRONG = 1
NAMED = 4  # ids that a line of the log shows
LONGEST = 160  # characters of what was held back that a list shows


class Action(StrEnum):
    LIST = "list"
    SHOW = "show"
    APPROVE = "approve"
    REJECT = "reject"


@handled
def quarantine(
    context: typer.Context,
    action: Annotated[Action, typer.Argument(help="list, show, approve or reject.")] = Action.LIST,
    held_id: Annotated[str, typer.Argument(help="The id of what was held back.")] = "",
) -> None:
    """What was held back because it wants to steer an agent: look at it, let it in, or throw it out."""
    settings: Settings = context.obj
    if (action is Action.LIST) == bool(held_id):
        raise UsageError(
            "name what was held back" if not held_id else "list takes no id", f"memory quarantine {action} q_…"
        )
    with settings.open() as ws:
        rows = [row_of(each) for each in _asked(ws, action, held_id)]
    settings.answer({"held": rows}, lambda: "\n".join(held_lines(rows)) or "nothing is held back")


def _asked(ws: Workspace, action: Action, held_id: str) -> list[Held]:
    if action is Action.LIST:
        return ws.quarantine.waiting()
    if action is Action.APPROVE:
        from memory_system.upkeep import edit

        edit.approve(ws, held_id, who="cli")
    elif action is Action.REJECT:
        from memory_system.privacy.quarantine import REJECTED

        ws.quarantine.settle(held_id, REJECTED)
    return [ws.quarantine.get(held_id)]


class Looking(StrEnum):
    SCAN = "scan"


@handled
def policy(
    context: typer.Context,
    action: Annotated[Looking, typer.Argument(help="scan.")] = Looking.SCAN,
    fix: Annotated[bool, typer.Option("--fix", help="Take it out of everything but your own files.")] = False,
) -> None:
    """Look through all that is there for what today's rules would not let in; exits with 1 where any is left."""
    from memory_system import forgetting

    del action  # there is one
    settings: Settings = context.obj
    with settings.open(write=fix) as ws:
        if fix:
            forgetting.finish(ws)
        found = forgetting.scan(ws)
        mended = fix and any(each.ours for each in found)
        changed = forgetting.fix(ws) if mended else 0
        left = forgetting.scan(ws) if mended else found
    row = {"found": list(map(asdict, found)), "changed": changed, "left": list(map(asdict, left))}
    settings.answer(row, lambda: "\n".join(_policy_lines(found, changed, left)))
    if left:
        raise typer.Exit(WRONG)


def _policy_lines(found: list[Finding], changed: int, left: list[Finding]) -> Iterator[str]:
    for each in found:
        kept = "" if each in left else ", mended"
        yield f"{each.where}: {', '.join(each.kinds)}{kept}{'' if each.ours else ' (your own file)'}"
    yield f"{len(found)} places, {changed} memories changed, {len(left)} places left"
    if any(each.ours for each in left):
        yield "take it out of what is ours with: memory policy scan --fix"


class Question(StrEnum):
    VERIFY = "verify"
    HEAD = "head"
    LOG = "log"


@handled
def audit(
    context: typer.Context,
    question: Annotated[Question, typer.Argument(help="verify, head or log.")] = Question.VERIFY,
    anchor: Annotated[str, typer.Option(help="A head that was kept elsewhere: it must still be there.")] = "",
    last: Annotated[int, typer.Option(min=1, help="How many lines of the log, at most: the newest.")] = 20,
) -> None:
    """Check or anchor the journal's chain, or show who read and wrote what; exits with 1 where an entry is wrong."""
    from memory_system.upkeep import check as chain

    settings: Settings = context.obj
    with settings.open() as ws:
        if question is Question.LOG:
            rows = ws.accesses.log()[-last:]
            settings.answer({"log": rows}, lambda: "\n".join(map(_log_line, rows)) or "nothing yet")
            return
        head = ws.journal.head()
        wrong = chain.verify(ws, anchor) if question is Question.VERIFY else None
    problem = wrong.to_row() if wrong else None
    told = f"! {wrong.where}: {wrong.what}\n  → {wrong.hint}" if wrong else str(head)
    settings.answer({"ok": wrong is None, "head": str(head), "problem": problem}, told)
    if wrong:
        raise typer.Exit(WRONG)


def _log_line(row: dict[str, Any]) -> str:
    ids = row["ids"]
    named = ", ".join(ids[:NAMED]) + (f" and {len(ids) - NAMED} more" if len(ids) > NAMED else "")
    return f"{row['at']}  {row.get('who', '?'):8} {row.get('did', '?'):8} {named}".rstrip()


def row_of(held: Held) -> dict[str, Any]:
    return {**asdict(held), "why": held.why}


def held_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """What was held back as a person reads it: quoted, and without characters that nobody sees."""
    from memory_system.privacy.trust import shown

    for row in rows:
        words = shown(" ".join(row["quote"].split()))
        words = words if len(words) <= LONGEST or len(rows) == 1 else words[: LONGEST - 1] + "…"
        yield f"{row['id']}  {row['status']}  “{words}”"
        yield f"  {row['why']} ({row['rule']}); said {row['said_at']} by {row['role']} in {row['ref']}"
