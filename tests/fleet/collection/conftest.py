"""Shared by the tests of collections."""

import pytest

from reckon.fleet.collection import export, gather
from reckon.fleet.collection.database import Collection


@pytest.fixture
def collect(folders):
    """`collect()` is the collection of all runs that were made up."""
    opened = []

    def all_runs():
        found = gather.find([str(folders / "runs")], folders / "unpacked")
        of_runs = gather.tables_of(found)
        export.write_parquet(of_runs, folders / "data")
        opened.append(Collection(folders / "data"))
        return opened[-1]

    yield all_runs
    for collection in opened:
        collection.close()
