"""What this context needs from outside."""
