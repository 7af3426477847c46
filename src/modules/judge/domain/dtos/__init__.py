"""What the judge context's agents answer with."""
