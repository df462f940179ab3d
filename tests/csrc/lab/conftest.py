"""Fixtures of the lab host."""

import pytest
from helpers.labs import PATHS, startable


@pytest.fixture(params=PATHS)
def path(request):
    """Each way of relaying that the test's `user` can have."""
    startable(request.param, request.node.callspec.params.get("user", "current"))
    return request.param
