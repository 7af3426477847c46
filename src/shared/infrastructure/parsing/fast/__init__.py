"""Clean text: Pydantic reads it, without a search."""
