"""Which neighbouring segments of a turn are told together as one passage, and which apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from memory_system.phases import Night
from memory_system.phases.segment import together
from memory_system.phases.understanding.known import Known
from memory_system.phases.understanding.leaning import leans
from memory_system.phases.understanding.mood import meant
from memory_system.phases.understanding.passage import Passage, Place, passages
from memory_system.phases.understanding.scene import Scene, in_its_language, scenes
from memory_system.turns import Segment, Turn

_BATCH = 128  # turns whose passages are looked at together
_BESIDE = re.compile(r"\.(?:signal|intrinsic)\.")  # rules that read nothing


def grouped(turns: Iterable[Turn], night: Night, known: Known) -> Iterator[tuple[Passage, int]]:
    """The passages, and of how many segments each is made. They are looked at some turns ahead, and again where a name
    was introduced in between."""
    scened = scenes(turns, night.zone, known)
    while batch := list(islice(scened, _BATCH)):
        names = len(known)
        groups = [(each, segments) for each in batch for segments in together(each[0], _stands_alone)]
        places = [_place(turn, scene, segments) for (turn, scene), segments in groups]
        for passage, place, (_, segments) in zip(passages(places, night.config), places, groups, strict=True):
            if len(known) > names and passage.is_outdated:
                [passage] = passages([place], night.config)
            if len(segments) > 1 and (passage.mood.drop or _is_passing(passage)):
                yield from _meant_apart(passage, segments, night)
            else:
                yield passage, len(segments)


def _is_passing(passage: Passage) -> bool:
    """Whether the passage makes a belief, or a memory that runs out or may be put off."""
    return passage.mood.confidence < 1 or passage.is_yet_to_begin or passage.expires(passage.category()) is not None


def _meant_apart(passage: Passage, segments: list[Segment], night: Night) -> Iterator[tuple[Passage, int]]:
    """What is meant of neighbours that were to be told together, by itself: from the first that is not meant, nothing
    is; and what is certain is told apart from a guess and from an appointment, which pass."""
    turn, scene = passage.turn, passage.scene
    alone = passages([_place(turn, scene, [each]) for each in segments], night.config)
    if passage.mood.drop:
        first = next((number for number, each in enumerate(alone) if each.mood.drop), 0)
        groups = [group for group in (alone[:first], alone[first:]) if group]
    else:
        groups = _alike(alone)
    left = iter(segments)
    places = [_place(turn, scene, list(islice(left, len(group)))) for group in groups]
    yield from zip(passages(places, night.config), map(len, groups), strict=True)


def _alike(alone: list[Passage]) -> list[list[Passage]]:
    """Groups of neighbours that all pass or all last; what leans on the one before stays with it."""
    groups, passing = [alone[:1]], _is_passing(alone[0])
    for each in alone[1:]:
        if _is_passing(each) == passing or leans(each.quote, each.scene.lang):
            groups[-1].append(each)
        else:
            groups.append([each])
            passing = not passing
    return groups


def _place(turn: Turn, scene: Scene, segments: list[Segment]) -> Place:
    """The segments as one, where they stand."""
    segment = meant(turn, _as_one(segments))
    return turn, segment, in_its_language(scene, turn.text_of(segment))


def _stands_alone(segment: Segment) -> bool:
    """Whether a claim rule reads the segment, or it was said before: what fills a slot or repeats is told by itself."""
    return any(not _BESIDE.search(each) for each in segment.rules)


def _as_one(segments: list[Segment]) -> Segment:
    """Neighbours as one segment: one memory says what they say, and names its speaker once."""
    first = segments[0]
    if len(segments) == 1:
        return first
    fired = tuple(dict.fromkeys(each for segment in segments for each in segment.rules))
    return Segment(first.start, segments[-1].end, first.kind, max(each.importance for each in segments), fired)
