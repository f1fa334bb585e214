"""What can go wrong, as one tree. Each class says what happened (its docstring), how the program ends (`exit_code`)
and what to do next (`hint`); `cli.main` prints them, nobody else catches the base class.

Bad *data* (an unreadable transcript line, say) is never raised: it is a `records.Problem`, counted and reported.
"""

from __future__ import annotations


class MemorySystemError(Exception):
    """The memory system cannot go on."""

    exit_code = 4
    hint = "run the command again with --debug to see where it stopped"

    def __init__(self, what: str = "", hint: str = "") -> None:
        super().__init__(what or (type(self).__doc__ or "").strip())
        self.hint = hint or type(self).hint


class UsageError(MemorySystemError):
    """The command was called in a way it does not understand."""

    exit_code = 2
    hint = "see: memory --help"


class ConfigError(MemorySystemError):
    """config.json holds something it must not."""

    exit_code = 3
    hint = "docs/api.md lists every key with its default"


class WorkspaceError(MemorySystemError):
    """The workspace cannot be used."""

    hint = "check the folder given with --workspace"


class NotAWorkspaceError(WorkspaceError):
    """There is no workspace here."""

    hint = "make one with: memory --workspace DIR init"


class DamagedError(WorkspaceError):
    """A file of the workspace is damaged; nothing was changed."""

    hint = "see what is wrong with: memory validate"


class NewerError(WorkspaceError):
    """A newer program wrote this workspace in a way this one does not know; it is only read."""

    hint = "update memory-system; search and the other commands that only read go on"


class UnsafeError(WorkspaceError):
    """What would be written could land elsewhere, or be read or changed by others; nothing was written."""

    hint = "see who may do what there: ls -la"


class SealedError(WorkspaceError):
    """The backup cannot be opened."""

    hint = "it was changed or cut, or the key is another one: try another copy, or another key"


class UnwritableError(WorkspaceError):
    """The workspace cannot be written; what was there is unchanged."""

    hint = "make room or give yourself the right to write, then run the same command again"


class LocklessError(WorkspaceError):
    """The file system has no locks that other machines see; nothing was written."""

    hint = "keep the workspace on a disk of this machine, and copy it to the other place (memory/ is plain files)"


class LockedError(MemorySystemError):
    """Another program is writing to this workspace."""

    exit_code = 5
    hint = "wait until it ends; capture, note and search work meanwhile"


class LLMError(MemorySystemError):
    """A language model was needed and failed."""

    exit_code = 6
    hint = "set llm.mode to off in config.json to go on by rules alone"


class EmbedderError(MemorySystemError):
    """The embedding model gives no vectors."""

    exit_code = 6
    hint = "see `embedder` in config.json; without vectors, search goes by words alone"


class BarrenNightError(MemorySystemError):
    """There was input worth keeping and nothing came of it."""

    exit_code = 7
    hint = "look at the dropped segments with: memory consolidate --phase 2 --json"


class UnbalancedError(MemorySystemError):
    """The sums of a night do not close: something was counted wrong, or got lost."""

    hint = "look for what is missing with: memory validate"


class RetirementError(MemorySystemError):
    """The night would retire too many memories; nothing was written."""

    exit_code = 8
    hint = "look at what was staged: memory consolidate --phase 4; go on with: memory consolidate --allow-retire"


class DependentChangesError(MemorySystemError):
    """What is to be undone has been changed again since; nothing was written."""

    exit_code = 8
    hint = "undo the later run first"


class ChangedSinceError(MemorySystemError):
    """The memory has been changed since it was looked at; nothing was written."""

    exit_code = 8
    hint = "look at it again, then give its version now: memory get ID --json"


class MissingLinesError(MemorySystemError):
    """Many memories are missing from the files, removed by hand or lost; nothing was written."""

    exit_code = 8
    hint = "put them back: memory validate --repair; or, if they were to go: memory consolidate --allow-retire"


class ForgottenError(MemorySystemError):
    """What was forgotten is gone for good, and no rollback brings it back; nothing was changed."""

    exit_code = 8
    hint = "if it is to be known again, say it anew: memory capture TEXT"


class QuarantinedError(MemorySystemError):
    """The words want to steer the agent that reads them; they are held back until the owner has looked at them."""

    exit_code = 8
    hint = "see: memory quarantine list"


class ExhaustedError(WorkspaceError):
    """This run failed three times and is not retried by itself."""

    hint = "when the cause is mended: memory consolidate --force"


class DefectError(MemorySystemError):
    """A file that is installed with the program is missing or damaged."""

    exit_code = 70
    hint = "install the program again: pip install --force-reinstall memory-system"


class NotFoundError(MemorySystemError):
    """There is no such memory or path."""

    exit_code = 1
    hint = "find it with: memory search WORDS"


def plainly(said: str) -> str:
    """What pydantic, or typer with its words, says of a value, as we would."""
    return said.replace("Value error, ", "").replace("Input should be", "it must be")
