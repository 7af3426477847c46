"""The page at `/`: rates, outcomes, alarms and refusals of the store, and a box that explains a pasted text."""
