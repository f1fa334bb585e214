"""Commands of the program, called in this process: what they print, and how they end."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from subprocess import CompletedProcess

import pytest

from memory_system import cli


def as_anybody() -> list[str]:
    """What stands before a command that is to have no rights of root; skips where root cannot give them up."""
    if os.geteuid():
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root may read and write everything, and nothing here takes that right away")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]


def memory(*arguments: object, input: str = "") -> CompletedProcess[str]:  # noqa: A002 - as subprocess calls it
    """`memory` with those arguments, as a process of its own would tell of it."""
    words, before = [*map(str, arguments)], signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        patch.setattr(sys, "argv", ["memory", *words])
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(input.encode()), "utf-8"))
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            signal.signal(signal.SIGINT, before)
    return CompletedProcess(words, code, out.getvalue(), err.getvalue())
