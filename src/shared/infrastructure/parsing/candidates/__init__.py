"""Decides which value of a text is the answer, from the values and the text around them."""
