"""A question whose answer stands in the small print of a page: search, crop, OCR, answer."""
