"""The debate context's agents, a folder each."""
