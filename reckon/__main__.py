"""`python -m reckon` is the command `reckon`."""

import sys

from reckon.cli import main

if __name__ == "__main__":
    sys.exit(main())
