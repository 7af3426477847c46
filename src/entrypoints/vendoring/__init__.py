"""The parser as files: for a copy in somebody's code base, and for the wheel that holds the parser alone."""
