"""How good the judge is, and what the whole program claims, on a file of labelled talk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import claiming
from talk import Message, messages

from memory_system import text
from memory_system.understand import judge
from memory_system.understand.features import of_message
from memory_system.understand.judge import CHANGES, KINDS, STANCES, Verdict, judge_of, verdict_of
from memory_system.understand.weights import Weights

RECALL = 0.85  # at which the precision of what is kept is reported

Judged = tuple[dict[str, Any], Verdict]


def score(path: Path) -> dict[str, Any]:
    """The scores of what is shipped on a file of the corpus' form."""
    known = list(messages(path))
    lang = text.language("\n".join(each.talk.text for each in known))
    rows = judged(known, judge_of(lang), lang)
    return {
        "sentences": len(rows),
        "keep": _keep(rows),
        "kinds": {kind: _counts(rows, lambda label: label["keep"], lambda found: found.keep, kind) for kind in KINDS},
        "stance": {
            each: _counts(rows, lambda label: label["stance"], lambda found: found.stance, each) for each in STANCES
        },
        "earnest": _earnest(rows),
        "change": {each: _change(rows, each) for each in CHANGES},
        "claims": claiming.score(path),
    }


def keep_of(known: Iterable[Message], by: Weights, lang: str) -> dict[str, float]:
    """How well a judge tells what is worth keeping."""
    return _keep(judged(known, by, lang))


def judged(known: Iterable[Message], by: Weights, lang: str) -> list[Judged]:
    """Every labelled sentence with the judge's verdict."""
    seen = (pair for each in known for pair in zip(each.labels, of_message(each.talk, lang), strict=True))
    return [(labels, verdict_of(by.sums(features))) for labels, features in seen]


def _keep(rows: Sequence[Judged]) -> dict[str, float]:
    truth = [label["keep"] != "none" for label, _ in rows]
    sums = [found.worth for _, found in rows]
    kept = [found.keep != "none" for _, found in rows]
    return {
        "auc": auc(truth, sums),
        **_precision(truth, kept),
        "precision_at_recall_85": precision_at(truth, sums, RECALL),
    }


def _earnest(rows: Sequence[Judged]) -> dict[str, float]:
    """How well, among what is kept, the owner's earnest words are told from others', made-up ones and questions."""
    among = [(label, found) for label, found in rows if label["keep"] != "none" and label["stance"] != "hedged"]
    truth = [label["stance"] == "asserted" for label, _ in among]
    return {"auc": auc(truth, [found.earnest for _, found in among])}


def _counts(rows: Sequence[Judged], truly: Any, found: Any, name: str) -> dict[str, float]:
    return _precision([truly(label) == name for label, _ in rows], [found(each) == name for _, each in rows])


def _change(rows: Sequence[Judged], name: str) -> dict[str, float]:
    truth = [label.get("change") == name for label, _ in rows]
    place = judge.LABELS.index(name)
    assert place > 0
    return _precision(truth, [found.change == name for _, found in rows])


def _precision(truth: Sequence[bool], given: Sequence[bool]) -> dict[str, float]:
    right = sum(one and other for one, other in zip(truth, given, strict=True))
    return {
        "precision": round(right / sum(given), 4) if any(given) else 0.0,
        "recall": round(right / sum(truth), 4) if any(truth) else 0.0,
    }


def auc(truth: Sequence[bool], sums: Sequence[int]) -> float:
    """The chance that a true one has a larger sum than a false one; half of equals."""
    ranked = sorted(zip(sums, truth, strict=True))
    wins, falses, at = 0.0, 0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        true = sum(each[1] for each in ranked[at:end])
        wins += true * (falses + (end - at - true) / 2)
        falses += end - at - true
        at = end
    trues = len(ranked) - falses
    return round(wins / (trues * falses), 4) if trues and falses else 0.0


def precision_at(truth: Sequence[bool], sums: Sequence[int], recall: float) -> float:
    """The best precision at which at least that share of the true ones is found."""
    best, right, wanted = 0.0, 0, recall * sum(truth)
    for count, (_, true) in enumerate(sorted(zip(sums, truth, strict=True), key=lambda each: -each[0]), 1):
        right += true
        if right >= wanted:
            best = max(best, right / count)
    return round(best, 4)


def report(found: dict[str, Any]) -> str:
    """The scores as lines."""
    lines = [f"{found['sentences']} sentences"]
    lines += [
        f"{name}: " + ", ".join(f"{key} {value}" for key, value in found[name].items()) for name in ("keep", "earnest")
    ]
    for name in ("kinds", "stance", "change"):
        lines += [
            f"{name} {key}: precision {each['precision']}, recall {each['recall']}" for key, each in found[name].items()
        ]
    claims = found["claims"]
    lines.append(
        f"claims: precision {claims['precision']} {claiming.interval(claims['precision'], claims['given'])} of "
        f"{claims['given']}, recall {claims['recall']} of {claims['expected']}"
    )
    lines += [
        f"claims {key}: precision {each['precision']}, recall {each['recall']}"
        for key, each in claims["attributes"].items()
    ]
    return "\n".join(lines)
