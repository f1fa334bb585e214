"""capture, note, archive and restore."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_system.cli.answers import Settings, handled


@handled
def capture(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What to remember, as one sentence.")],
    kind: Annotated[str, typer.Option("--type", help="fact or belief.")] = "fact",
    importance: Annotated[float, typer.Option(help="0 to 1.")] = 0.5,
    confidence: Annotated[float | None, typer.Option(help="Between 0 and 1; of a belief.")] = None,
    entities: Annotated[str, typer.Option(help="Names it is about, with commas between.")] = "",
    source: Annotated[str, typer.Option(help="Where it comes from: session:entry.")] = "",
    key: Annotated[str, typer.Option(help="The same key twice is one memory.")] = "",
) -> None:
    """Remember one thing now; it is found at once and folded in tonight."""
    from memory_system import edit

    settings: Settings = context.obj
    names = [name.strip() for name in entities.replace("，", ",").split(",") if name.strip()]
    with settings.open() as ws:
        record = edit.capture(
            ws, text, kind=kind, importance=importance, confidence=confidence, entities=names, source=source, key=key
        )
    settings.answer({"status": "saved", "id": record.id, "content": record.content}, f"{record.id}  {record.content}")


@handled
def note(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What happened.")],
    category: Annotated[str, typer.Option(help="preference, fact, decision, todo, person, …")] = "general",
) -> None:
    """Append an entry to today's note."""
    from memory_system import edit

    settings: Settings = context.obj
    with settings.open() as ws:
        path = edit.note(ws, text, category)
    settings.answer({"status": "saved", "path": path, "category": category}, path)


@handled
def archive(context: typer.Context, memory_id: Annotated[str, typer.Argument(help="The memory's id.")]) -> None:
    """Put a memory away by hand; it can be restored."""
    from memory_system import edit

    settings: Settings = context.obj
    with settings.open(write=True) as ws:
        record = edit.archive(ws, memory_id)
    settings.answer({"status": "archived", "id": record.id, "content": record.content}, f"archived {record.id}")


@handled
def restore(context: typer.Context, memory_id: Annotated[str, typer.Argument(help="The memory's id.")]) -> None:
    """Bring an archived memory back."""
    from memory_system import edit

    settings: Settings = context.obj
    with settings.open(write=True) as ws:
        record = edit.restore(ws, memory_id)
    settings.answer({"status": "restored", "id": record.id, "content": record.content}, f"restored {record.id}")
