"""heartbeat and distill."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_system.cli.answers import Settings, handled

if TYPE_CHECKING:
    from memory_system.upkeep.distill import Draft


@handled
def heartbeat(context: typer.Context) -> None:
    """Look, without a model, for what the owner should be told or asked: HEARTBEAT_OK, or what to do."""
    from memory_system.upkeep import heartbeat as pulse

    settings: Settings = context.obj
    with settings.open() as ws:
        row = pulse.heartbeat(ws)
    settings.answer(row, lambda: "\n".join(_beat_lines(row)))


def _beat_lines(row: dict[str, Any]) -> Iterator[str]:
    if not row["items"]:
        yield row["status"]
    for each in row["items"]:
        yield f"- {each['what']}\n  → {each['do']}"
    if row["more"]:
        yield "- … " + ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in row["more"].items())


@handled
def distill(
    context: typer.Context,
    days: Annotated[int, typer.Option(min=1, help="Of how many days memories are looked at for new lines.")] = 7,
    apply: Annotated[bool, typer.Option("--apply", help="Write the files; without it they are only shown.")] = False,
) -> None:
    """Propose what MEMORY.md, USER.md and IDENTITY.md should say after the last days, as a diff."""
    from memory_system.giving import Giver
    from memory_system.upkeep import distill as curation

    settings: Settings = context.obj
    with settings.open() as ws:
        drafts = curation.distill(ws, days)
        if apply:
            curation.apply(ws, drafts)
        giver = Giver(ws, unmasked=settings.unmasked)  # the files may hold secrets beside what is proposed
    diff = giver.text("".join(map(_diff, drafts)))
    row = {
        "status": "applied" if apply else "proposed",
        "proposals": [{name: giver.text(text) for name, text in each.items()} for each in curation.rows_of(drafts)],
        "diff": diff,
    }
    settings.answer(row, diff.rstrip("\n") or "nothing to propose")
    if drafts and not apply:
        settings.say("nothing was written; write it with: memory distill --apply")


def _diff(draft: Draft) -> str:
    """As `diff -u` shows it."""
    import difflib

    before, after = (text.splitlines(keepends=True) for text in (draft.before, draft.after))
    lines = difflib.unified_diff(before, after, draft.name, draft.name, n=1)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
