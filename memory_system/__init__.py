"""A file-first long-term memory for AI agents, consolidated while the user sleeps, in English and Chinese.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_system.finder import context, get, search
    from memory_system.pipeline import consolidate
    from memory_system.upkeep.edit import capture
    from memory_system.workspace import Workspace

__version__ = "0.1.0"
__all__ = ["Workspace", "capture", "consolidate", "context", "get", "search"]

_HOMES = {
    "Workspace": "workspace",
    "capture": "upkeep.edit",
    "consolidate": "pipeline",
    "context": "finder",
    "get": "finder",
    "search": "finder",
}

if not TYPE_CHECKING:  # a type checker sees the imports above, and no `__getattr__` that would answer for a typo

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
