"""The page in which the parser runs."""
