"""Corrections by the owner, who holds the lock for them: what a memory says and what it is worth is set by hand, two
matters that a night took for one are told apart again, a memory is put away or brought back. Consolidation never undoes
any of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from memory_system import clock, dates, forgetting, text
from memory_system.errors import ChangedSinceError, NotFoundError, UsageError, plainly
from memory_system.nights.derive import catch_up, derive
from memory_system.privacy.secrets import redact
from memory_system.records import (
    QUOTE,
    RETURNED,
    STANDING,
    TELLING,
    Evidence,
    Fact,
    Pool,
    from_line,
    memory_id,
    to_line,
)
from memory_system.rules import table
from memory_system.store.inbox import Who
from memory_system.store.journal import Change, Entry
from memory_system.store.keys import value_key
from memory_system.store.truth import EDIT, as_owners, released
from memory_system.workspace import Workspace


def edit(
    ws: Workspace, memory_id_: str, values: Mapping[str, Any], *, if_version: int | None = None, who: Who = "library"
) -> Fact:
    """Set fields of a memory by hand; the memory as it is now. Where only the value of a slot is given, it takes the
    old one's place in the words, too, and in other memories that give the slot that value. ChangedSinceError when its
    version is another one than `if_version`."""
    record, pool = _found(ws, memory_id_, if_version)
    stamp = clock.stamp(ws.now)
    values = _completed(record, values)
    edited = _with(record, {**values, **_moved(record, values, ws)}, stamp)
    if edited is not record:
        twins = list(_twins(ws, record, edited, stamp)) if pool == "active" else []
        commit(ws, [change_of(ws, edited, "edited", pool or "active"), *twins], f"edit of {record.id}")
        ws.accesses.note("edit", [record.id], ws.now, who)
    return edited


def _moved(record: Fact, values: Mapping[str, Any], ws: Workspace) -> dict[str, Any]:
    """When what is told happens, where new words name another time than the old ones: a reminder runs out with it."""
    content, event = values.get("content"), record.event_time
    if content is None or event is None or "event_time" in values:
        return {}
    now = ws.now.astimezone(ws.zone)
    told = ((words, dates.find(words, now), text.language(words)) for words in (content, record.content))
    new, old = (dates.event_in(*each) for each in told)
    if new == old:
        return {}
    moved: dict[str, Any] = {"event_time": new}
    if new and record.expires and "expires" not in values:
        later = datetime.fromisoformat(new.end) - datetime.fromisoformat(event.end)
        moved["expires"] = clock.stamp(clock.read_stamp(record.expires) + later)
    return moved


def _twins(ws: Workspace, record: Fact, edited: Fact, stamp: str) -> Iterator[Change]:
    """What becomes of the other active memories that give the slot the value that is no more: the new one takes its
    place in their words, or the memory goes to the archive where it cannot."""
    if not (record.attribute and edited.value) or text.fold(record.value) == text.fold(edited.value):
        return
    for key in ws.store.find(value_key(record.subject, record.attribute, record.value)):
        other = ws.store.get(key) if key != record.id else None
        if other is None:
            continue
        if other.content.count(other.value) == 1:
            told = other.content.replace(other.value, edited.value)
            yield change_of(ws, _with(other, {"content": told, "value": edited.value}, stamp), "edited", "active")
        else:
            away = {
                "retired": "superseded", "superseded_by": record.id, "valid_to": stamp, "updated": stamp,
                "version": other.version + 1,
            }  # fmt: skip
            yield change_of(ws, other.model_copy(update=away), "superseded", "archive")


def _found(ws: Workspace, memory_id_: str, wanted: int | None) -> tuple[Fact, Pool | None]:
    """The memory and its pool, in the version that is wanted (None: whichever it is)."""
    catch_up(ws)
    record, pool = find(ws, memory_id_)
    if wanted is not None and record.version != wanted:
        raise ChangedSinceError(f"{record.id} is at version {record.version}, not {wanted}")
    return record, pool


def _completed(record: Fact, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, and what follows from them for words and slot; UsageError where that is not clear."""
    values = {name: redact(value)[0] if isinstance(value, str) else value for name, value in values.items()}
    if not values:
        raise UsageError("there is nothing to change", "say what: --content TEXT, --value TEXT, --importance NUMBER, …")
    content, value = values.get("content"), values.get("value")
    category = values.get("category")
    if category is not None and category not in table("attributes", "importance"):
        known = ", ".join(table("attributes", "importance"))
        raise UsageError(f"there is no category {category!r}", f"it is one of: {known}")
    if content == "":
        raise UsageError("a memory that says nothing is none", f"put it away with: memory archive {record.id}")
    if value is not None and not record.attribute:
        raise UsageError(f"{record.id} fills no slot, so it has no value", "say it anew with --content")
    if value is not None and content is None:
        if not record.value or record.content.count(record.value) != 1:
            raise UsageError(f"where {record.value!r} stands in its words is not clear", "give --content as well")
        values["content"] = _named_anew(record, value)
    if content is not None and value is None and record.value and record.value not in content:
        raise UsageError(f"its slot holds {record.value!r}, which the new words do not say", "give --value as well")
    return values


def _named_anew(record: Fact, value: str) -> str:
    """The memory's words with another value: "in a hut" becomes "in Galway", for a name has no article."""
    article = r"(?:\b(?:an?|the) )?" if record.lang == "en" and value[:1].isupper() else ""
    return re.sub(article + re.escape(record.value), lambda _: value, record.content, count=1, flags=re.IGNORECASE)


def _with(record: Fact, values: Mapping[str, Any], stamp: str) -> Fact:
    """The memory with these values as the owner's word; the record itself when they are what it holds."""
    names = [name for name, value in values.items() if getattr(record, name, None) != value]
    if not names:
        return record
    try:
        changed = type(record).model_validate({**record.model_dump(), **values})
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{first['loc'][0]}: {plainly(first['msg'])}") from None
    return as_owners(changed, names, stamp, since=record)


def split(ws: Workspace, memory_id_: str, *, if_version: int | None = None) -> tuple[Fact, Fact]:
    """Take the last merging of the memory back: it as it was before, and the words that had come to it as a memory of
    their own. NotFoundError when nothing was merged into it that is still there."""
    record, pool = _found(ws, memory_id_, if_version)
    merging = next(_mergings(ws, record), None)
    if pool is None or merging is None:
        raise NotFoundError(f"nothing was merged into {memory_id_}", f"see its story with: memory why {memory_id_}")
    before, after = merging
    stamp = clock.stamp(ws.now)
    came = _came(before, after)
    kept = _without(record, came, before, after, stamp)
    other = _merged_away(ws, record, came) or _of_its_own(ws, after, before, came)
    apart = as_owners(other.model_copy(update=RETURNED), ["content"], stamp, since=other)
    changes = [change_of(ws, kept, "split", pool), change_of(ws, apart, "split", "active")]
    commit(ws, changes, f"split of {record.id}")
    return kept, apart


def _mergings(ws: Workspace, record: Fact) -> Iterator[tuple[Fact, Fact]]:
    """The memory before and after each merging whose words are still with it, the latest first. What came together in
    the night that made the memory is told from its first words."""
    changes = [each for group in ws.journal.entries() for each in group.changes if each.id == record.id]
    for change in reversed(changes):
        if change.after:
            new = from_line(change.after)
            first = new.model_copy(update={"evidence": new.evidence[:1]})
            old = from_line(change.before) if change.before else first
            came = _came(old, new)
            if came and all(each in record.evidence for each in came):
                yield old, new


def _came(before: Fact, after: Fact) -> list[Evidence]:
    """The words that came to the memory from conversations and captures."""
    own = f"{EDIT}:"
    return [each for each in after.evidence if each not in before.evidence and not each.ref.startswith(own)]


def _without(record: Fact, came: list[Evidence], before: Fact, after: Fact, stamp: str) -> Fact:
    """The memory without the words that had come, as it was put before they came unless it was put anew since."""
    untouched = record.content == after.content
    back = {name: getattr(before, name) for name in (*TELLING, "importance")} if untouched else {}
    evidence = tuple(each for each in record.evidence if each not in came)
    kept = record.model_copy(update={**back, "evidence": evidence})
    return as_owners(kept, ["content"], stamp, since=record)


def _merged_away(ws: Workspace, record: Fact, came: list[Evidence]) -> Fact | None:
    """The memory that went to the archive when it was merged into this one, if it was one with an id of its own."""
    archived = (ws.store.get(each) for each in ws.store.ids() if ws.store.pool_of(each) == "archive")
    merged = (each for each in archived if each and each.retired == "merged" and each.superseded_by == record.id)
    return next((each for each in merged if set(each.evidence) & set(came)), None)


def _of_its_own(ws: Workspace, after: Fact, before: Fact, came: list[Evidence]) -> Fact:
    """A memory of words that were merged into another: as they were put if that was kept, else word by word."""
    words = came[0]
    told = {"content": words.quote, "form": QUOTE, "attribute": "", "value": ""}
    if after.content != before.content:
        told = {name: getattr(after, name) for name in told}
    day = clock.local_date(ws.now, ws.config.zone)
    changed = {
        **told,
        "id": memory_id(type(after), day, words.ref, told["content"]),
        "importance": before.importance,
        "score": before.importance,
        "source": words.ref,
        "said_at": words.said_at,
        "evidence": tuple(came),
        "history": (),
        "supersedes": None,
        "promoted_from": None,
        "edited": (),
        "version": 0,
    }
    stamps = dict.fromkeys(("created", "scored_at", "updated"), clock.stamp(ws.now))
    return after.model_copy(update={**changed, **stamps})


def archive(ws: Workspace, memory_id_: str, who: Who = "library") -> Fact:
    """Move a memory to the archive by hand; one that is there already stays as it is."""
    moved = _move(ws, memory_id_, "archive", "archived by hand", {"retired": "by hand"})
    ws.accesses.note("archive", [memory_id_], ws.now, who)
    return moved


def replaced_by(ws: Workspace, record: Fact) -> list[Fact]:
    """What lies in the archive because this memory took its place, the latest first."""
    found = (ws.store.get(each.id) for each in reversed(record.history) if each.id)
    return [each for each in found if each is not None and each.superseded_by == record.id]


def restore(ws: Workspace, memory_id_: str, who: Who = "library") -> Fact:
    """Bring an archived memory back, with a score of at least its importance."""
    back: dict[str, object] = {
        **RETURNED,
        **STANDING,
        "expires": None,
        "last_confirmed": clock.stamp(ws.now),
    }
    moved = _move(ws, memory_id_, "active", "restored by hand", back)
    ws.accesses.note("restore", [memory_id_], ws.now, who)
    return moved


def _move(ws: Workspace, memory_id_: str, pool: Pool, why: str, changed: dict[str, object]) -> Fact:
    forgetting.finish(ws)
    record, there = _found(ws, memory_id_, None)
    if there == pool:
        return record
    now = clock.stamp(ws.now)
    update = {**changed, "updated": now, "scored_at": now, "version": record.version + 1}
    if pool == "active":
        update["score"] = max(record.score, record.importance)
    moved = record.model_copy(update=update)
    change = change_of(ws, moved, why, pool)
    commit(ws, [change, *released([change], ws.store, now)], why)
    return moved


def change_of(ws: Workspace, record: Fact, why: str, pool: Pool) -> Change:
    """The change that makes the memory what the record says, in that pool."""
    return Change(record.id, why, ws.store.pool_of(record.id), ws.store.line_of(record.id), pool, to_line(record))


def commit(ws: Workspace, changes: list[Change], reason: str) -> None:
    """Commit changes by hand, and derive what follows from them."""
    ws.store.apply(Entry(clock.stamp(ws.now), reason, state={"next_change": None}), changes)
    ws.inbox.drop(change.id for change in changes)
    derive(changes, ws)


def find(ws: Workspace, memory_id_: str) -> tuple[Fact, Pool | None]:
    """The memory and its pool (None: it waits in the inbox); NotFoundError when there is none."""
    waiting = {each.id: each for each in ws.inbox.pending()}  # first: a night beside us moves it into the store
    record = ws.store.get(memory_id_)
    if record is not None:
        return record, ws.store.pool_of(memory_id_)
    if memory_id_ in waiting:
        return waiting[memory_id_], None
    raise NotFoundError(f"there is no memory {memory_id_}")
