"""The source filter: what may never become a memory. The host's own prompts, injected context, tool text, recalled
memories and the workspace's files read back to us are refused or cut out for a counted reason (rules/sources.toml)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress

from memory_system import rules
from memory_system.disk import is_regular
from memory_system.layout import PEOPLES_FILES, Layout
from memory_system.text import cjk_count, fold

OWN_LINE = 20  # columns from which a line is long enough to be known again; a CJK character is two
SPEAKERS = frozenset(("user", "assistant", "note", "agent"))
ROLE = "role:"  # begins the reason of one that nobody knows
_ROLE_REASONS = {"system": "system", "developer": "system", "tool": "tool", "toolResult": "tool", "function": "tool"}
_MARKUP = re.compile(r"^[\s>#*+-]*(?:\d{1,3}[.)]\s+)?|[*_`]+")


def spoils_turn(reason: str) -> bool:
    """Whether answers to a user's message that was refused for this reason are refused with it."""
    return reason in rules.table("sources", "turns")


def role_reason(role: str) -> str:
    """Why nothing in this role is kept; empty for those who speak."""
    return "" if role in SPEAKERS else _ROLE_REASONS.get(role) or f"{ROLE}{role}"


def session_reason(key: str) -> str:
    """Why a session with this key is no source; empty when it is one."""
    fired = rules.load("sources")["session"].firing(key) if key else []
    return fired[0].data["reason"] if fired else ""


def is_person(name: str) -> bool:
    """Whether a participant's name is a person's, and not a role's or a model's."""
    return bool(name.strip()) and not rules.load("sources")["nobody"].fires(fold(name))


def judge(text: str, role: str) -> tuple[str, str]:
    """What is left of a message without what its speaker did not say, and why it is refused (empty: it is not)."""
    ruleset = rules.load("sources")["text"]
    fired = ruleset.firing(text) if text else ()
    if not fired:
        return text.strip(), ""
    refused = _refusal(fired, role, before=True)
    for rule in fired:
        if rule.data["action"] == "strip" and rule.data.get("role", role) == role:
            cut = _without(text, rule)
            if cut != text and not cut.strip():
                return "", refused or rule.data["reason"]
            text = cut
    return text.strip(), refused or _refusal(ruleset.firing(text), role)


def _refusal(fired: Iterable[rules.Rule], role: str, *, before: bool = False) -> str:
    """The reason of the first rule that refuses a message of this role; with `before`, of those that look at the whole
    message before anything is cut out of it."""
    for rule in fired:
        data = rule.data
        if data["action"] == "drop" and data.get("role", role) == role and (data.get("before") or not before):
            return str(data["reason"])
    return ""


def _without(text: str, rule: rules.Rule) -> str:
    kept: list[str] = []
    done = 0
    unless = rule.data.get("unless")
    for match in rule.matches(text):
        if unless and re.match(unless, match.group(), re.IGNORECASE):
            continue
        kept.append(text[done : match.start()])
        done = match.end()
    return "".join((*kept, text[done:]))


class OwnFiles:
    """The long lines of the workspace's own files, by which a message that reads them back is known."""

    def __init__(self, layout: Layout) -> None:
        self.lines = frozenset[str]()
        for path in (*(layout.root / name for name in PEOPLES_FILES), layout.snapshot):
            with suppress(OSError):
                text = path.read_text("utf-8", errors="replace") if is_regular(path) else ""
                self.lines |= frozenset(_own_lines(text))

    def echoed(self, text: str, role: str) -> bool:
        """Whether most of the message's long lines stand word for word in those files. One line that a user says is
        the user saying it again; two are a paste."""
        alone = role in ("assistant", "agent")
        if not self.lines or not (alone or "\n" in text):
            return False
        lines = _own_lines(text)
        known = sum(line in self.lines for line in lines)
        return known > len(lines) / 2 and (known > 1 or alone)


def _own_lines(text: str) -> list[str]:
    """The lines long enough to be known again, without markup and folded."""
    found = []
    for line in text.split("\n"):
        if 2 * len(line) >= OWN_LINE:
            bare = fold(_MARKUP.sub("", line))
            if len(bare) + cjk_count(bare) >= OWN_LINE:
                found.append(bare)
    return found
