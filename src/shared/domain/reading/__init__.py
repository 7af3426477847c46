"""The one reader of damaged JSON: standard library only, so that application and infrastructure stand on the same."""
