"""The pages that stand for themselves: one module each."""
