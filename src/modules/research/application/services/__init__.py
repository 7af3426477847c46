"""The research context's use cases."""
