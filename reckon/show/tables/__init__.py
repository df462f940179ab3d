"""Tables, and rows that several pages show."""
