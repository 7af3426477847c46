"""Exceptions and the vocabulary of repair: plain Python, no framework."""
