"""Tests of the ways into the application."""
