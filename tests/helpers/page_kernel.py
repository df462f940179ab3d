"""A kernel that shows what the book shows of the run that its environment names."""

from ipykernel.kernelapp import launch_new_instance

from reckon import build_context, config
from reckon.statistics import cache

if __name__ == "__main__":
    build = config.settings().build_dir
    build_context.set_current(build_context.BuildContext(build / "events", build / "reads"))
    cache.store_in(build / "cache")
    launch_new_instance()
