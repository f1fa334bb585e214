"""Zstandard, with which OpenClaw packs long events: from the standard library where it has it (Python 3.14), else from
the package `zstandard` of the extra `[zstd]`."""

from __future__ import annotations

from importlib import import_module

from memory_system.readers.entries import UnreadableError


def unpack(data: bytes, most: int) -> bytes:
    """The unpacked bytes, at most so many; ValueError when they are damaged or more, UnreadableError when nothing here
    can unpack."""
    try:
        zstandard = import_module("zstandard")
    except ImportError:
        return _by_itself(data, most)
    try:
        if zstandard.frame_content_size(data) > most:  # the library would make room for whatever the frame says
            raise ValueError(f"it is longer than {most >> 20} MB")
        plain: bytes = zstandard.ZstdDecompressor().decompress(data, max_output_size=most)
    except zstandard.ZstdError as error:
        raise ValueError(f"its packed form is damaged: {error}") from None
    return plain


def _by_itself(data: bytes, most: int) -> bytes:
    """With what Python brings along."""
    try:
        zstd = import_module("compression.zstd")
    except ImportError:
        hint = "install what unpacks it: pip install 'memory-system[zstd]'"
        raise UnreadableError("it holds events packed with zstd, and nothing here unpacks them", hint) from None
    try:
        plain: bytes = zstd.ZstdDecompressor().decompress(data, most + 1)
    except zstd.ZstdError as error:
        raise ValueError(f"its packed form is damaged: {error}") from None
    if len(plain) > most:
        raise ValueError(f"it is longer than {most >> 20} MB")
    return plain
