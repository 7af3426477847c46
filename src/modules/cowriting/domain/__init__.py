"""The co-writing context's own words."""
