"""The kernel of the pages that tests execute: jupyter_client finds it by helpers.dist-info."""

from reckon import config
from reckon.book.execution.warm_kernels import Surroundings, WarmProvisioner
from reckon.build_context import BuildContext


class PageProvisioner(WarmProvisioner):
    """Starts a kernel that shows what the book shows of the run that the environment names."""

    async def pre_launch(self, **options):
        settings = config.settings()
        build = settings.build_dir
        context = BuildContext(build / "events", build / "reads")
        surroundings = Surroundings(config.ROOT, build / "kernel.log", settings, context)
        return await super().pre_launch(surroundings=surroundings, **options)
