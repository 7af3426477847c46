"""Objects that were encoded: as a string, or for another format."""
