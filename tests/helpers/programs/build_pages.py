"""`reckon build --html` without Sphinx, which takes longer than a few pages."""

import sys

from reckon import cli
from reckon.book import sphinx

if __name__ == "__main__":  # a page's process imports this module, too
    sphinx.html = lambda staged: False
    sys.exit(cli.main(["build", "--html"]))
