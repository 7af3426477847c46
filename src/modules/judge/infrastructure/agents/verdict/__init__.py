"""The verdict (裁决)."""
