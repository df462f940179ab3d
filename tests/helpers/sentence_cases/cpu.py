"""The cases of the chapters on the processor and the operating system."""

from helpers.sentence_cases.made import ns

SWITCH = dict(far=ns(3), early=ns(3), gross=ns(1), from_fork="F")

CASES = {
    "cpu/switch": [
        ("woken", SWITCH | dict(times=3), "3.0 times a switch on the same one: an idle CPU"),
        ("as near", SWITCH | dict(times=1), "1.0 times a switch on the same one."),
        (
            "creation too",
            SWITCH | dict(times=3),
            "F: it times the rest of a process's creation",
        ),
        ("child first", SWITCH | dict(times=-1), "F: the child ran before the parent's clock"),
        ("like a switch", SWITCH | dict(times=1), "F."),
    ],
}
