"""Living inside a host (OpenClaw, Claude Code, or a machine's own scheduler): what has to stand where, shown before it
is written, and taken out again to the byte."""
