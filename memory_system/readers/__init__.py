"""Transcripts become messages here: formats, the source filter, cursors."""

from __future__ import annotations

from memory_system.readers.library import Library
from memory_system.readers.reading import Backlog, Batch, Cursor
from memory_system.readers.transcript import READERS

__all__ = ["READERS", "Backlog", "Batch", "Cursor", "Library"]
