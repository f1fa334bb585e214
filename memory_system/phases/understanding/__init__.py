"""What is understood of a message before claims are made of it: who speaks of whom, how it is meant, what it leans on,
where it falls in two, which slots it fills."""
