"""The judge context's own words."""
