"""Finding things again: the index (derived, in SQLite), what is put into it, and the questions that are asked of it."""
