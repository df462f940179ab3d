"""All that an edited prediction is: trying it, keeping it, the panels that show it."""
