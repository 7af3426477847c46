"""Texts to try the parser on, and a type of your own."""
