"""Train the links between memories on the pairs of sentences in corpus/changes.*.jsonl, or measure them.

    scripts/links [--out FILE]
    scripts/links --score

Training writes memory_system/understand/links.txt: the same bytes from the same corpus with the same scikit-learn. The
people's talk is read by the phases of a night, as it would be; how surely a sentence changes something is told by a
judge that has not seen its speaker. One logistic regression for both languages weighs what `phases/linking` tells of
each pair; its thresholds are those at which, of the pairs of people whom it had not seen, `SURE`, `LIKELY` and `MAYBE`
are right, the last two of the one newer memory that would be shown beside each.
--score links the people of `MEASURING`, of whom nothing is learned.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import orjson

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

from talk import CORPUS, dialogues, labelled, learned_from  # noqa: E402 - after the path to it is known
from train import Rows, calibrated, matrix_of, truth_of, unseen_of  # noqa: E402 - likewise

from memory_system.config import Config  # noqa: E402 - likewise
from memory_system.phases import Night, beliefs, extract, facts, linking, revising, screen, segment  # noqa: E402 - likewise  # noqa: E402 - likewise
from memory_system.phases.revising import Meant  # noqa: E402 - likewise
from memory_system.records import Fact, successor_of  # noqa: E402 - likewise
from memory_system.store.draft import Draft  # noqa: E402 - likewise
from memory_system.turns import Claim, Message, Turn  # noqa: E402 - likewise
from memory_system.understand import judge, weights  # noqa: E402 - likewise
from memory_system.understand.weights import Links, written_links  # noqa: E402 - likewise
from memory_system.upkeep import edit  # noqa: E402 - likewise
from memory_system.workspace import Workspace  # noqa: E402 - likewise

OUT = PROJECT / "memory_system" / "understand" / "links.txt"
MEASURING = {
    "en-l.en3", "en-h.eh10", "en-i.ei14", "en-o.p2", "en-v.27", "en-v.28", "en-v.29",
    "zh-l.zh3", "zh-i.zi15", "zh-i.zi16", "zh-o.p2", "zh-v.27", "zh-v.28", "zh-v.29",
}  # fmt: skip
# Precision over the labelled pairs; a true pair that nobody marked counts as wrong.
SURE, LIKELY, MAYBE = 0.9, 0.7, 0.5
STRENGTH = 0.05  # C of the regression, by cross-validation over the people
FOLDS = 8
FEWEST = 4  # pairs that a feature must stand in
SCALE = 32
FEWEST_JUDGED = 16  # pairs of which a precision is told

Said = tuple[str, int, str]  # a sentence: its dialogue, the number of its message, its words
Sums = dict[Said, tuple[int, ...]]  # what a judge that has not seen the speaker makes of each sentence's changes


@dataclass(frozen=True, slots=True)
class Pair:
    """A newer claim and an older memory of one person: what tells of them, whether people linked them, and which
    message and memory they are. `by_words`: words alone may put an end to the memory."""

    person: str
    told: frozenset[str]
    linked: bool
    newer: str
    older: str
    by_words: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--score", action="store_true")
    options = parser.parse_args()
    if options.score:
        for lang in weights.LANGUAGES:
            print(lang, *(f"{name} {count}" for name, count in score(lang).items()))
        return
    pairs = [each for lang in weights.LANGUAGES for each in pairs_of(lang)]
    model = learned(pairs)
    options.out.write_text(written_links(model), "utf-8")
    print(
        f"{options.out}: {len(pairs)} pairs, {len(model.weights)} features, {sum(each.linked for each in pairs)} links"
    )


# ---- people's talk, as the nights read it ----


class Lives:
    """The people of a language whose pairs were marked, and what was marked."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        rows = [orjson.loads(line) for line in (CORPUS / f"changes.{lang}.jsonl").read_bytes().splitlines()]
        self.people = list(dict.fromkeys(row["person"] for row in rows))
        self.marked = {(_said(row["older"]), _said(row["newer"])) for row in rows}
        self.linked = _closed(self.marked)
        self.talk: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for each in _told(lang):
            self.talk[each["person"]].append(each)
        self.sentences = {
            f"{each['id']}:{number}": (said["text"], [label["s"] for label in said.get("labels", ())])
            for talk in self.talk.values()
            for each in talk
            for number, said in enumerate(each["messages"])
        }

    def days(self, person: str, sums: Sums) -> Iterator[tuple[Night, list[Claim]]]:
        """The person's claims, night by night."""
        by_day: dict[str, list[Message]] = defaultdict(list)
        for each in sorted(self.talk[person], key=lambda each: (each["date"], each["messages"][0]["time"])):
            by_day[each["date"]] += _messages(each)
        for day, said in by_day.items():
            night = Night(datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=1, hours=3), Config())
            tally: Counter[str] = Counter()
            turns = list(screen.run(segment.run(said, night, tally), night, tally))
            for turn in turns:
                self._judge(turn, sums)
            yield night, list(extract.run(turns, night, tally, {}))

    def _judge(self, turn: Turn, sums: Sums) -> None:
        """Mark the segments as a judge marks them that has not seen the speaker."""
        for each in turn.segments:
            said = self.said(turn.message.ref, turn.text_of(each))
            if found := [sums[one] for one in said if one in sums]:
                each.changes = tuple(map(max, zip(*found, strict=True)))
                surest = max(range(len(judge.CHANGES)), key=each.changes.__getitem__)
                each.change = judge.CHANGES[surest] if each.changes[surest] > judge.CHANGE_FROM else ""

    def said(self, ref: str, quote: str) -> set[Said]:
        """The labelled sentences that a quote of a message holds, or most of."""
        text, sentences = self.sentences[ref]
        first = text.find(quote)
        session, _, entry = ref.partition(":")
        found, at = set(), 0
        for each in sentences:
            start = text.index(each, at)
            at = start + len(each)
            if min(at, first + len(quote)) - max(start, first) > len(each) / 2:
                found.add((session, int(entry), each))
        return found

    def said_in(self, record: Fact) -> set[Said]:
        """The labelled sentences on which a memory stands."""
        return {said for each in record.evidence for said in self.said(each.ref, each.quote)}

    def are_linked(self, older: Iterable[Said], newer: Iterable[Said]) -> bool:
        newer = list(newer)
        return any((one, other) in self.linked for one in older for other in newer)


def _told(lang: str) -> Iterator[dict[str, Any]]:
    return (each for path in learned_from(lang) for each in dialogues(path))


def _said(row: Sequence[Any]) -> Said:
    return (row[0], row[1], row[2])


def _closed(pairs: set[tuple[Said, Said]]) -> set[tuple[Said, Said]]:
    """The pairs, and those that follow: what is changed twice is changed by the last."""
    while more := {(one, last) for one, other in pairs for first, last in pairs if other == first} - pairs:
        pairs = pairs | more
    return pairs


def _messages(dialogue: dict[str, Any]) -> Iterator[Message]:
    friends = dialogue["kind"] == "friends"
    for number, said in enumerate(dialogue["messages"]):
        role = "user" if friends or said["who"] == "user" else "assistant"
        at = f"{dialogue['date']}T{said['time']}:00Z"
        yield Message(dialogue["id"], str(number), role, said["who"] if friends else "", at, said["text"])


def unseen_sums(lang: str) -> Sums:
    """What judges make of the changes of each labelled sentence that have not seen its speaker."""
    import numpy as np

    known = labelled(lang)
    rows, labels = Rows.of(known, lang), [label for each in known for label in each.labels]
    found = []
    for change in judge.CHANGES:
        truth, among = truth_of(labels, change)
        unseen = unseen_of(rows, truth, among)
        slope, shift = calibrated(unseen, truth)
        found.append(np.rint((unseen * slope + shift) * weights.SCALE).astype(int).tolist())
    places = [
        (each["id"], number, label["s"])
        for each in _told(lang)
        for number, said in enumerate(each["messages"])
        for label in said.get("labels", ())
    ]
    return dict(zip(places, zip(*found, strict=True), strict=True))


# ---- pairs ----


def pairs_of(lang: str) -> Iterator[Pair]:
    """Each claim of the people from whom is learned, with every older memory that it might change."""
    lives, sums = Lives(lang), unseen_sums(lang)
    for person in (each for each in lives.people if each not in MEASURING):
        for draft, claim, night in _settled(lives, person, sums, linked=False):
            found = linking.candidates(claim, draft, night)
            newer = lives.said(claim.ref, claim.quote)
            for each in (one for one in found if revising.may_tell_otherwise(one.record, claim)):
                told = frozenset(linking.features_of(each, found, claim, night))
                linked = lives.are_linked(lives.said_in(each.record), newer)
                by_words = revising.is_for_words(each.record, claim)
                yield Pair(person, told, linked, claim.ref, each.record.id, by_words)


def _settled(lives: Lives, person: str, sums: Sums, *, linked: bool) -> Iterator[tuple[Draft, Claim, Night]]:
    """A person's life as the nights settle it, with links as they are shipped or with none: before each claim that may
    change something, the memories there are."""
    meant = revising.meant if linked else lambda *_: Meant()
    with tempfile.TemporaryDirectory() as folder:
        edit.init(Path(folder), "UTC")
        with Workspace.open(Path(folder)) as ws:
            draft = Draft(ws.store)
            for night, claims in lives.days(person, sums):
                for claim in (each for each in claims if each.confidence == 1):
                    if claim.stance in ("", "asserted") and not linking.has_taken_a_place(claim, draft):
                        yield draft, claim, night
                    with patch.object(revising, "meant", meant):  # not while others read
                        facts.settle(claim, draft, night)
                for claim in (each for each in claims if each.confidence < 1):
                    beliefs.consider(claim, draft, night)
            yield draft, claim, night


def learned(pairs: Sequence[Pair]) -> Links:
    """The weights of the features, and the thresholds that people set whom they had not seen."""
    import numpy as np

    counted = Counter(name for each in pairs for name in each.told)
    names = sorted(name for name, count in counted.items() if count >= FEWEST)
    people = sorted({each.person for each in pairs})
    folds = np.array([people.index(each.person) % FOLDS for each in pairs])
    matrix, truth = _matrix(pairs, names), np.array([each.linked for each in pairs])
    unseen = np.zeros(len(pairs))
    for fold in range(FOLDS):
        model = _regression(matrix[folds != fold], truth[folds != fold])
        unseen[folds == fold] = model.decision_function(matrix[folds == fold])
    sure = _threshold(unseen, truth, SURE, _alone(pairs, unseen))
    of_memories = _of_memories(pairs, unseen)
    likely = _threshold(unseen, truth, LIKELY, of_memories)
    maybe = _threshold(unseen, truth, MAYBE, of_memories)
    model = _regression(matrix, truth)
    weights = {name: round(weight * SCALE) for name, weight in zip(names, model.coef_[0].tolist(), strict=True)}
    whole = {name: weight for name, weight in weights.items() if weight}
    start, *thresholds = (round(float(each) * SCALE) for each in (model.intercept_[0], sure, likely, maybe))
    return Links(whole, start, *thresholds)


def _regression(matrix: Any, truth: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0).fit(matrix, truth)


def _matrix(pairs: Sequence[Pair], names: Sequence[str]) -> Any:
    return matrix_of([{*each.told} for each in pairs], names)


def _alone(pairs: Sequence[Pair], sums: Any) -> list[int]:
    """The pairs that words alone may link, the surest of each memory and message."""
    return _surest({number: (each.newer, each.older) for number, each in enumerate(pairs) if each.by_words}, sums)


def _of_memories(pairs: Sequence[Pair], sums: Any) -> list[int]:
    """The surest pair of each memory: beside it one newer is shown."""
    return _surest({number: (each.person, each.older) for number, each in enumerate(pairs)}, sums)


def _surest(places: Mapping[int, tuple[str, str]], sums: Any) -> list[int]:
    """Of the pairs of one place the one with the highest sum."""
    best: dict[tuple[str, str], int] = {}
    for number, place in places.items():
        if place not in best or sums[number] > sums[best[place]]:
            best[place] = number
    return sorted(best.values())


def _threshold(sums: Any, truth: Any, precision: float, among: Iterable[int]) -> float:
    """The least sum from which so many of the pairs are linked."""
    ranked = sorted(among, key=lambda each: -sums[each])
    right, least = 0, float(sums[ranked[0]])
    for count, number in enumerate(ranked, 1):
        right += bool(truth[number])
        if count >= FEWEST_JUDGED and right >= precision * count:
            least = float(sums[number])
    return least


# ---- measuring ----


def score(lang: str) -> dict[str, str]:
    """Of the people of whom nothing was learned: how many links of each kind were made and are right, and how many of
    the older sentences that people marked are behind or beside a newer one."""
    lives, sums = Lives(lang), unseen_sums(lang)
    made: Counter[str] = Counter()
    for person in (each for each in lives.people if each in MEASURING):
        *_, (draft, _, _) = _settled(lives, person, sums, linked=True)
        older = {one for one, _ in lives.marked if one[0] in {each["id"] for each in lives.talk[person]}}
        held: dict[str, set[Said]] = {"sure": set(), "likely": set()}
        records = [record for key in draft.changed if (record := draft.get(key))]
        made["kept"] += len(older & {said for each in records for said in lives.said_in(each)})
        for kind, each, newer in _links(records, draft):
            said = lives.said_in(each)
            right = lives.are_linked(said, lives.said_in(newer))
            made[kind] += 1
            made[f"{kind} right"] += right
            held[kind] |= said & older if right else set()
        made["found sure"] += len(held["sure"])
        made["found"] += len(held["sure"] | held["likely"])
    return {name: str(count) for name, count in sorted(made.items())}


def _links(records: Iterable[Fact], draft: Draft) -> Iterator[tuple[str, Fact, Fact]]:
    for each in records:
        for kind, named in (("sure", successor_of(vars(each))), ("likely", each.likely_outdated_by)):
            if named and each.retired in (None, "superseded") and (newer := draft.get(named)):
                yield kind, each, newer


if __name__ == "__main__":
    main()
