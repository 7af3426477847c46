"""What a person reads of a committee."""
