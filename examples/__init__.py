"""Runnable examples, each run by a test."""
