"""Fast ways for clean text and for regular damage, without a search."""
