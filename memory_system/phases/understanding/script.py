"""Messages in traditional characters, read in simplified ones and told in those in which they were written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from memory_system.text.traditional import as_written, simplified
from memory_system.turns import Claim, Turn


class Script:
    """Keeps what was written while it is read."""

    def __init__(self) -> None:
        self._written: dict[str, str] = {}

    def read(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """The turns in simplified characters; their spans stay."""
        for turn in turns:
            plain = simplified(turn.message.text)
            if plain == turn.message.text:
                yield turn
                continue
            self._written[turn.message.ref] = turn.message.text
            message = replace(turn.message, text=plain)
            yield replace(turn, message=message, asked=simplified(turn.asked), topic=simplified(turn.topic))

    def told(self, claims: Iterable[Claim]) -> Iterator[Claim]:
        """The claims in the characters of their messages. Nearness keeps its one word for both: 用户的妈妈."""
        for claim in claims:
            written = self._written.get(claim.ref)
            if written is None:
                yield claim
                continue
            start, end = claim.span
            written = f"{written[start:end]}\n{written}"  # a word may stand elsewhere in other characters
            plain = simplified(written)
            names = {each: as_written(each, plain, written) for each in claim.entities if each in plain}
            yield replace(
                claim,
                content=as_written(claim.content, plain, written),
                value=as_written(claim.value, plain, written),
                quote=as_written(claim.quote, plain, written),
                subject=as_written(claim.subject, plain, written) if claim.subject in plain else claim.subject,
                entities=tuple([names.get(each, each) for each in claim.entities]),
            )
