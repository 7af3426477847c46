"""The judge context's use cases."""
