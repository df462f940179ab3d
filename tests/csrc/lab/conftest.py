"""Fixtures of the lab host."""

import pytest
from helpers.labs import PATHS, startable


@pytest.fixture(params=PATHS)
def path(request):
    startable(request.param)
    return request.param
