"""Forgetting: what is chosen, what stands on the same words, and how all of it goes without leaving a byte."""

from __future__ import annotations

from memory_system.forgetting.choosing import Selection
from memory_system.forgetting.erasing import finish, forget
from memory_system.forgetting.planning import plan_of

__all__ = ["Selection", "finish", "forget", "plan_of"]
