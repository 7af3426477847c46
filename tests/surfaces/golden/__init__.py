"""The surfaces as transcripts, a file each; `tests/surfaces/transcripts.py` says how one is written and played."""
