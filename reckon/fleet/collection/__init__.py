"""The runs of many machines: gathered, as tables, and the outliers among them."""
