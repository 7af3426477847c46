"""The bull advocate (多头辩护人)."""
