"""The reader of damaged JSON: a machine that decides at each damage, with a witness, and refuses without one."""
