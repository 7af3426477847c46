"""The reparsing context's own words."""
