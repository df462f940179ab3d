"""Six made-up machines that are kept apart: whoever writes sentences does not read this file. They are run
last (`python -m machines --kept`), to show whether the sentences are true of machines that they were not
written for."""
