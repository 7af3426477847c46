"""The use cases: record outcomes, read rates, watch alarms."""
