"""The runs of many machines: gathered, as tables, and the odd ones among them."""
