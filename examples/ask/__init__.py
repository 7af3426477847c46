"""Asking for a typed answer, and repairing a text, from recordings."""
