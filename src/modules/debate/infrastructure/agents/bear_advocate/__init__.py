"""The bear advocate (空头辩护人)."""
