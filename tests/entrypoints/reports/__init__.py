"""What a person reads of a batch."""
