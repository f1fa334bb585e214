"""A file-first long-term memory for AI agents, consolidated while the user sleeps, in English and Chinese."""

__version__ = "0.1.0"
