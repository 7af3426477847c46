"""Reads damaged JSON by decisions, each of which has a witness in the text."""
