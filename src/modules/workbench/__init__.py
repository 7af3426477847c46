"""Workbench: a data scientist's assistant that plans, explores, writes code and reports."""
