"""Reads an answer while it is written, and shows of it what no later character takes back."""
