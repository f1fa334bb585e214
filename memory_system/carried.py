"""The files that the program carries: rules and prompts."""

from pathlib import Path

RULES = Path(__file__).with_name("rules")
PROMPTS = Path(__file__).with_name("prompts")
