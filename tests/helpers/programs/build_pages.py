"""`reckon build --html` that executes the pages and makes nothing of them.

With the argument `killed` the builder is killed as soon as its pages are done.
"""

import os
import signal
import sys

from reckon import cli
from reckon.cli.book import Outputs


def make_nothing(outputs, session, outcome):
    pass


def kill(outputs, session, outcome):
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":  # a page's process imports this module, too
    Outputs.make = kill if sys.argv[1:] == ["killed"] else make_nothing
    sys.exit(cli.main(["build", "--html"]))
