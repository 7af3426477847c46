"""Providers by their own APIs, through pydantic-ai."""
