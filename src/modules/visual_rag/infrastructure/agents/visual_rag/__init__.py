"""The visual RAG agent (视觉检索): one action a turn."""
