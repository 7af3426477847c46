"""The parser attacked on purpose: damaged documents, cut texts, answers beside other objects."""
