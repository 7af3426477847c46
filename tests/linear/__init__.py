"""Work grows with the length of a text and no faster; counted, never timed."""
