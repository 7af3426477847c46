"""The conflict resolver (冲突消解)."""
