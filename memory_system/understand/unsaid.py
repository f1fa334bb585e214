"""What takes back what a sentence says: a condition, somebody else's words, doubt, a question, a quotation."""

from __future__ import annotations

import re

from memory_system.understand.language import Language


def is_unsaid(plain: str, span: tuple[int, int], value: int, grammar: Language) -> bool:
    """Whether what stands around the match, whose value begins there, takes it back."""
    start, end = span
    if any(quote.start() <= start < quote.end() for quote in grammar.quoted.finditer(plain)):
        return True
    if any(grammar.refused.search(plain[:place]) for place in (start, value)):
        return True
    first = last_end(grammar.sentence, plain, start)
    fresh = max(first, last_end(grammar.fresh, plain, start + 1))
    return bool(
        grammar.opened.search(plain, first, start + 1)
        or grammar.told.search(plain, fresh, start + 1)
        or grammar.hedged.search(plain, first, value)
        or grammar.hedged.search(plain, start, _next_end(grammar.clause, plain, end))
        or grammar.question.search(plain, end - 1, _next_end(grammar.sentence, plain, end))
    )


def last_end(boundary: re.Pattern[str], plain: str, place: int) -> int:
    """Where the last boundary before that place ends; 0 if there is none."""
    return max((found.end() for found in boundary.finditer(plain, 0, place)), default=0)


def _next_end(boundary: re.Pattern[str], plain: str, place: int) -> int:
    found = boundary.search(plain, place)
    return found.end() if found else len(plain)
