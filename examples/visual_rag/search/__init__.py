"""Searches over pages: a local index, or a service."""
