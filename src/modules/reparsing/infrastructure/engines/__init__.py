"""How many readers work side by side: processes here, or actors of Ray."""
