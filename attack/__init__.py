"""Attacks on the parser: texts made to break a promise, and what came of them."""
