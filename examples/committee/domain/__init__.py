"""What a committee works on, and what it costs."""
