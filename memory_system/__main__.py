"""`python -m memory_system`."""

from memory_system.cli import main

main()
