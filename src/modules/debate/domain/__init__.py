"""The debate context's own words."""
