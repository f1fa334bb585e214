"""Phase 4d: one profile per entity, derived from the active memories that name it: names, type, slot values with dates,
relations, first and last seen. Profiles are written after the index, which tells who is named where; they can be
deleted and made again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from memory_system.errors import DamagedError
from memory_system.phases.index import open_index
from memory_system.phases.matching import names_of
from memory_system.recall.search_index import Index
from memory_system.recall.units import own_name
from memory_system.recall.views import Naming
from memory_system.records import ASSISTANT, USER, Row
from memory_system.rules import table
from memory_system.store.journal import Change
from memory_system.workspace import Workspace

INDEX = "_index.json"


def names_in(lines: Iterable[bytes]) -> set[str]:
    """The entities whose profile the memories on these lines take part in, a place under each of its names."""
    return {each for line in lines for name in _names(orjson.loads(line)) for each in names_of(name)}


def _names(row: Row) -> set[str]:
    return {row.get("subject", USER), *(each for each in row.get("entities", ()) if each != own_name(row))}


def run(changes: Iterable[Change], ws: Workspace) -> Iterator[str]:
    """Write the profiles of all entities that the changes touch; yields their names."""
    lines = (line for change in changes for line in (change.before, change.after) if line)
    names = sorted(names_in(lines))
    try:
        with open_index(ws) as index:
            _write(names, index, ws)
    except DamagedError:  # the index of the profiles: it can be made anew like all of them
        rebuild(ws)
    yield from names


def rebuild(ws: Workspace) -> None:
    """Make all profiles anew."""
    for path in (*ws.layout.entities.glob("e_*.json"), ws.layout.entities / INDEX):
        ws.files.remove(path)
    with open_index(ws) as index:
        _write(sorted(all_names(ws)), index, ws)


def all_names(ws: Workspace) -> set[str]:
    """Every entity that an active memory names."""
    return names_in(line for pool, line in ws.store.all_lines() if pool == "active")


def files_of(names: Iterable[str], index: Index) -> dict[str, bytes]:
    """The profiles by the names of their files, and the list of them, when these are all the entities there are."""
    profiles = [profile for name in sorted(names) if (profile := profile_of(name, index))]
    files = {f"{each['id']}.json": _json(each) for each in profiles}
    return files | {INDEX: _json({each["name"]: _listed(each) for each in profiles})}


def _write(names: Iterable[str], index: Index, ws: Workspace) -> None:
    """Write the profiles of these entities, remove those of entities nobody names any more, and mend the list."""
    folder = ws.layout.entities
    ws.files.make_folder(folder)
    listed = ws.files.read_object(folder / INDEX)
    for name in names:
        path = folder / f"{entity_id_of(name)}.json"
        if profile := profile_of(name, index):
            ws.files.replace_if_changed(path, _json(profile), durable=False)
            listed[name] = _listed(profile)
        else:
            ws.files.remove(path)
            listed.pop(name, None)
    ws.files.replace_if_changed(folder / INDEX, _json(dict(sorted(listed.items()))), durable=False)


def _listed(profile: dict[str, Any]) -> dict[str, Any]:
    """What the index says of a profile."""
    return {"id": profile["id"], "type": profile["type"], "memories": len(profile["memories"])}


def entity_id_of(name: str) -> str:
    """`e_` and ten characters of a hash: safe as a file name in any script."""
    return f"e_{hashlib.blake2b(name.encode(), digest_size=5).hexdigest()}"


def profile_of(name: str, index: Index) -> dict[str, Any] | None:
    """What is known of one entity, by whichever of its names; None when no active memory has this one."""
    called = names_of(name)
    found = index.naming(called)
    if name not in found.names:
        return None
    others = {other: count for other, count in found.names.items() if other not in called}  # in the same memories
    return {
        "id": entity_id_of(name),
        "name": name,
        "aliases": _aliases(name, found),
        "type": _type_of(name, found.slots),
        "slots": _slots(row for row in found.slots if row.get("subject", USER) == name),
        "relations": dict(sorted(others.items(), key=lambda each: (-each[1], each[0]))),
        "memories": found.ids,
        "first_seen": found.first,
        "last_seen": found.last,
    }


def _aliases(name: str, found: Naming) -> list[str]:
    """Other names: those the entity was given, the short name of whom it is the full one, a place's in the other
    language where it is said, and for the user how the memories call them."""
    elsewhere = {each for each in names_of(name) if each in found.names}
    calling = [row for row in found.slots if row["attribute"] in ("name", "nickname")]
    given = {row["value"] for row in calling if row.get("subject", USER) == name}
    called = {row.get("subject", USER) for row in calling if row["value"] == name} - {USER, ASSISTANT}
    return sorted((given | called | elsewhere | (found.own if name == USER else set())) - {name})


def _type_of(name: str, rows: list[Row]) -> str:
    """user; else what the attributes say whose value or subject it is; else thing."""
    if name == USER:
        return "user"
    known, called = table("attributes", "attributes"), names_of(name)
    votes: Counter[str] = Counter()
    for row in rows:
        attribute = known.get(row["attribute"], {"subject_type": ""})
        if row.get("value") in called and "value_type" in attribute:
            votes[attribute["value_type"]] += 1
        if row.get("subject", USER) == name and (kind := attribute.get("subject_type", "person")):
            votes[kind] += 1
    return min(votes, key=lambda kind: (-votes[kind], kind)) if votes else "thing"


def _slots(rows: Iterable[Row]) -> dict[str, list[dict[str, str]]]:
    """attribute -> values, newest last, those of the past with their end."""
    slots: dict[str, list[dict[str, str]]] = {}
    for row in sorted(rows, key=lambda each: (each["attribute"], each.get("said_at", ""), each["id"])):
        values = slots.setdefault(row["attribute"], [])
        values += [{"value": past["value"], "until": past.get("until", "")} for past in row.get("history", ())]
        since = row.get("valid_from") or row.get("said_at", "")
        values.append({"value": row.get("value", ""), "since": since, "id": row["id"]})
    return slots


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"
