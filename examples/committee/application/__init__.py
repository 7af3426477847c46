"""The committee's use case."""
