"""Reports for people and for programs: HTML and JSON."""
