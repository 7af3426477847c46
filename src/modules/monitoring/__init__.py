"""The monitoring context: what happened to every text, how often, and whether that is too often."""
