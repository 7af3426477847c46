"""What the debate context does for others."""
