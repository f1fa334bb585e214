"""Transcripts become messages here: formats, the source filter, cursors."""

from __future__ import annotations

from memory_system.readers.cursors import Backlog, Batch, Cursor
from memory_system.readers.formats import READERS
from memory_system.readers.library import Library

__all__ = ["READERS", "Backlog", "Batch", "Cursor", "Library"]
