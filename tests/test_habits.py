"""What somebody asks about on several days, and what is no habit."""

from __future__ import annotations

from pathlib import Path

from workspaces import consolidate, make, memories, say

NOW = "2026-04-20T12:00:00Z"


def interests(root: Path) -> set[str]:
    return {each.value for each in memories(root) if each.attribute == "interest"}


def asked(root: Path, *said: tuple[str, str]) -> None:
    for number, (when, words) in enumerate(said):
        say(root, f"s{number}", (when, "user", words))
    consolidate(root, NOW)


def test_who_is_asked_is_not_what_is_asked_about(tmp_path: Path) -> None:
    make(tmp_path)
    asked(
        tmp_path,
        ("2026-04-05T09:00:00Z", "Could you help me repair my old bicycle in Oslo before the summer?"),
        ("2026-04-07T09:00:00Z", "Could you help me bake my rye bread with sesame seeds?"),
        ("2026-04-09T09:00:00Z", "Can you check my insurance letter from last week for errors?"),
        ("2026-04-11T09:00:00Z", "Can you plan my trip to Porto in the summer next year?"),
    )
    assert sum("asks the assistant" in each.content for each in memories(tmp_path)) >= 3
    assert interests(tmp_path) == set()


QUESTIONS = (
    "How do I freeze the first layers in PyTorch for my thesis model?",
    "Why does PyTorch run out of memory on my old laptop every night?",
    "How can I save the weights of my model in PyTorch every hour?",
)


def test_days_are_those_where_the_owner_lives(tmp_path: Path) -> None:
    """In Shanghai the first two are one morning; at Greenwich all are days of their own."""
    times = ("2026-04-05T23:30:00Z", "2026-04-06T00:30:00Z", "2026-04-07T02:00:00Z")
    for zone, found in (("Asia/Shanghai", set()), ("UTC", {"PyTorch"})):
        root = make(tmp_path / zone.replace("/", "-"), zone=zone)
        asked(root, *zip(times, QUESTIONS, strict=True))
        assert {each.quote for memory in memories(root) for each in memory.evidence} == set(QUESTIONS)
        assert interests(root) == found
