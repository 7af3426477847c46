"""The command line `llm-output`: parse, explain and demonstrate, in a terminal or a script."""
