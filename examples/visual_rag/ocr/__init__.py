"""Reading a region of a page with Tesseract."""
