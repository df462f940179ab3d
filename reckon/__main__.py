"""The command `reckon`, also as `python -m reckon`."""

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback of the imports; main() handles it

from reckon.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
