"""What the research context's agents are asked about."""
