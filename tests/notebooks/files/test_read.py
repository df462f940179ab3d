"""The chapter on reading a file: the disk of the files, and reads that were timed one by one."""

import pytest
from helpers import made_up
from helpers.cached_reads import made_of_reads

from reckon.book import contents
from reckon.computer.facts import Machine

READ = contents.findings_of("files/read")


def lies_on(kind, where="a file system on /dev/sda", guest=0.0, folder="/var/tmp"):
    values = {
        "scratch.folder": folder,
        "scratch.filesystem": kind,
        "scratch.lies_on": where,
        "system.guest": guest,
        "disk.devices": "vda (virtual)",
    }
    machine = Machine.of({field: (value, "a test") for field, value in values.items()})
    return READ.disk_of(machine).markdown


def test_the_disk_of_the_files_is_named():
    assert (
        "`/var/tmp` (`SCRATCH=` chooses another folder): ext4, a file system on /dev/sda."
        in lies_on("ext4")
    )
    assert "guest" not in lies_on("ext4") and "vda (virtual)" in lies_on("ext4")
    assert "a device as the guest sees it" in lies_on("ext4", guest=1.0)
    assert "**No disk is below it**" in lies_on("tmpfs", guest=1.0)
    assert "**Layers**" in lies_on("overlay") and "does not record" in lies_on("ext4", folder=None)
    assert "does not record on which disk" in READ.disk_of(Machine({})).markdown


def test_single_reads_tell_which_waited_and_their_median_is_the_processes():
    result = made_of_reads([2] * 40, [80] * 10)
    shown = READ.single_reads([result, made_up.nothing("files/read/made", "no disk")], 9e-6)
    assert shown.has_gap and 2e-6 < shown.limit < 80e-6 and list(shown.times) == [result.quantity]
    assert shown.waited(result.quantity) == pytest.approx(0.2)
    assert shown.time_waited(result.quantity) == pytest.approx(800 / 880)
    assert shown.medians[result.quantity] == pytest.approx(2e-6)
    shown = READ.single_reads([made_of_reads([2] * 50, [])], 9e-6)
    assert not shown.has_gap and shown.limit == 9e-6 and shown.waited(result.quantity) == 0
    assert not READ.single_reads([], 9e-6).times
