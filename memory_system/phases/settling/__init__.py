"""How claims and memories meet: what says the same, what takes back what, which places are one, what is done again."""
