"""What `init` asks of the machine it runs on."""

from __future__ import annotations

from pathlib import Path

from memory_system import clock

LOCALTIME = Path("/etc/localtime")


def machine_zone() -> str:
    """The machine's time zone by its IANA name; UTC where it cannot be told."""
    target = str(LOCALTIME.resolve())
    name = target.partition("zoneinfo/")[2]
    try:
        return clock.zone_named(name).key if name else "UTC"
    except (KeyError, ValueError, OSError):
        return "UTC"
