"""The demo: three hosts in namespaces of this machine, one of them slowed, which the site names."""

import sys

import pyarrow.parquet
import pytest
from helpers.capabilities import installed, own_mounts, own_network
from helpers.project import ROOT, finished


@pytest.mark.long_fleet
def test_the_site_of_the_demo_names_the_slowed_host_and_why(tmp_path):
    own_network()
    own_mounts()
    installed("tc")
    demo = [sys.executable, ROOT / "tools/fleet-demo", "--out", tmp_path]
    done = finished(*demo, "--pages", "files/cache", cwd=tmp_path, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    (outlier,) = [line for line in done.stdout.splitlines() if line.startswith("host-3: ")]
    assert "The file cache" in outlier
    assert "It differs in: memory limit 0.5 GiB, others 1 GiB." in outlier
    assert "Throughput: even the best pair of host-3 has" in done.stdout
    assert "best pair of host-3" in (tmp_path / "site/index.html").read_text()
    runs = pyarrow.parquet.read_table(tmp_path / "site/data/runs.parquet")
    measured = {name for name in runs["run"].to_pylist() if name.startswith("host-")}
    assert measured == {"host-1", "host-2", "host-3"}
    assert len(set(runs["host"].to_pylist())) == runs.num_rows == 12
