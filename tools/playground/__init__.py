"""The parser in a page: `tools.playground dist/playground` builds a folder that any web server can serve as it is."""
