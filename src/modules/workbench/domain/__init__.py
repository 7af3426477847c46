"""The workbench context's own words."""
