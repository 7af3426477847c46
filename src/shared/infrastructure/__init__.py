"""The unified parser and what it is made of."""
