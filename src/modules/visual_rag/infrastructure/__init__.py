"""What comes of a model's text in the visual RAG context."""
