"""Many hosts measured at once, as tasks of a Dask cluster that their owner has started."""
