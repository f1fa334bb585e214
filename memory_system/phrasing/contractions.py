"""English contractions written out, as they are where one writes of others."""

from __future__ import annotations

import re

_SHORT = re.compile(
    r"\b(?:(?P<irregular>can't|won't|shan't)|(?P<negated>[A-Za-z]+)n't)\b(?! (?:it|he|she|they|you|i|we|that|there)\b)"
    r"|\b(?P<subject>it|that|there|here|he|she|what|who|where|how)'s\b(?! own\b)"
    r"|'(?P<verb>re|ve|ll)\b",
    re.IGNORECASE,
)
_HAS = re.compile(
    r" (?:(?:also|always|just|never|really|only|already|not|all|still|definitely) )*"
    r"(?:been|got|gotten|become|had|done|gone|made|taken|given|come|seen|known|grown|shown|won|lost|kept|left|brought"
    r"|helped|changed|turned|started|happened|taught)\b"
)
_DONE_TO = re.compile(
    r" (?:\w+ )?(?:made|gone|done|known|lost|left|taken|given|shown)(?: (?:of|for|by|in|with|as|from|to)\b|$)"
)
_QUOTED = re.compile(r'("[^"]*"|“[^”]*”|`[^`]*`)')
_IRREGULAR = {"can't": "cannot", "won't": "will not", "shan't": "shall not"}
_VERBS = {"re": " are", "ve": " have", "ll": " will"}


def written_out(told: str) -> str:
    """The sentence without contractions; quotations and code stay as they are."""
    if "'" not in told:
        return told
    parts = _QUOTED.split(told)
    return "".join(part if number % 2 else _SHORT.sub(_long, part) for number, part in enumerate(parts))


def _long(found: re.Match[str]) -> str:
    if found["irregular"]:
        said = _IRREGULAR[found[0].lower()]
        return said.capitalize() if found[0][0].isupper() else said
    if found["negated"]:
        return f"{found['negated']} not" if found["negated"].lower() != "ai" else found[0]
    if found["verb"]:
        return _VERBS[found["verb"].lower()]
    rest = found.string[found.end() :]
    has = _HAS.match(rest) and not _DONE_TO.match(rest)
    return f"{found['subject']} {'has' if has else 'is'}"
