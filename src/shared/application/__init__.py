"""Use cases that every bounded context needs: asking a model for a typed answer."""
