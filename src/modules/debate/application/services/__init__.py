"""The debate context's use cases."""
