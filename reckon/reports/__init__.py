"""The five published reports: their data, derivations, how their figures match this book's
quantities.
"""

from reckon.reports.published import of

__all__ = ["of"]
