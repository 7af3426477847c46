"""A committee's result for people and for programs: HTML, Markdown, JSON."""
