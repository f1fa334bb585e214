"""What a memory stands on: how it is made of a claim, what more words add to it, how much words count beside others,
and how a memory leaves."""

from __future__ import annotations

from typing import Any

from memory_system import clock
from memory_system.attributes import lasts
from memory_system.phases import Night
from memory_system.privacy.trust import echoes, tier_of, tier_of_evidence
from memory_system.records import TELLING, Evidence, Fact, session_of
from memory_system.store import retention
from memory_system.store.draft import Draft
from memory_system.store.gist import gist_of
from memory_system.turns import Claim

RULE = "rule:"  # how the method of a memory begins that a rule made
REPEATED = 0.2  # importance gained when a second session says the same
MOST_EVIDENCE = 40  # pieces a memory keeps: the first half of them, and the newest
LESS_TRUSTED = "claims.rejected.less trusted"  # than what says the same already
ECHO = "claims.rejected.echo"  # of what a memory says already


def new_fact(new_id: str, claim: Claim, night: Night) -> Fact:
    return Fact(id=new_id, valid_from=_valid_from(claim, night), **common_fields(claim, night))


def _valid_from(claim: Claim, night: Night) -> str | None:
    """Since when a state is so, as exactly as it was said: 2026-02 where somebody moved in February."""
    when = claim.event_time
    if when is None or not claim.polarity or not lasts(claim.attribute):
        return None
    return when.as_said if when.start <= night.local(claim.said_at).isoformat() else None


def valid_to(older: Fact, newer: Fact) -> str:
    """Until when the older value was so: until the newer began to be, where that was said and is not before the older
    one was, else until the newer was said."""
    began = newer.valid_from or ""
    return began if began and began >= older.said_at[: len(began)] else newer.said_at


def common_fields(claim: Claim, night: Night) -> dict[str, Any]:
    """What a fact and a belief take over from their claim."""
    taken = {name: getattr(claim, name) for name in (*TELLING, "importance", "subject", "polarity", "said_at")}
    return taken | {
        "score": claim.importance, "source": claim.ref, "last_confirmed": claim.said_at,
        "evidence": (evidence_of(claim), *claim.also), "stance": "" if claim.stance == "asserted" else claim.stance,
        "created": night.stamp, "updated": night.stamp, "scored_at": night.stamp,
    }  # fmt: skip


def evidence_of(claim: Claim) -> Evidence:
    return Evidence(
        ref=claim.ref, quote=claim.quote, said_at=claim.said_at, role=claim.role, trust=claim.trust or claim.role,
        chat=claim.chat,
    )  # fmt: skip


def sessions_of(record: Fact) -> set[str]:
    """The sessions whose words the memory stands on."""
    return {session_of(each.ref) for each in record.evidence}


def fuller(fact: Fact, claim: Claim) -> Fact:
    """The fact in the words of the claim where those say more."""
    says_no_more = claim.lang != fact.lang or len(gist_of(claim.content).words) <= len(gist_of(fact.content).words)
    if fact.is_owners or says_no_more or (fact.attribute and not claim.attribute):
        return fact
    return fact.model_copy(update={name: getattr(claim, name) for name in TELLING})


def with_evidence(record: Fact, claim: Claim, night: Night) -> Fact:
    """The memory with the claim's words added; a new session lifts it, the same one only adds the words."""
    changed: dict[str, object] = {
        "evidence": fewer((*record.evidence, evidence_of(claim), *claim.also)),
        "last_confirmed": max(record.last_confirmed or "", claim.said_at),
        "updated": night.stamp,
        "version": record.version + 1,
    }
    sessions = sessions_of(record)
    if session_of(claim.ref) not in sessions:
        gained = REPEATED if len(sessions) == 1 else 0.0
        changed["importance"] = round(min(1.0, record.importance + gained), 2)
        changed |= rescored(record, night)
    if record.attribute and record.attribute == claim.attribute and not record.form and record.method.startswith(RULE):
        changed |= {"form": claim.form, "method": claim.method}  # what an earlier version told, today's rules tell
    return record.model_copy(update=changed)


def rescored(record: Fact, night: Night) -> dict[str, object]:
    """Score and `scored_at` after a confirmation. While the clock is in doubt the score does not fade first."""
    since = clock.read_stamp(record.scored_at) if night.held and record.scored_at else night.at
    return {"score": retention.lifted(record, since, night.config), "scored_at": night.stamp}


def fewer(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The evidence without its middle, where there is very much: what is said daily must not grow for ever."""
    if len(evidence) <= MOST_EVIDENCE:
        return evidence
    return (*evidence[: MOST_EVIDENCE // 2], *evidence[-MOST_EVIDENCE // 2 :])


def retire(record: Fact, reason: str, draft: Draft, night: Night, **changed: object) -> None:
    """Move an active memory to the archive, saying why."""
    changes = {"retired": reason, "updated": night.stamp, "version": record.version + 1, **changed}
    draft.put("archive", record.model_copy(update=changes), reason)


def take_place(lesser: Fact, newer: Fact, draft: Draft, night: Night) -> str:
    """The newer memory stands for what was only somebody else's word."""
    draft.put("active", newer, "new")
    retire(lesser, "merged", draft, night, superseded_by=newer.id)
    return "claims.new"


def proves_nothing(claim: Claim, memory: Fact) -> str:
    """Why a claim neither confirms nor adds to the memory that says the same; empty where it does."""
    if is_echo(claim, memory):
        return ECHO
    return "" if counts_beside(claim, memory) else LESS_TRUSTED


def is_echo(claim: Claim, memory: Fact) -> bool:
    """Whether a note or an assistant only repeats what a memory said before: agents read their memories aloud, and
    write them down again. That proves nothing anew."""
    if claim.role == "user" or claim.trust == "person" or claim.said_at < memory.created:
        return False
    return echoes(claim.quote, memory.content)


def counts_beside(claim: Claim, fact: Fact) -> bool:
    """Whether the claim's words count as much as those that the fact stands on: others neither confirm nor replace it,
    so that no memory is trusted less for what somebody else has said."""
    return tier_of(claim.trust or claim.role) >= tier_of_evidence(fact.evidence)


def outranks(claim: Claim, fact: Fact) -> bool:
    """Whether the fact gives way to the claim's words."""
    return gives_way(fact, tier_of(claim.trust or claim.role))


def gives_way(fact: Fact, tier: int) -> bool:
    """Whether words of that tier count more than those that the fact stands on: added to them, they would count less. A
    fact that the owner has set anything of stays."""
    return not fact.edited and tier > tier_of_evidence(fact.evidence)
