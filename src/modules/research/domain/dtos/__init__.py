"""What the research context's agents answer with."""
