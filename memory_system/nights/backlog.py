"""What earlier versions left waiting in the checkpoint because a night's share was used up: their places are judged on
the first night of today's program. Nothing waits any more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from memory_system.phases import Night, segment
from memory_system.records import session_of
from memory_system.turns import Message, Turn

Reread = Callable[[str], Iterable[Message]]  # the messages of a session that earlier nights have read


def waiting(rows: Mapping[str, list[str]], night: Night, reread: Reread, tally: Counter[str]) -> Iterator[Turn]:
    """The turns of the places that wait (`session:entry@start-end …`), with the segments in them. Counts `segments`."""
    places: dict[str, dict[str, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for row in (each for stamp in sorted(rows) for each in rows[stamp]):
        ref, _, span = row.split(" ")[0].rpartition("@")
        start, _, end = span.partition("-")
        places[session_of(ref)][ref].append((int(start), int(end)))
    for session in sorted(places):
        for turn in segment.run(reread(session), night, Counter()):
            spans = places[session].get(turn.message.ref, ())
            inside = [each for each in turn.segments if any(one <= each.start < other for one, other in spans)]
            if inside:
                tally["segments"] += len(inside)
                yield replace(turn, segments=inside)
