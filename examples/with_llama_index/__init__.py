"""LlamaIndex without an account."""
