"""What the judge context needs from outside."""
