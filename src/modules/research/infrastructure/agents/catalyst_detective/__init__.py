"""The catalyst detective (催化剂侦探)."""
