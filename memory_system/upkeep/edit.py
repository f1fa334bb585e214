"""What comes in by hand: a workspace, a memory that is captured, a note, what was held back and is let in. None of it
waits for a running consolidation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from memory_system import clock, text
from memory_system.disk import Files
from memory_system.errors import QuarantinedError, UsageError
from memory_system.layout import Layout
from memory_system.privacy.secrets import is_only_secret, without_secrets
from memory_system.records import CAPTURED, POOLS, TYPES, USER_NAME, Evidence, Fact, from_line, memory_id
from memory_system.store.inbox import Who
from memory_system.workspace import Workspace, config_bytes, read_config

Role = Literal["user", "assistant"]  # whose words a capture is

DEFAULT_IMPORTANCE = 0.5
DEFAULT_CONFIDENCE = 0.6
LONGEST_CAPTURE = 20_000  # characters
MOST_WAITING = 500  # captures of an agent's that wait for a night


def init(root: Path, zone: str, lang: str = "en", **config: object) -> list[str]:
    """Make the folders, config.json (of that zone, and with what else is given) and a sample SOUL.md of a workspace,
    whatever of them is missing; their names. The sample is in the language of config.json, else in `lang`."""
    from memory_system.config import parse_config
    from memory_system.llm import phrases

    parse_config({"timezone": zone}, "--timezone")
    layout, files = Layout(root.absolute()), Files()
    made = [folder for folder in layout.folders() if not folder.is_dir()]
    for folder in layout.folders():
        files.make_folder(folder)
    if not layout.config.exists():
        files.replace(layout.config, config_bytes(timezone=zone, **config))
        made.append(layout.config)
    if not (soul := layout.root / "SOUL.md").exists():
        chosen = read_config(layout.config, files).language
        files.replace(soul, phrases(lang if chosen == "auto" else chosen)["soul"].encode())
        made.append(soul)
    return [layout.name(path) for path in made]


def capture(
    ws: Workspace,
    content: str,
    *,
    kind: str = "fact",
    importance: float = DEFAULT_IMPORTANCE,
    confidence: float | None = None,
    entities: Sequence[str] = (),
    source: str = "",
    key: str = "",
    category: str = "general",
    who: Who = "library",
    role: Role = "user",
) -> Fact:
    """Remember one thing by hand, durably, at once; secrets in it are masked first. The same `key` twice is one
    memory; with other words it is a UsageError, so that none are lost. `role` says whose words they are: the owner's,
    or those of an assistant, which count less."""
    ws.refuse_unsafe()
    content, source, key = (" ".join(without_secrets(each).split()) for each in (content, source, key))
    entities = [without_secrets(each) for each in entities]
    _check_capture(content, kind, importance, confidence)
    _hold_back(ws, content, key, role)
    if is_only_secret(content):
        what = f"this tells nothing but a secret, which is not kept: {content}"
        raise UsageError(what, "put it into a password manager, and capture where it is to be found")
    known = _captured_before(ws, TYPES[kind], key) if key else None
    if known is not None:
        _refuse_another_text(known, content, _capture_ref(ws, key))
        return known
    sure = DEFAULT_CONFIDENCE if confidence is None else confidence
    more = {"confidence": sure, "basis": "captured by hand"} if kind == "belief" else {}
    record = _captured(
        ws, content, TYPES[kind], key, role, importance=importance, category=category, entities=entities,
        source=source, **more,
    )  # fmt: skip
    if role == "assistant":
        _refuse_flood(ws)
    ws.inbox.add(record)
    ws.accesses.note("capture", [record.id], ws.now, who)
    return record


def _refuse_another_text(known: Fact, content: str, ref: str) -> None:
    """UsageError when the capture with that ref said something else: whatever nights have made of its words."""
    said = next((each.quote for each in known.evidence if each.ref == ref), known.content)
    if text.essence(said) != text.essence(content):
        raise UsageError(
            f"nothing was captured: the key {ref.removeprefix(f'{CAPTURED}:')!r} stands for {known.id}: {said}",
            f"change that one: memory edit {known.id} --content WORDS; or give this one a key of its own",
        )


def _refuse_flood(ws: Workspace) -> None:
    """UsageError when an agent has captured more than a night is to take from it."""
    waiting = sum(1 for each in ws.inbox.pending() if each.evidence and each.evidence[0].role == "assistant")
    if waiting >= MOST_WAITING:
        what = f"{waiting} captures of an agent wait for the next night already"
        raise UsageError(what, "run it: memory consolidate --force")


def _hold_back(ws: Workspace, content: str, key: str, role: Role) -> None:
    """Whoever captures may be told to by what it has read: QuarantinedError when the words want to steer an agent."""
    from memory_system.privacy import trust

    if not trust.suspects(content, owner=role in trust.OWNER) or trust.key_of(content) in ws.quarantine.approved():
        return
    from memory_system.turns import Message  # most captures need none

    guard = trust.Guard()
    message = Message(CAPTURED, key or ws.now.isoformat(), role, "", clock.stamp(ws.now), content)
    guard.held(message, guard.stretches(message), 0, len(content))
    held = ws.quarantine.add(guard.found)
    which = held[0].id if held else "already"
    raise QuarantinedError(
        f"this wants to steer an agent, and is held back ({which})",
        f"if you mean it: memory quarantine approve {which}" if held else "see: memory quarantine list",
    )


def _check_capture(content: str, kind: str, importance: float, confidence: float | None) -> None:
    if not content:
        raise UsageError("there is nothing to remember: the text is empty", 'memory capture "what to remember"')
    if len(content) > LONGEST_CAPTURE:
        what = f"a capture holds at most {LONGEST_CAPTURE} characters"
        raise UsageError(what, "write it as a note: memory note TEXT")
    if kind not in ("fact", "belief"):
        raise UsageError(f"--type is fact or belief, not {kind!r}; summaries are made by consolidation")
    if not 0 <= importance <= 1:
        raise UsageError(f"--importance is between 0 and 1, not {importance}")
    if confidence is not None and kind != "belief":
        raise UsageError("--confidence is for beliefs: add --type belief")
    if confidence is not None and not 0 < confidence < 1:
        raise UsageError(f"--confidence is between 0 and 1, not {confidence}")


def _captured(
    ws: Workspace, content: str, kind: type[Fact], key: str, role: Role = "user", *, source: str,
    importance: float = DEFAULT_IMPORTANCE, category: str = "general", entities: Sequence[str] = (), **more: Any,
) -> Fact:  # fmt: skip
    now, lang = clock.stamp(ws.now), text.language(content)
    ref = _capture_ref(ws, key)
    new_id = memory_id(kind, clock.local_date(ws.now, ws.zone), ref, "" if key else content)
    ref = ref if key else f"{ref}.{new_id[-6:]}"  # two of one moment say each where they come from
    # Nothing of it comes from outside, and to build what would validate it takes longer than all else of a capture.
    words = Evidence.model_construct(ref=ref, quote=content, said_at=now, role=role, trust=role)
    return kind.model_construct(
        id=new_id,
        content=content,
        importance=importance,
        score=importance,
        category=category,
        entities=tuple(dict.fromkeys(entities)) or (USER_NAME[lang],),
        created=now,
        source=source or ref,
        lang=lang,
        said_at=now,
        evidence=(words,),
        last_confirmed=now,
        scored_at=now,
        updated=now,
        method=CAPTURED,
        **more,
    )


def _capture_ref(ws: Workspace, key: str) -> str:
    """Where a capture says that it comes from: the key it was given, else the moment."""
    return f"{CAPTURED}:{key or ws.now.isoformat()}"


def is_captured(record: Fact) -> bool:
    """Whether the memory was made by hand, whatever words nights have added to it or put in their place."""
    first = next(iter(record.evidence), None)
    return first is not None and first.ref.startswith(f"{CAPTURED}:") and first.said_at == record.created


def _captured_before(ws: Workspace, kind: type[Fact], key: str) -> Fact | None:
    """The capture of the same key, on whatever day it was made."""
    from memory_system.store.truth import line_id  # most captures have no key

    ending = memory_id(kind, ws.now.date(), _capture_ref(ws, key), "").rpartition("_")[2]
    waiting = (each for each in ws.inbox.pending() if each.id.endswith(ending))
    lines = (line for pool in POOLS for _, line in ws.store.lines(pool, kind) if ending.encode() in line)
    stored = (from_line(line) for line in lines if line_id(line).endswith(ending))  # without parsing all the others
    return next(waiting, None) or next(stored, None)


def note(ws: Workspace, content: str, category: str = "general", who: Who = "library", role: Role = "user") -> str:
    """Append an entry to today's note, in the seed's form; the name of the file. `role` is who writes: what an
    assistant has written is signed, and does not count as the owner's word."""
    ws.refuse_unsafe()
    content = without_secrets(content.strip())
    if not content:
        raise UsageError("there is nothing to note: the text is empty", 'memory note "what happened"')
    _hold_back(ws, content, "", role)
    local = ws.now.astimezone(ws.zone)
    path = ws.layout.memory / f"{local:%Y-%m-%d}.md"
    begun = path.exists() and path.stat().st_size > 0
    header = "" if begun else f"# Memory Log: {local:%Y-%m-%d}\n"
    heading = " ".join(without_secrets(category).split()) or "general"
    entry = f"## [{local:%H:%M:%S}] {heading}\n\n{content}\n"
    if role == "assistant":
        from memory_system.privacy import trust

        entry = trust.signed(entry)
    ws.files.append(path, f"{header}\n{entry}".encode(), follow_renames=True)
    ws.accesses.note("note", [ws.layout.name(path)], ws.now, who)
    return ws.layout.name(path)


def approve(ws: Workspace, held_id: str, who: Who = "library") -> Fact:
    """Let in what was held back: a capture of the owner's, with the words and the place where they were said."""
    from memory_system.privacy.trust import APPROVED

    held = ws.quarantine.get(held_id)
    ref = held.ref if not held.ref.startswith(f"{CAPTURED}:") else _capture_ref(ws, held.id)
    record = _captured_before(ws, Fact, held.id)
    if record is None:
        evidence = Evidence(ref=ref, quote=held.quote, said_at=held.said_at, role=held.role, trust=held.role)
        plain = _captured(ws, held.quote, Fact, held.id, source=held.ref)
        record = plain.model_copy(update={"evidence": (evidence,), "said_at": held.said_at})
        ws.inbox.add(record)
    ws.quarantine.settle(held_id, APPROVED)  # last: a crash between the two leaves it waiting, not lost
    ws.accesses.note("approve", [held_id], ws.now, who)
    return record
