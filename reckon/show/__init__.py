"""What a page shows: formulas, tables, computed sentences; `figures/` has its figures."""
