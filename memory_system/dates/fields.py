"""What the fields of a time expression say of themselves."""

from __future__ import annotations

from memory_system.dates.hours import TIMES, Fields

_RELATIVE = frozenset(("years", "months", "week", "days", "quarters", "rel", "sign"))


def complete(fields: Fields) -> bool:
    """Whether the words say it all, without the moment of speaking."""
    counted = fields.get("sign") in ("before", "after") and fields["unit"] in ("week", "weekend")
    if (fields.keys() - {"sign"} if counted else fields.keys()) & _RELATIVE:
        return False
    return bool(fields.keys() & {"year", "winter"}) or fields.get("decade", 0) >= 1000


def kind(fields: Fields) -> frozenset[str]:
    """The date fields in a canonical form, the key of the table of what can be computed."""
    keys = set(fields) - TIMES - {"of"}
    if fields.get("sign") in ("before", "after"):
        keys -= {"n", "unit", "sign"}
    if "years" in keys:
        keys = keys - {"years"} | {"year"}
    if "months" in keys:
        keys = keys - {"months"} | {"year", "month"}
    return frozenset(keys)
