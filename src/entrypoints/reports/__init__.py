"""What a person reads of a committee's result, and what a program does: HTML, Markdown, JSON."""
