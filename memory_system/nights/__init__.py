"""Nights: which are due, one on its way, what follows from it, and its accounting."""
