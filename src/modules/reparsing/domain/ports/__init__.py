"""What a run needs from outside: rows, somebody who reads them, a folder for what came of it."""
