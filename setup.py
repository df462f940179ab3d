"""The wheel's contents: the package, and in reckon/source/ a copy of what a book is made of."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
FOLDERS = ("csrc", "notebooks", "book")
FILES = ("_config.yml", "_toc.yml")
NOT_SHIPPED = shutil.ignore_patterns("runs", "__pycache__", ".*")


class BuildWithSources(build_py):
    def run(self):
        if not self.editable_mode:  # which reads the checkout itself
            shutil.rmtree(self.build_lib, ignore_errors=True)  # of an older version
            self._copy_sources()
        super().run()

    def _copy_sources(self):
        target = Path(self.build_lib) / "reckon" / "source"
        for name in FOLDERS:
            shutil.copytree(HERE / name, target / name, ignore=NOT_SHIPPED)
        for name in FILES:
            shutil.copy(HERE / name, target / name)


setup(
    cmdclass={"build_py": BuildWithSources},
    options={"build": {"build_base": "_build/wheel"}},
)
