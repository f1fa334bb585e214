"""What consolidating now would change, and what asking would cost: the nights are run on a copy, and nothing of the
workspace is written."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock, pipeline
from memory_system.disk import FILE_MODE, FOLDER_MODE, is_held
from memory_system.errors import LockedError, RetirementError
from memory_system.layout import LAYER3, PEOPLES_FILES, SEARCH_INDEX, Layout
from memory_system.llm import WHERE, Answer, AskError, Prompt, Usage, cost_of
from memory_system.llm.ledger import BATCH_PRICE, Ledger, summed
from memory_system.store.months import ENDING
from memory_system.upkeep.explain import change_row
from memory_system.workspace import Workspace

_COUNTED = "only counted"
_ANSWERED = 0.35  # of the longest answer that a question allows is what one usually takes


def preview(
    ws: Workspace, *, force: bool = False, if_due: bool = False, allow_retire: bool = False, replay: str = ""
) -> dict[str, Any]:
    """The report that `consolidate` would give by rules (with `replay`: by the answers that run got), with `dry_run`
    and the `changes` that it would make. Nobody is asked anything. LockedError while somebody else writes."""
    before = ws.journal.head().seq  # opening the copy may take over what the owner has done to the files
    with _copied(ws, allow_losses=allow_retire) as copy:
        try:
            report = pipeline.consolidate(
                copy, force=force, if_due=if_due, allow_retire=allow_retire, mode="off", replay=replay
            )
        except RetirementError as error:  # what was staged goes with the copy
            error.hint = "see what it would do: memory consolidate --dry-run --allow-retire"
            raise
        groups = [group for group in copy.journal.entries() if group.entry.seq > before]
    changes = [change_row(group, change) for group in groups for change in group.changes]
    return {**report.to_row(), "dry_run": True, "changes": changes}


def estimate(ws: Workspace, *, force: bool = False, if_due: bool = False, mode: str | None = None) -> dict[str, Any]:
    """What asking a language model in the nights that are due would cost, counted on a copy: by question and in all,
    what the budget still allows, and why questions would not be asked (`problems`). It is a guess: what is asked later
    depends on what is answered first. `mode` is that of the run, unless given llm.mode."""
    mode = mode or ws.config.llm.mode
    with _copied(ws, allow_losses=True) as copy:
        booked = len(Ledger(copy.layout.ledger, copy.files, copy.config).rows)
        report = pipeline.consolidate(
            copy, force=force, if_due=if_due, allow_retire=True, llm=Estimator(copy.config.model), mode="on"
        )
        rows = Ledger(copy.layout.ledger, copy.files, copy.config).rows[booked:]
    if mode == "batch":
        rows = [{**row, "usd": row["usd"] and BATCH_PRICE * row["usd"]} for row in rows]
    names = dict.fromkeys(row["phase"] for row in rows)
    budget = ws.config.budget
    return {
        "nights": report.nights,
        "model": ws.config.model,
        "mode": mode,
        "questions": {name: summed(row for row in rows if row["phase"] == name) for name in names},
        **summed(rows),
        "problems": [each.what for each in report.problems if each.where == WHERE and _COUNTED not in each.what],
        "budget": {
            "tokens_per_night": budget.tokens_per_night,
            "usd_left_this_month": Ledger(ws.layout.ledger, ws.files, ws.config).dollars_left(clock.stamp(ws.now)),
        },
    }


class Estimator:
    """Takes the place of a model: counts each question with a usual answer, and answers none."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.spent = Usage()

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        answer = int(_ANSWERED * prompt.most)
        self.spent = self.spent.plus(Usage(calls=1, input=cost_of(prompt, schema), output=answer))
        raise AskError("estimate", _COUNTED)


@contextmanager
def _copied(ws: Workspace, *, allow_losses: bool) -> Iterator[Workspace]:
    """A copy of the workspace, open for writing; LockedError while somebody else writes."""
    if is_held(ws.layout.lock):
        raise LockedError(f"{ws.layout.root} is being written: a copy of it would not be whole")
    with tempfile.TemporaryDirectory(prefix="memory-dry-run-") as temporary:
        root, mark = Path(temporary), ws.journal.mark()
        _copy(ws.layout, root)
        _point_to_sources(ws, Layout(root).config)
        if is_held(ws.layout.lock) or ws.journal.mark() != mark:
            raise LockedError(f"somebody began to write to {ws.layout.root} while it was copied")
        with Workspace.open(root, now=ws.now, write=True, allow_losses=allow_losses) as copy:
            yield copy


def _copy(layout: Layout, root: Path) -> None:
    """What the nights read and write; transcripts, which they only read, are linked where the disk can, and so are past
    months of layer 3, in whose place others are put. The copy may be written to, even if the workspace may not."""
    shutil.copytree(layout.memory, root / layout.memory.name, ignore=_ignored, copy_function=_of_memory)
    if layout.sessions.is_dir():
        shutil.copytree(layout.sessions, root / layout.sessions.name, ignore=_ignored, copy_function=_linked)
    for folder, _, _ in os.walk(root):
        Path(folder).chmod(FOLDER_MODE)
    for name in PEOPLES_FILES:
        if (layout.root / name).is_file():
            shutil.copyfile(layout.root / name, root / name)


def _point_to_sources(ws: Workspace, config: Path) -> None:
    """Let the config of the copy name its sources from where the workspace is."""
    if ws.config.sources:
        row = ws.files.read_object(config)
        for each in row["sources"]:
            each["path"] = str(ws.layout.root / Path(each["path"]).expanduser())
        config.write_bytes(orjson.dumps(row))


def _ignored(folder: str, names: list[str]) -> list[str]:
    """The index, which is large and made anew, and whatever is neither file nor folder."""
    plain = (path for path in (Path(folder, name) for name in names) if not path.is_symlink())
    kept = {path.name for path in plain if path.is_file() or path.is_dir()}
    return [name for name in names if name not in kept or name.startswith(SEARCH_INDEX)]


def _of_memory(source: str, target: str) -> None:
    path = Path(source)
    if path.parent.name == LAYER3 and path.suffix == ENDING:
        _linked(source, target)
    else:
        shutil.copy2(source, target)
        Path(target).chmod(FILE_MODE)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without links
        shutil.copyfile(source, target)
