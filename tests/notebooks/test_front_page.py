"""The front page of a run of a machine that reports little."""

from helpers import made_up

from reckon import records
from reckon.book import contents
from reckon.book.staging import stamp


def test_a_machine_that_does_not_report_its_cores_has_a_card_and_a_stamp(folders):
    made_up.run("r", [], machine={"processor": {"model": {"value": "A chip", "source": ""}}})
    run = records.read_run("r")
    assert "**A chip**" in contents.findings_of("summary_front").machine_card(run, [], "").markdown
    assert stamp.facts(run, "commit 1")["Machine"] == "A chip"
    assert stamp.facts(run, "commit 1")["Hypervisor"] == "not reported"
