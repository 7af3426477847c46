"""Objects that do not stand in a text as they are."""
