"""Making the book: executing notebooks, what is stale, staging, Jupyter Book, progress."""
