"""What needs another environment is not collected here; `test_instructor.py` and `test_evaluations.py` run it there."""

collect_ignore = ["evaluation_suite", "instructor_suite"]
