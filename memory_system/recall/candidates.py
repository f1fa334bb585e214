"""The units that may answer a question, and what is known of them when they are ranked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from memory_system.recall.index import Filters, Index
from memory_system.recall.numbers import SCOPE_BITS, SCOPES, scope_of, session_of
from memory_system.recall.question import Question
from memory_system.recall.units import Unit

NO_FILTERS = Filters()
OTHERWISE_SHARE = 0.5  # what a word counts that stands there in another form than asked


@dataclass(frozen=True, slots=True)
class Memory:
    """What ranking knows of a memory beside its text: the `refs` it stands on, which of the candidates they are
    (`places`), whom it is about and so who says it (`speaker`), how somebody near to another is `called`, how much it
    stands out (0 to 1), whether it `denies` what nobody has asked for, when what it says happens (stamps), by which
    memory it is outdated, and whether it leans on what stood around it or was said
    later."""

    refs: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    speaker: str = ""
    called: str = ""
    standing: float = 0.0
    denies: bool = False
    start: str = ""
    end: str = ""
    outdated_by: str = ""
    leans: bool = False

    @property
    def shown_beside(self) -> bool:
        """Whether something is shown beside it that its message does not tell: what it leans on, or that it is
        outdated."""
        return self.leans or bool(self.outdated_by)


@dataclass(slots=True)
class Candidates:
    """`total` is how many units are looked through; `weights` by term, in their order, then by kind; `masks` says which
    of these (as bits) a unit has, for every unit that has any; `units` are those looked at closely, `memories` what is
    known of the memories among them; `sessions` is the BM25 of whole sessions (`numbers.session_of`). `led` is true
    where the messages among the units are no results, but only lead to the memories that stand on them. `meant` is what
    a unit gets for meaning the same as the question; `stated` are the memories that state what it asks of the user.
    `doubts` are the terms, by their places, that none has as they are asked, and single characters looked up instead;
    and how doubtful what was found for them is (0 to 1)."""

    total: int
    weights: list[float] = field(default_factory=list)
    masks: dict[int, int] = field(default_factory=dict)
    units: dict[int, Unit] = field(default_factory=dict)
    memories: dict[int, Memory] = field(default_factory=dict)
    sessions: dict[int, float] = field(default_factory=dict)
    led: bool = False
    meant: dict[int, float] = field(default_factory=dict)
    stated: set[int] = field(default_factory=set)
    doubts: dict[int, float] = field(default_factory=dict)
    _masses: dict[int, float] = field(default_factory=dict)

    def mass(self, number: int) -> float:
        """The summed weight of the terms that the unit has."""
        return self.mass_of(self.masks.get(number, 0))

    def places(self, number: int) -> tuple[int, ...]:
        """The messages that the unit is, or stands on."""
        memory = self.memories.get(number)
        return memory.places if memory else (number,) if scope_of(number) == "session" else ()

    def said_in(self) -> set[int]:
        """The sessions of the messages that the units are, or stand on."""
        said = {session_of(number) for number in self.units if number >> SCOPE_BITS == SCOPES["session"]}
        return said.union(session_of(place) for memory in self.memories.values() for place in memory.places)

    def mass_of(self, mask: int) -> float:
        found = self._masses.get(mask)
        if found is None:
            found = self._masses[mask] = sum(each for bit, each in enumerate(self.weights) if mask >> bit & 1)
        return found


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for, and where: only in the scopes, only what the filters let through, and no passage of the notes
    in `gone`."""

    question: Question
    scopes: Collection[str]
    filters: Filters = NO_FILTERS
    gone: Collection[str] = ()

    @property
    def led(self) -> bool:
        """Whether messages only lead to memories: a memory is short, and what it is about may stand beside what it
        says."""
        return "memory" in self.scopes and "session" not in self.scopes

    @property
    def wide(self) -> Collection[str]:
        """The scopes that are looked through."""
        return {*self.scopes, "session"} if self.led else self.scopes

    def there(self, units: dict[int, Unit]) -> dict[int, Unit]:
        """Those that are not of a note whose indexed text no longer holds."""
        return {number: unit for number, unit in units.items() if unit.path not in self.gone} if self.gone else units

    def passing(self, index: Index, numbers: Collection[int]) -> Collection[int]:
        return numbers if self.filters == NO_FILTERS else index.passing(numbers, self.filters)
