"""capture, note, archive, restore and edit."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from memory_system.cli.answers import Settings, handled
from memory_system.errors import UsageError

Sensitivity = Literal["normal", "sensitive", "shared"]  # as in sharing, which is not imported for --help


@handled
def capture(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What to remember, as one sentence.")],
    kind: Annotated[str, typer.Option("--type", help="fact or belief.")] = "fact",
    importance: Annotated[float, typer.Option(help="0 to 1.")] = 0.5,
    confidence: Annotated[float | None, typer.Option(help="Between 0 and 1; of a belief.")] = None,
    entities: Annotated[str, typer.Option(help="Names it is about, with commas between.")] = "",
    source: Annotated[str, typer.Option(help="Where it comes from: session:entry.")] = "",
    key: Annotated[str, typer.Option(help="The same key and text twice are one memory.")] = "",
) -> None:
    """Remember one thing now; it is found at once and folded in tonight."""
    from memory_system.upkeep import edit

    settings: Settings = context.obj
    with settings.open() as ws:
        record = edit.capture(
            ws,
            text,
            kind=kind,
            importance=importance,
            confidence=confidence,
            entities=_names(entities),
            source=source,
            key=key,
            who="cli",
        )
    settings.answer({"status": "saved", "id": record.id, "content": record.content}, f"{record.id}  {record.content}")


@handled
def note(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What happened.")],
    category: Annotated[str, typer.Option(help="preference, fact, decision, todo, person, …")] = "general",
) -> None:
    """Append an entry to today's note."""
    from memory_system.upkeep import edit

    settings: Settings = context.obj
    with settings.open() as ws:
        path = edit.note(ws, text, category, who="cli")
    settings.answer({"status": "saved", "path": path, "category": category}, path)


@handled
def archive(context: typer.Context, memory_id: Annotated[str, typer.Argument(help="The memory's id.")]) -> None:
    """Put a memory away by hand; it can be restored."""
    from memory_system.upkeep import edit

    settings: Settings = context.obj
    with settings.open(write=True) as ws:
        record = edit.archive(ws, memory_id, who="cli")
        replaced = [{"id": each.id, "content": each.content} for each in edit.replaced_by(ws, record)]
    hints = (f"\n  it had replaced {each['content']}\n  → memory restore {each['id']}" for each in replaced)
    row = {"status": "archived", "id": record.id, "content": record.content, "replaced": replaced}
    settings.answer(row, "".join((f"archived {record.id}", *hints)))


@handled
def restore(context: typer.Context, memory_id: Annotated[str, typer.Argument(help="The memory's id.")]) -> None:
    """Bring an archived memory back."""
    from memory_system.upkeep import edit

    settings: Settings = context.obj
    with settings.open(write=True) as ws:
        record = edit.restore(ws, memory_id, who="cli")
    settings.answer({"status": "restored", "id": record.id, "content": record.content}, f"restored {record.id}")


@handled
def edit(
    context: typer.Context,
    memory_id: Annotated[str, typer.Argument(help="The memory's id.")],
    content: Annotated[str | None, typer.Option(help="What it says from now on.")] = None,
    value: Annotated[str | None, typer.Option(help="What its slot holds; changes in its words as well.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    category: Annotated[str | None, typer.Option(help="identity, health, preference, status, …")] = None,
    entities: Annotated[str | None, typer.Option(help="Names it is about, with commas between.")] = None,
    confidence: Annotated[float | None, typer.Option(help="Between 0 and 1; of a belief.")] = None,
    pinned: Annotated[bool | None, typer.Option("--pinned/--unpinned", help="Never let it fade away.")] = None,
    sensitivity: Annotated[
        Sensitivity | None, typer.Option(help="shared: may be told in any group; normal and sensitive: never.")
    ] = None,
    if_version: Annotated[int | None, typer.Option(help="Only if this is its version still.")] = None,
    split: Annotated[bool, typer.Option(help="Take its last merging back: two memories of one.")] = False,
) -> None:
    """Correct a memory by hand; consolidation never undoes that."""
    from memory_system.upkeep import correct

    settings: Settings = context.obj
    given = {
        "content": content, "value": value, "importance": importance, "category": category,
        "entities": None if entities is None else tuple(_names(entities)), "confidence": confidence, "pinned": pinned,
        "sensitivity": sensitivity,
    }  # fmt: skip
    values = {name: each for name, each in given.items() if each is not None}
    if split and values:
        raise UsageError("--split stands alone", "split first, then edit the two")
    with settings.open(write=True) as ws:
        seq = ws.journal.head().seq
        if split:
            changed = [*correct.split(ws, memory_id, if_version=if_version)]
        else:
            changed = [correct.edit(ws, memory_id, values, if_version=if_version, who="cli")]
        status = "unchanged" if ws.journal.head().seq == seq else "split" if split else "edited"
    rows = [{"id": each.id, "content": each.content, "version": each.version} for each in changed]
    settings.answer({"status": status, "memories": rows}, "\n".join(f"{status} {_line(row)}" for row in rows))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.replace("，", ",").split(",") if name.strip()]


def _line(row: dict[str, Any]) -> str:
    return f"{row['id']}  {row['content']}"
