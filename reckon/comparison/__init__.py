"""Runs of this book compared with one another."""
