#!/usr/bin/env python3
"""`python3 scripts/memory.py COMMAND`: the program without installing anything first. It makes its own environment
beside the project on first use, with nothing but a Python 3.11 or newer.
"""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
ENVIRONMENT = PROJECT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"  # always with -P: what lies in the current folder is not ours to import


def make_environment() -> None:
    """A virtual environment with this project in it."""
    print(f"making {ENVIRONMENT} …", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    install = [PYTHON, "-P", "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--editable", PROJECT]
    subprocess.run(install, check=True, stdout=sys.stderr)


def is_ready() -> bool:
    if not PYTHON.exists():
        return False
    check = [PYTHON, "-P", "-c", "import memory_system, typer, re2"]
    return subprocess.run(check, capture_output=True).returncode == 0


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this may have an older one
        sys.exit("memory-system needs Python 3.11 or newer")
    if not is_ready():
        make_environment()
    os.execv(PYTHON, [PYTHON, "-P", "-m", "memory_system", *sys.argv[1:]])  # noqa: S606 - our own program takes over
