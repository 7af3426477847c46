"""What the reparsing context does: a run, resuming one, telling what came of it."""
