"""What needs another environment is not collected here; `test_instructor.py` runs it there."""

collect_ignore = ["instructor_suite"]
