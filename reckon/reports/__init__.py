"""The published reports: data, derivations and methods, matched with this book's quantities."""

from reckon.reports.published import measured_values
