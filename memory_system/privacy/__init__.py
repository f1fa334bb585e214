"""What may not be written, shown or believed: secrets, masks, words that want to steer, and what was forgotten."""
