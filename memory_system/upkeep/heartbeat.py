"""The heartbeat: cheap checks without a model, for an agent that wakes every now and then. Each gives what its owner
should be asked or told, in the language of the workspace; nothing to say is `HEARTBEAT_OK`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from memory_system import clock, pipeline
from memory_system.nights import due
from memory_system.records import USER, Belief, Fact, Row
from memory_system.store.gist import gist_of
from memory_system.upkeep import stats
from memory_system.upkeep.distill import proposals
from memory_system.workspace import Workspace

OVERDUE = timedelta(hours=6)  # after a night's slot: its job comes an hour or so after it
STALE = timedelta(days=30)  # a belief that nothing has confirmed for so long
HIGH_IMPACT = 0.95  # importance of what does harm when it is wrong
VERIFY = timedelta(days=180)  # and after which it is asked for again
DATED = ("reminder", "todo")
MOST = 3  # items of one kind: an agent that asks ten things is not answered

TEXTS = {
    "en": {
        "overdue": ("the night of {night} has not run", "memory consolidate"),
        "past_due": ("past its time ({when}): {content}", "ask whether it is done; then: memory archive {id}"),
        "conflict": ("only one of them can be so: {contents}", "ask which; then say it: memory capture TEXT"),
        "problem": ("{where}: {what}", "{hint}"),
        "held_back": ("{count} held back, which may want to steer an agent", "show the owner: memory quarantine list"),
        "ask": ("not sure: {content} (confidence {confidence})", "ask; if it is not so: memory archive {id}"),
        "stale": ("nothing has confirmed it since {since}: {content}", "ask when it fits, or: memory archive {id}"),
        "verify": ("important, and last confirmed {since}: {content}", "ask whether it still holds"),
        "duplicates": ("they say the same: {contents}", "keep one: memory archive {id}"),
        "proposal": ("{file} does not say: {line}", "show the owner: memory distill"),
    },
    "zh": {
        "overdue": ("{night} 这一夜还没有整合", "memory consolidate"),
        "past_due": ("已经过了时间（{when}）：{content}", "问问是否办完；办完就运行：memory archive {id}"),
        "conflict": ("只能有一个是对的：{contents}", "问哪个对，再把对的记下来：memory capture 内容"),
        "problem": ("{where}：{what}", "{hint}"),
        "held_back": ("扣下了 {count} 条可能想摆布智能体的话", "请主人看看：memory quarantine list"),
        "ask": ("还不确定：{content}（可信度 {confidence}）", "问一句；不对就运行：memory archive {id}"),
        "stale": ("{since} 以来没有再得到证实：{content}", "合适时问一句，或运行：memory archive {id}"),
        "verify": ("很重要，上次确认是 {since}：{content}", "问问是否仍然如此"),
        "duplicates": ("说的是同一件事：{contents}", "留下一条：memory archive {id}"),
        "proposal": ("{file} 里还没有：{line}", "给主人看：memory distill"),
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to do: its kind (a key of TEXTS), what is the matter, what to do about it, the memories it is about."""

    kind: str
    what: str
    do: str
    ids: tuple[str, ...] = ()


def heartbeat(ws: Workspace) -> dict[str, Any]:
    """`status` (HEARTBEAT_OK or ATTENTION), `items`, and `more`: how many of each kind were left out."""
    found = list(_items(ws))
    shown = [each for kind in TEXTS["en"] for each in _of_kind(found, kind)[:MOST]]
    more = {kind: len(alike) - MOST for kind in TEXTS["en"] if len(alike := _of_kind(found, kind)) > MOST}
    return {
        "status": "ATTENTION" if shown else "HEARTBEAT_OK",
        "items": [{**asdict(each), "ids": list(each.ids)} for each in shown],
        "more": more,
    }


def _of_kind(items: Iterable[Item], kind: str) -> list[Item]:
    return [each for each in items if each.kind == kind]


def _items(ws: Workspace) -> Iterator[Item]:
    def item(kind: str, *ids: str, **words: object) -> Item:
        what, do = TEXTS[ws.language][kind]
        return Item(
            kind, what.format(id=ids[-1] if ids else "", **words), do.format(id=ids[-1] if ids else "", **words), ids
        )

    yield from _overdue(ws, item)
    for _, rows in stats.conflicts(ws):
        yield item("conflict", *(row["id"] for row in rows), contents=" / ".join(row["content"] for row in rows))
    if waiting := ws.quarantine.waiting():
        yield item("held_back", count=len(waiting))
    facts, beliefs = (
        [row for row in ws.store.rows("active", kind) if not row.get("outdated_by")] for kind in (Fact, Belief)
    )
    yield from _past_due(facts, ws, item)
    yield from _to_ask(beliefs, ws.now, item)
    yield from _to_verify(facts, ws.now, item)
    yield from _duplicates([*facts, *beliefs], item)
    for each in proposals(ws):
        yield item("proposal", each["id"], file=each["file"], line=each["line"])


Make = Callable[..., Item]


def _overdue(ws: Workspace, item: Make) -> Iterator[Item]:
    """A night that should have run, and what is wrong with what it would read."""
    waiting, problems = pipeline.waiting(ws)
    night = due.next_night(waiting, ws)
    if night is not None and ws.now - night > OVERDUE:
        yield item("overdue", night=clock.stamp(night))
    for problem in [*problems, *pipeline.embedding_problems(ws), *stats.interruptions(ws)]:
        yield item("problem", where=problem.where, what=problem.what, hint=problem.hint)


def _past_due(rows: Iterable[Row], ws: Workspace, item: Make) -> Iterator[Item]:
    """Reminders and todos whose event is over."""
    now = ws.now.astimezone(ws.config.zone).isoformat()[:16]
    for row in rows:
        when = row.get("event_time")
        if row.get("category") in DATED and when and when["end"] <= now:
            yield item("past_due", row["id"], when=when["start"].replace("T", " "), content=row["content"])


def _to_ask(beliefs: Iterable[Row], now: datetime, item: Make) -> Iterator[Item]:
    """Preferences that are only guessed, the surest first, and other beliefs that nothing has confirmed for long."""
    for row in sorted(beliefs, key=lambda row: (-row.get("confidence", 0), row["id"])):
        since = row.get("last_confirmed") or row.get("said_at") or row.get("created", "")
        if row.get("category") == "preference":
            yield item("ask", row["id"], content=row["content"], confidence=row.get("confidence", 0))
        elif _is_older(since, now, STALE):
            yield item("stale", row["id"], content=row["content"], since=since[:10])


def _to_verify(facts: Iterable[Row], now: datetime, item: Make) -> Iterator[Item]:
    """What would do harm if it were wrong, and was confirmed long ago; the oldest first. A name does not wear out."""
    for row in sorted(facts, key=lambda row: (row.get("last_confirmed") or row.get("said_at", ""), row["id"])):
        since = row.get("last_confirmed") or row.get("said_at") or ""
        lasting = row.get("category") == "identity"
        if row["importance"] >= HIGH_IMPACT and not lasting and _is_older(since, now, VERIFY):
            yield item("verify", row["id"], content=row["content"], since=since[:10])


def _duplicates(rows: Iterable[Row], item: Make) -> Iterator[Item]:
    """Memories that say the same of the same time with the same words, in whatever form."""
    alike: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        gist = gist_of(row["content"])
        when = row.get("event_time") or {}
        key = (row.get("subject", USER), row.get("polarity", True), when.get("start"), gist.words)
        alike.setdefault(key, []).append(row)
    for group in alike.values():
        if len(group) > 1:
            ids = sorted(row["id"] for row in group)
            yield item("duplicates", *ids, contents=" / ".join(row["content"] for row in group))


def _is_older(stamp: str, now: datetime, age: timedelta) -> bool:
    return bool(stamp) and now - clock.read_stamp(stamp) > age
