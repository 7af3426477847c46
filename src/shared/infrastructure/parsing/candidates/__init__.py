"""Which of the values of a text is the answer, and what stands around it."""
