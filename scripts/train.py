"""Train the judge, and what hears which attributes a sentence tells of, which a question asks for, that something is
not to be kept, what stands alone, that a guest types, that the device changes hands, where play begins and
what is played, on the labelled talk in corpus/, or score them.

    scripts/train [--out DIR]
    scripts/train --curve
    scripts/train --score FILE.jsonl [--json]

Training writes judge, tells, asks, wishes, backs, alone, guests, turns, roles and played .<lang>.txt in
memory_system/understand: the same bytes from the same corpus with the same scikit-learn. --score says how what is
shipped does on any file of the corpus' form; corpus/*.blind.jsonl are for that alone and are never trained on. --curve
trains on a quarter, a half and all of the people.

Each label is a logistic regression over binary features (liblinear). Features are scaled before fitting by where they
stand and by how much they tell of the label (Wang & Manning 2012), which the weights then carry. The sums are put on
the scale of log-odds by a second regression on people whom the weights have not seen (Platt 1999).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

from talk import (  # noqa: E402 - after the path to it is known
    CORPUS,
    Message,
    is_made_up,
    labelled,
    messages,
    owners_moments,
    plainly_told,
)

from memory_system.recall.asked import as_asked  # noqa: E402 - likewise
from memory_system.text import simplified  # noqa: E402 - likewise
from memory_system.understand import (  # noqa: E402 - likewise
    alone,
    features,
    guests,
    judge,
    played,
    roles,
    visits,
    weights,
    withheld,
)  # fmt: skip

FOLDS = 5
STRENGTH = 0.5  # C of the regressions, by cross-validation over the people
FEWEST = 2  # sentences a feature must stand in
AROUND = {"p:": 0.7, "q:": 0.7, "n:": 0.4, "f:": 0.4}  # how much a word around counts beside one of the sentence
THINNED = 3  # of so many meant sentences one is heard beside the messages: they are many, and say the same again
MOST = 127 - weights.ZERO - ord("!")  # of a weight in the file
LEAST = 2  # of the weight of a word in a wish: less tells nothing
MOST_FEATURES = {judge.LABELS: 30_000, judge.ATTRIBUTES: 16_000}
NAMES = {  # attributes as the labels call them: as they are heard
    "nickname": "name", "from": "hometown", "nationality": "hometown", "moves_to": "lives_in", "job": "occupation",
    "studies": "major", "studies_at": "major", "sibling": "relative", "parent": "relative", "colleague": "friend",
    "boss": "friend", "medicine": "medication", "uses": "owns",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=PROJECT / "memory_system" / "understand")
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--score", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.score:
        from scoring import report, score

        found = score(options.score)
        print(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() if options.json else report(found))
    elif options.curve:
        curve()
    else:
        for lang in weights.LANGUAGES:
            train(lang, options.out)
            train_questions(lang, options.out)
            train_wishes(lang, options.out)
            train_alone(lang, options.out)
            train_guests(lang, options.out)
            train_turns(lang, options.out)
            train_roles(lang, options.out)
            train_played(lang, options.out)


def train(lang: str, out: Path) -> None:
    """Write the weights files of the judge and of what tells of attributes."""
    known = sentences_of(lang)
    told = [*known, *plainly_told(lang)]
    for name, labels, said in (("judge", judge.LABELS, known), ("tells", judge.ATTRIBUTES, told)):
        write(out / f"{name}.{lang}.txt", weights.written(labels, *learned(said, lang, labels)))


def sentences_of(lang: str) -> list[Message]:
    """The messages whose sentences the judge learns; what is played from end to end sounds like any other talk to who
    hears sentence by sentence: that is for `played`."""
    return [each for each in labelled(lang) if not is_made_up(each)]


def write(path: Path, written: str) -> None:
    path.write_text(written, "utf-8")
    print(f"{path}: {path.stat().st_size} bytes")


def train_questions(lang: str, out: Path) -> None:
    """Write the weights that hear which attributes of the user a question asks for."""
    import numpy as np

    asked = [orjson.loads(line) for line in (CORPUS / f"questions.{lang}.jsonl").read_bytes().splitlines()]
    truths = [np.array([attribute in each["asks"] for each in asked]) for attribute in judge.ATTRIBUTES]
    kept, starts = learned_of([as_asked(each["ask"]) for each in asked], truths, lang)
    write(out / f"asks.{lang}.txt", weights.written(judge.ATTRIBUTES, kept, starts))


def train_wishes(lang: str, out: Path) -> None:
    """Write the weights that hear a wish that something is not kept, and those for one about what was told before: of
    the labelled wishes and what only looks like them, and of all other talk, in which there is hardly one."""
    marked = [orjson.loads(line) for line in (CORPUS / f"wishes.{lang}.jsonl").read_bytes().splitlines()]
    talk = [label["s"] for each in messages(CORPUS / f"{lang}.jsonl") for label in each.labels]
    wishes, backs = ([each["s"] for each in marked if each.get(name)] for name in ("wish", "back"))
    others = [each["s"] for each in marked if not each["wish"]]
    others += [each for each in talk if not any(withheld.ruled(each))]
    parts = [part for each in others for part in withheld.stretches(each, lang)]  # as they are heard
    of_now = [each["s"] for each in marked if each["wish"] and each.get("back") is False]
    whole = [each.talk.text for each in messages(CORPUS / f"{lang}.jsonl") if len(each.labels) > 1]
    for name, labels, mine, rest in (
        ("wishes", withheld.WISH, wishes, parts), ("backs", withheld.BACK, backs, [*of_now, *others, *whole]),
    ):  # fmt: skip
        _write_heard(out / f"{name}.{lang}.txt", labels, mine, rest, lang)


def _write_heard(path: Path, labels: Sequence[str], mine: Sequence[str], rest: Sequence[str], lang: str) -> None:
    """Write the weights of the only label, which tell words that have it from the rest."""
    import numpy as np

    words = [*mine, *rest]
    kept, starts = learned_of(words, [np.arange(len(words)) < len(mine)], lang)
    kept = {name: weighed for name, weighed in kept.items() if abs(weighed[0]) >= LEAST}
    write(path, weights.written(labels, kept, starts))


def train_alone(lang: str, out: Path) -> None:
    """Write the weights that tell whether words can stand alone, and tell of what lasts."""
    import numpy as np

    known = [orjson.loads(line) for line in (CORPUS / f"alone.{lang}.jsonl").read_bytes().splitlines()]
    told = np.array([each["alone"] for each in known])
    truths = [told == "lasts", told != "leans"]
    kept, starts = learned_of([each["s"] for each in known], truths, lang, alone.seen)
    write(out / f"alone.{lang}.txt", weights.written(alone.LABELS, kept, starts))


def train_guests(lang: str, out: Path) -> None:
    """Write the weights that tell whether somebody else types: of labelled moments, and of the talk of owners."""
    import numpy as np

    moments = [orjson.loads(line) for line in (CORPUS / f"guests.{lang}.jsonl").read_bytes().splitlines()]
    moments += owners_moments(lang)
    truth = np.array([each["guest"] for each in moments])
    kept, starts = learned_of(moments, [truth], lang, guest_seen)
    write(out / f"guests.{lang}.txt", weights.written(guests.GUEST, kept, starts))


def train_turns(lang: str, out: Path) -> None:
    """Write the weights that tell when the device changes hands: of labelled moments, and of the talk of people whom
    hardly anybody interrupts."""
    import numpy as np

    moments = [orjson.loads(line) for line in (CORPUS / f"turns.{lang}.jsonl").read_bytes().splitlines()]
    alone = [each.talk for each in messages(CORPUS / f"{lang}.jsonl") if not each.talk.friends]
    said = [*((each["s"], each["before"]) for each in moments), *((each.text, each.before) for each in alone)]
    turns = np.array([*(each["turn"] for each in moments), *[""] * len(alone)])
    kept, starts = learned_of(said, [turns == each for each in visits.TURNS], lang, turn_seen)
    write(out / f"turns.{lang}.txt", weights.written(visits.TURNS, kept, starts))


def train_roles(lang: str, out: Path) -> None:
    """Write the weights that tell where play begins and ends: of labelled messages, of the talk of people who seldom
    play, and of what is meant in lives."""
    import numpy as np

    marked = [orjson.loads(line) for line in (CORPUS / f"roles.{lang}.jsonl").read_bytes().splitlines()]
    plain = [each.talk.text for each in messages(CORPUS / f"{lang}.jsonl") if not each.talk.friends]
    plain += [each.talk.text for each in messages(CORPUS / f"lives.{lang}.jsonl") if _is_meant(each.labels)]
    parts = np.array([*(each["role"] for each in marked), *[""] * len(plain)])
    said = [*(each["s"] for each in marked), *plain]
    kept, starts = learned_of(said, [parts == each for each in roles.PARTS], lang, roles.seen)
    write(out / f"roles.{lang}.txt", weights.written(roles.PARTS, kept, starts))


def train_played(lang: str, out: Path) -> None:
    """Write the weights that tell whether words are played: of labelled moments, of owners' messages that are not meant
    at all, and of what is worth keeping and meant, messages and some of their sentences."""
    import numpy as np

    moments = [orjson.loads(line) for line in (CORPUS / f"plays.{lang}.jsonl").read_bytes().splitlines()]
    talk = [each for each in labelled(lang) if not each.talk.friends]
    made_up = [each.talk.text for each in talk if is_made_up(each)]
    meant = [each.talk.text for each in talk if _is_meant(each.labels)]
    meant += [label["s"] for each in talk for label in each.labels if _is_meant([label])][::THINNED]
    words = [*(each["s"] for each in moments), *made_up, *meant]
    truth = np.array([*(each["plays"] for each in moments), *[True] * len(made_up), *[False] * len(meant)])
    kept, starts = learned_of(words, [truth], lang, played.seen)
    write(out / f"played.{lang}.txt", weights.written(played.PLAYED, kept, starts))


def _is_meant(labels: Sequence[dict[str, Any]]) -> bool:
    """Whether something of the sentences is worth keeping, and none is made up."""
    return any(each["keep"] != "none" for each in labels) and all(each["stance"] != "unreal" for each in labels)


def guest_seen(moment: dict[str, Any], lang: str) -> features.Seen:
    """What is seen of a moment."""
    names = guests.Names(frozenset(moment["own"]), frozenset(moment["near"]))
    return guests.seen(moment["s"], lang, names, opens=not moment["before"], answer=moment["after"])


def turn_seen(said: tuple[str, str], lang: str) -> features.Seen:
    """What is seen of a message, and of what was said before it."""
    return visits.seen(*said, lang)


def seen_in_words(words: str, lang: str) -> features.Seen:
    """What is seen of words by themselves alone."""
    return features.of_words(simplified(words), lang)


def learned_of(
    words: Sequence[Any], truths: Sequence[Any], lang: str, seen: Callable[[Any, str], features.Seen] = seen_in_words
) -> tuple[dict[str, list[int]], list[int]]:
    """The weights of every feature of words alone, one for each of the truths, and the sums without any feature."""
    import numpy as np

    rows = [features.names_of(seen(each, lang)) for each in words]
    names, everywhere = frequent(rows), np.ones(len(words))
    known = Rows(matrix_of(rows, names), names, np.arange(len(words)) % FOLDS, everywhere)
    fitted, starts = zip(*(_fitted(known, truth, everywhere > 0) for truth in truths), strict=True)
    whole = np.clip(np.rint(np.array(fitted) * weights.SCALE), -MOST, MOST).astype(int)
    kept = {name: whole[:, place].tolist() for place, name in enumerate(names) if whole[:, place].any()}
    return kept, [round(each * weights.SCALE) for each in starts]


def curve() -> None:
    """How the judge grows with people: its AUC and precision on the blind part, trained on a quarter, a half, all."""
    from scoring import keep_of

    for lang in weights.LANGUAGES:
        known = sentences_of(lang)
        people = sorted({each.person for each in known})
        for share in (8, 4, 2, 1):
            some = {*people[::share]}
            part = [each for each in known if each.person in some]
            written = weights.written(judge.LABELS, *learned(part, lang, judge.LABELS))
            trained = weights.read(written, judge.LABELS)
            found = keep_of(messages(CORPUS / f"{lang}.blind.jsonl"), trained, lang)
            print(lang, len(some), "people", sum(len(each.labels) for each in part), "sentences", found, flush=True)


def learned(known: Sequence[Message], lang: str, wanted: tuple[str, ...]) -> tuple[dict[str, list[int]], list[int]]:
    """The weights of every feature, a list in the order of the labels, and the sums without any feature."""
    import numpy as np

    rows, labels = Rows.of(known, lang), [label for each in known for label in each.labels]
    tables, starts = [], []
    for label in wanted:
        fitted, start = _fitted(rows, *truth_of(labels, label, told=wanted is judge.ATTRIBUTES))
        tables.append(fitted)
        starts.append(round(start * weights.SCALE))
    whole = np.clip(np.rint(np.array(tables) * weights.SCALE), -MOST, MOST).astype(int)
    ranked = np.argsort(-np.abs(whole).sum(axis=0), kind="stable")[: MOST_FEATURES[wanted]]
    kept = [place for place in sorted(ranked.tolist()) if whole[:, place].any()]
    return {rows.names[place]: whole[:, place].tolist() for place in kept}, starts


@dataclass(frozen=True, slots=True)
class Rows:
    """Sentences with their features, as a sparse matrix; the fold of each, and what it counts."""

    matrix: Any
    names: Sequence[str]
    folds: Any
    weights: Any

    @classmethod
    def of(cls, known: Sequence[Message], lang: str) -> Rows:
        import numpy as np

        rows = [features.names_of(seen) for each in known for seen in features.of_message(each.talk, lang)]
        names = frequent(rows)
        weights = np.array([each.weight for each in known for _ in each.labels])
        return cls(matrix_of(rows, names), names, folds_of(known), weights)


def folds_of(known: Iterable[Message]) -> Any:
    """The fold of every sentence: all of a person's in one."""
    import numpy as np

    people: dict[str, int] = {}
    return np.array([people.setdefault(each.person, len(people)) % FOLDS for each in known for _ in each.labels])


def frequent(rows: Iterable[set[str]]) -> list[str]:
    counted = Counter(each for row in rows for each in row)
    return sorted(name for name, count in counted.items() if count >= FEWEST)


def matrix_of(rows: Sequence[set[str]], names: Sequence[str]) -> Any:
    """The features of every sentence as a sparse matrix."""
    import numpy as np
    from scipy.sparse import csr_matrix

    places = {name: number for number, name in enumerate(names)}
    columns = [sorted(places[each] for each in row if each in places) for row in rows]
    ends = np.cumsum([0, *map(len, columns)])
    flat = np.array([each for row in columns for each in row])
    return csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(names)))


def truth_of(labels: Sequence[dict[str, Any]], label: str, *, told: bool = False) -> tuple[Any, Any]:
    """Which sentences have the label, or tell (`told`) of the attribute of that name, and among which it is learned:
    kinds and attributes among those that are kept."""
    import numpy as np

    kept = np.array([each["keep"] != "none" for each in labels])
    everywhere = np.ones(len(labels), dtype=bool)
    if told:
        return np.array([label in _told(each) for each in labels]), kept
    tests: dict[str, Callable[[dict[str, Any]], bool]] = {"keep": lambda each: each["keep"] != "none"}
    tests |= dict.fromkeys(judge.KINDS, lambda each: each["keep"] == label)
    tests |= dict.fromkeys(judge.STANCES, lambda each: each["stance"] == label)
    tests |= dict.fromkeys(judge.CHANGES, lambda each: each.get("change") == label)
    everyone = label in (*judge.STANCES, *judge.CHANGES, "keep")
    return np.array([tests[label](each) for each in labels]), everywhere if everyone else kept


def _told(label: dict[str, Any]) -> set[str]:
    """The attributes of the speaker's that a sentence tells of."""
    names = {attribute.partition(".")[0] for subject, attribute, *_ in label.get("claims", ()) if subject == "user"}
    return {"likes" if each == "favorite" else NAMES.get(each, each) for each in names}


def _fitted(rows: Rows, truth: Any, among: Any) -> tuple[Any, float]:
    """The weights of one label as log-odds, and the sum without any feature."""
    unseen = unseen_of(rows, truth, among)
    slope, shift = calibrated(unseen[among], truth[among])
    fitted, start = _regression(rows, truth, among)
    return fitted * slope, start * slope + shift


def unseen_of(rows: Rows, truth: Any, among: Any) -> Any:
    """The sum of one label for each sentence, by weights that have not seen its speaker."""
    import numpy as np

    unseen = np.zeros(len(truth))
    for fold in range(FOLDS):
        fitted, start = _regression(rows, truth, among & (rows.folds != fold))
        there = rows.folds == fold
        unseen[there] = rows.matrix[there] @ fitted + start
    return unseen


def _regression(rows: Rows, truth: Any, among: Any) -> tuple[Any, float]:
    import numpy as np
    from scipy.sparse import diags
    from sklearn.linear_model import LogisticRegression

    part, answers = rows.matrix[among], truth[among]
    if len(set(answers.tolist())) < 2:
        return np.zeros(len(rows.names)), -4.0
    scale = _scale(part, answers, rows.names)
    model = LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0)
    model.fit(part @ diags(scale), answers, sample_weight=rows.weights[among])
    return model.coef_[0] * scale, float(model.intercept_[0])


def _scale(part: Any, answers: Any, names: Sequence[str]) -> Any:
    """How much each feature may count: by where it stands, and by how unevenly the label has it."""
    import numpy as np

    def share(rows: Any, count: int) -> Any:
        return (np.asarray(rows.sum(axis=0)).ravel() + 1) / (count + 2)

    uneven = np.log(share(part[answers], answers.sum()) / share(part[~answers], (~answers).sum()))
    return np.array([AROUND.get(name[:2], 1.0) for name in names]) * (np.minimum(np.abs(uneven), 3.0) / 2 + 0.3)


def calibrated(sums: Any, truth: Any) -> tuple[float, float]:
    """What makes the sums log-odds."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e6, solver="lbfgs").fit(sums.reshape(-1, 1), truth)
    return float(model.coef_[0][0]), float(model.intercept_[0])


if __name__ == "__main__":
    main()
