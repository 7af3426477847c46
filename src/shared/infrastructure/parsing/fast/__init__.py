"""Fast ways for clean text, without a search."""
