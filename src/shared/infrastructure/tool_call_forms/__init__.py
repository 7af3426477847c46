"""The forms in which models write the call of a tool as text."""
