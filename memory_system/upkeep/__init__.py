"""What people do with a memory between the nights: change, explain, undo, check, mend, count and copy it. Each module
is loaded when it is first used, so that a command starts without the others."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_system.upkeep import backup, check, correct, distill, edit, explain, preview, repair, stats, undo

__all__ = ["backup", "check", "correct", "distill", "edit", "explain", "preview", "repair", "stats", "undo"]

if not TYPE_CHECKING:  # a type checker sees the imports above

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")
