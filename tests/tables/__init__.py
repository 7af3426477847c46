"""Tables of cases: a row is what a spelling adds, and one test reads them all. See README.md."""
