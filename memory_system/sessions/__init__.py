"""Sessions as files that this program writes: transcripts, the register beside them, summary notes, the archive."""
