"""What the co-writing context does: opening an envelope, with the repair agent as the last resort."""
