"""The verdict (裁决), told the prices that a plan can rest on."""
