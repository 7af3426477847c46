"""What the committee needs from outside."""
