"""The commands of many machines without the packages of the extra."""

import sys

import pytest

from reckon.cli import main


@pytest.mark.parametrize(
    ("package", "command"),
    [
        ("duckdb", ["collect", "runs"]),
        ("pyarrow", ["export"]),
        ("distributed", ["fleet", "--scheduler", "tcp://127.0.0.1:1"]),
    ],
)
def test_a_missing_package_is_named_with_how_to_install_it(package, command, monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith("reckon.fleet")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    assert main(command) == 2
    assert capsys.readouterr().err == (
        f"reckon: `reckon {command[0]}` needs the package {package}; install it by "
        '`make setup-fleet`, or without a checkout by `pip install "reckon[fleet]"`.\n'
    )
