"""The visual RAG context's agents, a folder each."""
