"""What each case of a notebook's sentence says, chapter by chapter.

A case is its name, the values of the names in its cell, and words that the text has in this case
alone.
"""

from helpers.sentence_cases import cpu, files, memory, network

CASES = [
    (page, *case)
    for part in (cpu, memory, network, files)
    for page, cases in part.CASES.items()
    for case in cases
]
