"""A JSON Schema as a type that the parser reads: `json_schema.py` has the type."""
