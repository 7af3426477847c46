"""What a batch came to, as `summary.json` and as a page: both from the same tally."""
