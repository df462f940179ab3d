"""`reckon build --html` without Sphinx, which takes longer than a few pages.

With the argument `killed` the builder is killed as soon as its pages are done.
"""

import os
import signal
import sys

from reckon import cli
from reckon.book import sphinx


def kill(staged):
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":  # a page's process imports this module, too
    sphinx.html = kill if sys.argv[1:] == ["killed"] else lambda staged: False
    sys.exit(cli.main(["build", "--html"]))
