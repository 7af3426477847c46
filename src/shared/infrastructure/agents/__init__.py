"""What the agents' output parsers are made of."""
