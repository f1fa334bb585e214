"""Lines of memories as the index keeps them: a quarter of their size, because all of them have the same keys."""

from __future__ import annotations

import zlib

from memory_system.store.database import StaleIndexError

WINDOW = -15  # as zlib has it: 32 KB, without head and end
_NEARBY = -13  # 8 KB, more than most lines have; what looks back no farther is set up four times as fast
# What most lines hold, in their order; the index is made anew where it changes.
USUAL = (
    b'"supersedes":"f_","superseded_by":"f_","history":[{"id":"f_","content":"","value":"","until":"T03:00:00Z"}],'
    b'"confidence":0.6,"basis":"","event_time":{"start":"","end":"","granularity":"day","words":""},"retired":"merged",'
    b'{"id":"f_2026","content":"User ","importance":0.5,"score":0.5,"entities":["User","\xe7\x94\xa8\xe6\x88\xb7"],'
    b'"created":"2026-01-01T03:00:00Z","source":"capture:","category":"general","subject":"user","attribute":"","value":"",'
    b'"polarity":true,"lang":"zh","lang":"en","said_at":"2026-01-01T10:00:00Z","evidence":[{"ref":"capture:","quote":"",'
    b'"said_at":"2026-01-01T10:00:00Z","role":"user","trust":"user"}],"last_confirmed":"2026-01-01T10:00:00Z",'
    b'"scored_at":"2026-01-01T03:00:00Z","expires":"2026-01-01T10:00:00Z","pinned":false,"sensitivity":"normal",'
    b'"version":1,"updated":"2026-01-01T03:00:00Z","method":"capture","method":"rule:general.zh","method":"rule:general.en"}\n'
)


def packed(line: bytes) -> bytes:
    packer = zlib.compressobj(wbits=_NEARBY, zdict=USUAL)
    return packer.compress(line) + packer.flush()


def unpacked(data: bytes) -> bytes:
    """The line again; StaleIndexError where the index is damaged."""
    try:
        return zlib.decompressobj(WINDOW, USUAL).decompress(data)
    except zlib.error as error:
        raise StaleIndexError(f"a line in the search index is damaged: {error}") from None
