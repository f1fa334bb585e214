"""How a claim is told: the template of its attribute filled in, in the language of the sentence."""

from __future__ import annotations

from memory_system import attributes
from memory_system.records import ASSISTANT, ASSISTANT_NAME, USER, USER_NAME
from memory_system.understand.claims import Filled


def content_of(claim: Filled, lang: str, speaker: str = "") -> str:
    """The memory's sentence. `speaker` is what the memory calls the user, if it knows a name. KeyError for an attribute
    without a template."""
    row = attributes.about(claim.attribute)
    template = row["template" if claim.polarity else "template_not"][lang]
    subject = {USER: speaker or USER_NAME[lang], ASSISTANT: ASSISTANT_NAME[lang]}.get(claim.subject, claim.subject)
    told: str = template.format(subject=subject, value=claim.value, of=claim.attribute.partition(".")[2])
    return told[:1].upper() + told[1:]
