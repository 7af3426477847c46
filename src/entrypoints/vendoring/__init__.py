"""The parser as files, for a copy in another code base and for the wheel of the parser alone."""
