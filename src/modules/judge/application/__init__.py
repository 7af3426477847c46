"""What the judge context does for others."""
