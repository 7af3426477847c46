"""What the research context does for others."""
