"""A quantity of a run: its predictions as recorded and revised, and its result read back."""
