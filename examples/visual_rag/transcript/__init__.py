"""Transcripts of episodes: written turn by turn, and replayed."""
