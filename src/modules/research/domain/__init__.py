"""The research context's own words."""
