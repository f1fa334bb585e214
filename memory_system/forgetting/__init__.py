"""Forgetting: what is chosen, what stands on the same words, and how all of it goes without leaving a byte; and what
rules that have improved since would not have let in."""

from __future__ import annotations

from memory_system.forgetting.erasing import finish, forget
from memory_system.forgetting.planning import Selection, plan_of
from memory_system.forgetting.scanning import fix, mask_again, scan

__all__ = ["Selection", "finish", "fix", "forget", "mask_again", "plan_of", "scan"]
