"""The research context's agents, a folder each."""
