"""The judge context's agents, a folder each."""
