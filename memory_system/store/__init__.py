"""The truth on disk: the memories, the journal before every change, the checkpoint, and what waits to be folded in."""
