"""The visual RAG context's own words: its actions, what can be wrong with one, what is said to the model."""
