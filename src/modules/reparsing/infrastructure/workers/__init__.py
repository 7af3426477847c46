"""Reading in a process of its own, which a text may kill without stopping the run."""
