"""Phase 7: the snapshot, layer 1: what the agent reads every morning, within its token budget. It is a pure function of
the truth, the owner's identity files and the night's local date, and is written only when its bytes change; what stands
in it, what was left out, and what that would have cost, is told by `state/rankings.json`.

Where the configuration wants it, `layer1/facts.md` has every active fact and belief that still stands as a line of
Markdown, for a host whose own search reads Markdown and nothing else. It has no date in its name: such files do not
fade.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time
from itertools import chain
from typing import Any

import orjson

from memory_system import clock
from memory_system.errors import DamagedError
from memory_system.llm import phrases, soul_in
from memory_system.phases import sections, shortlist
from memory_system.phases.index import open_index
from memory_system.phases.portrait import SLOTS, portrait
from memory_system.phases.sections import Line, Page, choose, cost
from memory_system.phases.shortlist import Candidate
from memory_system.privacy import trust
from memory_system.privacy.masks import masked
from memory_system.privacy.secrets import redact
from memory_system.recall.search_index import Index
from memory_system.records import Belief, Fact, Row, told
from memory_system.text import estimate_tokens
from memory_system.understand.weights import LANGUAGES
from memory_system.workspace import Workspace

# Of the budget, at most; the core has the rest, and what these leave.
SHARES = {
    "identity": 0.1, "user": 0.4, "constraints": 0.2, "coming": 0.3, "recent": 0.15, "projects": 0.15,
}  # fmt: skip

_TRAIT = re.compile(r"^\s*-\s*\**([^*:：\n]{1,30}?)\**[:：]\**\s*(\S.*?)\s*$", re.MULTILINE)


def run(at: datetime, ws: Workspace) -> list[str]:
    """Write the snapshot of the night at that moment, and the page of facts; the names of the files that changed."""
    with open_index(ws) as index:
        page, omitted = chosen(index, clock.local_date(at, ws.config.zone), ws)
    rankings = orjson.dumps(_rankings(page, omitted), option=orjson.OPT_INDENT_2) + b"\n"
    ws.files.replace_if_changed(ws.layout.rankings, rankings, durable=False)
    ws.files.make_folder(ws.layout.snapshot.parent)
    changed = ws.files.replace_if_changed(ws.layout.snapshot, _written(page, ws).encode())
    return [*([ws.layout.snapshot.name] if changed else []), *write_facts(ws)]


def text_of(index: Index, at: datetime, ws: Workspace) -> str:
    """The snapshot of the night at that moment, as it must stand in its file."""
    return _written(chosen(index, clock.local_date(at, ws.config.zone), ws)[0], ws)


def without_identity(text: str) -> str:
    """The snapshot without its section on who the agent is, which people may change at any time."""
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        if line.startswith("## "):
            inside = line in {phrases(lang)["page"]["identity"] for lang in LANGUAGES}
        if not inside:
            kept.append(line)
    return "\n".join(kept)


def chosen(index: Index, day: date, ws: Workspace) -> tuple[Page, list[Candidate]]:
    """What stands in the snapshot of that local date, and what could have."""
    moment = datetime.combine(day, time(), ws.config.zone)
    found = shortlist.candidates(index, moment, ws.faded_at(moment), SLOTS)
    own = [each for each in found if not shortlist.is_promise(each.record)]
    lang = ws.config.language if ws.config.language != "auto" else main_language(own)
    page = Page(phrases(lang)["page"], _counts(index, moment, ws))
    page.left = ws.config.token_budget.layer1_total - estimate_tokens(page.head + "\n" + page.foot)
    _place_user(page, own, moment, ws)
    _place_sections(page, found, moment, ws)
    _fill(page, page.left_of(own), moment, ws)
    return page, page.left_of(own)


def _share(name: str, ws: Workspace) -> int:
    return int(ws.config.token_budget.layer1_total * SHARES[name])


def _place_user(page: Page, found: list[Candidate], moment: datetime, ws: Workspace) -> None:
    """Who the agent is, and the user, by slots and in their own words: where room is short, what is known of others
    gives way, and what matters less."""
    page.take("identity", identity_lines(ws, page.words), _share("identity", ws))
    who, health, near = portrait(found, page.words["lang"], moment)
    page.take("user", (*who, *health, *near), _share("user", ws))
    told = [*sections.about(page.left_of(found), moment)]
    page.take("user", told, _share("user", ws) - cost(page.lines["user"]))
    page.arrange("user", (*who, *near, *health, *sections.in_order(told)))


def _place_sections(page: Page, found: list[Candidate], moment: datetime, ws: Workspace) -> None:
    """How to answer, and what lies ahead, which the assistant may have promised."""
    page.take("constraints", sections.constraints(page.left_of(found), moment), _share("constraints", ws))
    near, later = sections.coming(page.left_of(found), moment)
    page.take("coming", near, _share("coming", ws))
    page.take("later", later, _share("coming", ws) - cost(page.lines["coming"]))


def _fill(page: Page, left: list[Candidate], moment: datetime, ws: Workspace) -> None:
    """Projects, the core and what was said lately, and then the best of what there is, until the room is used."""
    budget = ws.config.token_budget
    lately = list(sections.recent(left, moment))
    kept_free = min(_share("recent", ws), cost(lately))
    page.take("projects", sections.projects(left, moment), _share("projects", ws))
    rest = [each for each in page.left_of(left) if not shortlist.is_past(each.record, moment)]
    parts = shortlist.for_core(rest, ws.config.importance_rules.general_fact)
    lasting, remarks = (list(sections.core(each, moment)) for each in parts)
    page.take("top", choose(lasting, page.room("top") - kept_free, budget))
    page.take("recent", lately, _share("recent", ws))
    page.take("top", (*lasting, *remarks))
    page.left = budget.layer1_total - page.tokens  # lines together take less than each alone
    page.take("top", (*lasting, *remarks))
    page.arrange("top", sections.core(rest, moment))


def _written(page: Page, ws: Workspace) -> str:
    """The page as it stands in its file: the core numbered."""
    shown = (f"[{each.told[0].rank:.2f}] {trust.shown(each.text)}" for each in page.lines["top"])
    return masked(page.text(f"{number}. {line}" for number, line in enumerate(shown, 1)), ws.masked)


def shown_in(ws: Workspace) -> Callable[[Fact], bool]:
    """What tells whether a memory stands in the snapshot as it is now; of one that is gone nothing does."""
    row: Mapping[str, Any] = {}
    with suppress(DamagedError):  # it is made anew with the next night; until then nothing counts as shown
        row = ws.files.read_object(ws.layout.rankings) if ws.layout.snapshot.exists() else {}
    shown = {(each["id"], each.get("version")) for each in row.get("chosen", ())}
    return lambda record: (record.id, record.version) in shown


def main_language(found: Iterable[Candidate]) -> str:
    """The language of most memories; English when there are none."""
    votes = Counter(each.record.lang for each in found if each.record.lang in LANGUAGES)
    return min(votes, key=lambda lang: (-votes[lang], lang)) if votes else "en"


def identity_lines(ws: Workspace, words: Mapping[str, str]) -> Iterator[Line]:
    """Who the agent is: the traits in IDENTITY.md, else the first sentence of SOUL.md."""
    traits = _TRAIT.findall(ws.files.read(ws.layout.root / "IDENTITY.md").decode(errors="replace"))
    if not traits:
        soul = soul_in(ws.files.read(ws.layout.root / "SOUL.md").decode(errors="replace"), words["lang"])
        first = next((line.strip() for line in soul.split("\n") if line.strip() and not line.startswith("#")), "")
        traits = [(words["role"], first)] if first else []
    for name, value in traits[:3]:
        yield Line(redact(f"- {name}: {value[: shortlist.LONGEST]}")[0])


def _counts(index: Index, moment: datetime, ws: Workspace) -> dict[str, Any]:
    """The figures in the head and the foot, and when it was made: the night that the schedule has on that date."""
    counts = index.counts()
    active = sum(count for name, count in counts.items() if name.startswith("active "))
    archive = sum(count for name, count in counts.items() if name.startswith("archive "))
    made = ws.config.schedule.on(moment.date()) or moment  # a run by hand may fall on a date without one
    total = {"total": active + archive, "active": active, "archive": archive, "made": clock.stamp(made)}
    return total | {"entities": counts["entities"], "categories": counts["categories"]}


def _rankings(page: Page, omitted: Iterable[Candidate]) -> dict[str, Any]:
    """What stands in rankings.json: who is in the snapshot and where, and who is not, with what each costs; what was
    said later costs what its line does."""
    lines = [(name, line, each) for name, lines in page.lines.items() for line in lines for each in line.told]
    told = [(name, line, each, record) for name, line, each in lines for record in each.records]
    return {
        "chosen": [
            {**_ranked(record, each, line.tokens), "section": name, "version": record.version}
            for name, line, each, record in told
        ],
        "omitted": [
            _ranked(each.record, each, sections.numbered(shortlist.short(each.record), each).tokens) for each in omitted
        ],
    }


def _ranked(record: Fact, candidate: Candidate, tokens: int) -> dict[str, Any]:
    return {"id": record.id, "rank": round(candidate.rank, 4), "tokens": tokens, "topic": candidate.topic}


def write_facts(ws: Workspace) -> list[str]:
    """Write `facts.md` where it changes, or remove it where it is not wanted; the names of the files written."""
    path = ws.layout.facts_page
    if ws.config.facts_page:
        return [path.name] if ws.files.replace_if_changed(path, facts_text(ws).encode()) else []
    if path.exists():
        ws.files.remove(path)
    return []


def facts_text(ws: Workspace) -> str:
    """The page of facts: one line for each memory that is not outdated, what was said last at the end."""
    words = phrases(ws.language)["page"]
    rows = chain(ws.store.rows("active", Fact), ws.store.rows("active", Belief))
    standing = (row for row in rows if not row.get("outdated_by"))
    said = sorted(standing, key=lambda row: (row.get("said_at", ""), row["id"]))
    text = "\n".join([words["facts"], "", *(_fact_line(row, words["unsure"], ws) for row in said), ""])
    return masked(redact(text)[0], ws.masked)


def _fact_line(row: Row, unsure: str, ws: Workspace) -> str:
    day, words = clock.day_of(row.get("said_at", ""), ws.zone), trust.shown(" ".join(told(row).split()))
    return " ".join(filter(None, ("-", day, words, f"({unsure})" if "confidence" in row else "")))
