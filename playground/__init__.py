"""The parser in a page: `make playground` builds a folder that any web server can serve as it is."""
