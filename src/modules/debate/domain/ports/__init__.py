"""What the debate context needs from outside."""
