"""The published reports: data and methods, matched with this book's quantities."""

from reckon.comparison.reports.published import measured_values
