"""What someone said, told in the third person: "I love tea" becomes "User loves tea", 我喜欢茶 becomes 用户喜欢茶."""

from __future__ import annotations

from dataclasses import dataclass

from memory_system.phrasing import en, zh


@dataclass(frozen=True, slots=True)
class Voices:
    """How the one who speaks and the one spoken to are called."""

    speaker: str
    other: str


def retell(text: str, voices: Voices, lang: str) -> str:
    """The statement as a sentence that stands alone and names its speaker; empty when it is too little to tell."""
    return (zh if lang == "zh" else en).retell(text, voices.speaker, voices.other)


def report(text: str, voices: Voices, lang: str) -> str:
    """The words with their persons replaced and nothing added: for notes and labelled text."""
    return (zh if lang == "zh" else en).report(text, voices.speaker, voices.other)


def bare_report(text: str, voices: Voices, lang: str) -> str:
    """`report` without what opens and closes the words."""
    module = zh if lang == "zh" else en
    return module.report(module.stripped(text, voices.other), voices.speaker, voices.other)


def inner(text: str, voices: Voices, lang: str) -> str:
    """A piece from inside a sentence whose subject is the speaker: "my aunt in Cork" is "their aunt in Cork"."""
    return (zh if lang == "zh" else en).inner(text, voices.speaker, voices.other)


def bare(text: str, voices: Voices, lang: str) -> str:
    """An answer without what opens and closes it: "In Porto!" is "Porto"."""
    return (zh if lang == "zh" else en).bare(text, voices.other)


def unhedged(text: str, lang: str) -> str:
    """A told sentence without its maybe: "User might row" is "User rows", 用户可能划船 is 用户划船."""
    return (zh if lang == "zh" else en).unhedged(text)


def fill(template: str, parts: dict[str, str], plural: bool, lang: str) -> str:
    """The template with its parts put in; in English the verb after `{who}` agrees with a plural."""
    if plural and lang != "zh":
        template = en.agree_plural(template)
    return template.format_map(parts)
