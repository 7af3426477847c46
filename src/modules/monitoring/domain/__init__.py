"""Outcomes, windows, rates and alarms."""
