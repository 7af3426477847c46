"""What the research context needs from outside."""
