"""What a sentence says: which slots it surely fills, whom it is about, and how that is told."""
