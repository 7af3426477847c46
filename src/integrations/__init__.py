"""The parser in the manner of other libraries: one file each, and each needs the extra of its library's name."""
