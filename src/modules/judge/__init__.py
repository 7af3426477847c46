"""Judge: one decision from the debate's outcome."""
