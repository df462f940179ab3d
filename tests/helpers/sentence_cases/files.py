"""The cases of the chapters on files."""

from types import SimpleNamespace

import numpy as np

from helpers.sentence_cases.made import ns, summary, value

FULL = dict(by_times=0, highest=100.0, full_from=4)
SECOND = dict(cpu=0.2, disk=0.2, full_from=4)
WAITS = dict(ratio=1.5, times="1.5", second=lambda *_: "They wait.", rate=9)
WAITS |= dict(two=summary(2, apart=1), alone=summary(1))
READERS = dict(readers=8, rate=value(50_000), needed=25_000, e=ns(10), time=1e-6)
WORK = dict(cycles="9,000", of_one=SimpleNamespace(inputs={"cycles": value(5000)}))

OFF = dict(in_cache=ns(9), explained="Why.")
LINK = dict(whole=ns(9), rtt=value(4e-9), moved=1e-9, link_part=5e-9, without_delay="")
NOTHING = dict(set_by_us=True, idle=ns(5), passing=2e-9, more=0, microseconds=str)
SCATTER = SimpleNamespace(median=1)
BY_DISK = dict(least=4, most=6, least_here=4, most_here=6, here=1, microseconds=str)
BY_DISK |= dict(cold=SCATTER, warm=SCATTER)
IN_ORDER = dict(apart_in_order=0, cold_sequential=ns(9), warm_sequential=ns(9), cold_random=ns(1))
IN_ORDER |= dict(microseconds=str)
TRIAL = dict(trial=1e-3, delivered=2**20)
HALF = dict(whole=ns(9), fixed=1e-6, rate=value(1e9))
LOOK_UP = dict(reads=ns(9), needed=9000, cached={"work": value(1000)})
TINY = dict(few_pages=1e-6, few_mib=6, many_mib=32, l3_text="The L3 cache has 32 MiB")
GUESSES = dict(own_guess=1, records_guess=3)
ROOM = dict(
    in_figure="",
    smallest=1e-6,
    disk=value(1e-4),
    largest=2**21,
    inferred=SimpleNamespace(median=2**20),
)

CASES = {
    "files/cache": [
        (
            "some wait",
            dict(reads=SimpleNamespace(growth=3, has_samples=True)),
            "so their mean is 3.0 times",
        ),
        ("none waits", dict(reads=SimpleNamespace(growth=1, has_samples=True)), "hardly differs"),
        ("large files", dict(whole=ns(9)), "all memory for the cache"),
        ("small files", dict(whole=SimpleNamespace(has_samples=False)), "shows no onset"),
        ("L3", dict(l3=2**25), "The L3 cache has 32.0 MiB"),
        ("no L3", dict(l3=None), "is of unknown size"),
        ("guess holds", LOOK_UP | dict(off=1.0), "the guess holds."),
        ("guess off", LOOK_UP | dict(off=3.0), "to take 9,000 cycles, where 1,000 were guessed."),
        (
            "larger file slower",
            TINY | dict(many_pages=2e-6),
            "6 MiB such a read takes 1.00 µs, from one of 32",
        ),
        ("larger file alike", TINY | dict(many_pages=1.1e-6), "So it is not the copy"),
        ("too much", GUESSES | dict(taken=2), "were too high."),
        ("too little", GUESSES | dict(taken=9), "were too low."),
        ("any size", ROOM | dict(allowed=2), "Any size"),
        ("largest size", ROOM | dict(allowed=0.5), "(1 − 0.50) = 2.00 MiB."),
        ("by memory", dict(whole=ns(9), limit=64), "all memory"),
        ("by limit", dict(whole=SimpleNamespace(has_samples=False), limit=64), "a limit of 64 MiB"),
    ],
    "files/read": [
        ("readahead as set", dict(ahead=SimpleNamespace(origin="machine")), "as its queue is set"),
        ("readahead guessed", dict(ahead=SimpleNamespace(origin="guess")), "a guess: the"),
        ("bent line", dict(bent=True), "on no straight line"),
        ("rate explains", dict(rate=1, left=0.8), "to 0.80 times the prediction."),
        ("rate is not all", dict(rate=1, left=4.0), "4.0 times the new prediction is left"),
        ("none off", OFF | dict(off=[]), "No single result and no curve"),
        ("some off", OFF | dict(off=["A", "B"]), "Off by more than a factor of two: A, B. Why."),
        ("request of a guest", dict(guest="kvm"), "a request leaves the guest"),
        ("request", dict(guest=None), "too low for this device's controller."),
        (
            "request off",
            dict(asked=9e-6, command=value(2e-6), why_more="Why."),
            "costs 9.00 µs, where 2.00 µs were guessed. Why.",
        ),
        ("small files off", dict(start=2.0), "takes 2.0 times the prediction, so what was written"),
        ("no gap", dict(by_read=SimpleNamespace(has_gap=False)), "there is no gap"),
        ("mostly copied", dict(share_waited=0.1, copied=1e-6), "its median (1.00 µs) shows"),
        ("advice unclear", dict(pays=0), "does not show whether it pays."),
        ("advice pays", dict(pays=-1), "here it pays."),
        ("advice does not pay", dict(pays=1), "here it does not pay."),
        ("order does not matter", dict(ratio=1.1), "hardly matters"),
        ("order matters", dict(ratio=3.0), "gains by the order"),
        ("null call guessed", dict(null=SimpleNamespace(origin="guess")), ", guessed"),
        ("no share", dict(rate_of_hits=1.5, hit=2e-5, miss=4e-5), "No share gives that mean"),
        ("share of hits", dict(rate_of_hits=0.75, hit=1e-6, miss=3.7e-5), "gives h = 75 %."),
        ("zeros", dict(share=0.1), "and returns zeros."),
        ("as real", dict(share=0.9), "little difference."),
        (
            "fio by few",
            dict(of_fio=SimpleNamespace(interval=SimpleNamespace(is_known=False))),
            ", too few for an interval",
        ),
        (
            "fio outside",
            dict(
                of_fio=SimpleNamespace(median=9, processes=5),
                ends=SimpleNamespace(is_known=True, low=1, high=2),
                medians=[1e-6, 2e-6],
                too_few="",
            ),
            "Reckon's 2 processes have medians from 1.00 µs to 2.00 µs; `fio` had 5.",
        ),
        (
            "pause matters",
            dict(read=ns(1), later=ns(3), by_fio=ns(2), from_now=abs),
            "So a pause alone changes a read by at least as much",
        ),
        (
            "pause does not matter",
            dict(read=ns(1), later=ns(2), by_fio=ns(3), from_now=abs),
            "so a pause alone does not account for the difference.",
        ),
        (
            "place alike",
            dict(found=5e-5, access=value(8e-5), alike=True),
            "so hardly any of it is finding.",
        ),
        (
            "place",
            dict(found=5e-5, access=value(8e-5), alike=False),
            "Finding it takes 50.0 µs, where 80.0 µs were guessed.",
        ),
    ],
    "files/remote": [
        ("link not set", LINK | dict(set_by_us=False), "not under Reckon's control."),
        ("link set", LINK | dict(set_by_us=True), "is work of the two ends."),
        ("rate unknown", NOTHING | dict(set_by_us=False, read=ns(9)), ""),
        ("own work", NOTHING | dict(read=ns(9)), "for the file's own work"),
        ("less than transfer", NOTHING | dict(read=ns(5)), "not the same for both"),
        ("own work unclear", NOTHING | dict(read=ns(7)), "work is less than the scatter"),
        (
            "more bytes",
            dict(set_by_us=True, whole=ns(9), null_here=ns(5), passing=2e-6, microseconds=str),
            "to transfer than an empty call: 2e-06.",
        ),
        ("longer and more", dict(beyond_setting=1), "the rest may be waking"),
        ("longer unclear", dict(beyond_setting=0), "are indistinguishable."),
        ("longer, no more", dict(beyond_setting=-1), "costs nothing more."),
        ("more than disk", BY_DISK | dict(least=7), "are unexplained; a trace"),
        ("less than disk", BY_DISK | dict(most=3), "came from a cache."),
        ("disk unclear", BY_DISK, "anything more is less than the scatter."),
        (
            "cold unclear",
            dict(cold_random=ns(5), warm_random=ns(5), extra=0),
            "the two are indistinguishable",
        ),
        (
            "cold apart",
            dict(cold_random=ns(9), warm_random=ns(5), extra=4e-6),
            "4.00 µs more",
        ),
        ("in order more", IN_ORDER | dict(apart_in_order=1), "so not every block was there"),
        ("in order less", IN_ORDER | dict(apart_in_order=-1), "which no disk explains."),
        ("in order ahead", IN_ORDER | dict(cold_random=ns(90)), "may have read ahead."),
        ("in order unclear", IN_ORDER, "the two are indistinguishable."),
        ("version 4 more", dict(by_3=ns(5), by_4=ns(9), more="4 ns"), "version 4 takes 4 ns more."),
        ("version 3 more", dict(by_3=ns(9), by_4=ns(5), more="4 ns"), "version 3 takes 4 ns more."),
        (
            "versions alike",
            dict(by_3=ns(5), by_4=ns(5), more="0 ns"),
            "are indistinguishable here.",
        ),
        ("end by number", dict(end=ns(9), end_3=ns(5)), "the owner's name, by version 3 a number"),
        ("seek too fast", dict(off_by=0.1), "0.10 times the prediction. A system call"),
        ("seek too slow", dict(off_by=5.0), "5.0 times the prediction, a system call"),
        ("readahead beyond", TRIAL | dict(off_in_order=3, beyond=2), "which comes from longer"),
        (
            "in order unexplained",
            TRIAL | dict(off_in_order=0.3, beyond=2),
            "prediction: unexplained.",
        ),
        (
            "others off",
            dict(
                wrong=["A", "B"], whole=ns(9), near_by=SimpleNamespace(inputs={"work": value(5e-5)})
            ),
            "more than that: A, B. The guess of the ends' work, 50.0 µs,",
        ),
        (
            "others right",
            dict(wrong=[], whole=ns(9), near_by=SimpleNamespace(inputs={"work": value(5e-5)})),
            "All other times",
        ),
        ("no size", HALF | dict(half=-1), "From none"),
        ("half the cost", HALF | dict(half=8192), "That gives S = 8.00 KiB."),
        ("link's share", dict(set_by_us=True, share=0.5), "transfer are 50 % of"),
    ],
    "files/contention": [
        (
            "slowest below mean",
            dict(odd={4: 0.1}, most=4, counts="4"),
            "With 4 readers the slowest",
        ),
        (
            "lone rate",
            dict(alone=summary(50), low=1, high=2, least=0, most=3),
            "between 1 and 2 (95 %)",
        ),
        (
            "lone rate by few",
            dict(alone=summary(np.nan), low="–", high="–", least=0, most=3),
            "their trials lie between 0 and 3",
        ),
        (
            "more by times",
            dict(by_times=200, highest=100, blocks_in_a_second=str),
            "it is up to 200.",
        ),
        (
            "full from",
            dict(full_from=4, t=SimpleNamespace(axis_in_unit=[20])),
            "From 4 readers on",
        ),
        (
            "never full",
            dict(full_from=None, t=SimpleNamespace(axis_in_unit=[20])),
            "to 20 readers",
        ),
        ("CPUs full", FULL | dict(used=0.9), "The CPUs are what is full, or nearly."),
        ("nothing full", FULL | dict(used=0.6, full_from=None), "more readers would get more."),
        (
            "CPUs not full, others got more",
            FULL | dict(used=0.2, by_times=200),
            "because other trials got more.",
        ),
        ("disk full", FULL | dict(used=0.2), "the disk is, or whoever limits it."),
        ("both possible", FULL | dict(used=0.6), "Either of them may be"),
        ("wait for CPUs", SECOND | dict(cpu=0.9), "The CPUs are what they wait for."),
        ("wait for disk", SECOND | dict(disk=0.9), "They are near what the disk can."),
        ("wait unexplained", SECOND, "than alone is unexplained."),
        ("second reader unclear", WAITS | dict(two=summary(2)), "their trials scatter as far."),
        ("second reader for nothing", WAITS | dict(ratio=1.05), "It hardly does: 1.5 times"),
        ("second reader waits", WAITS, "They wait."),
        ("no rate", READERS | dict(needed=np.nan), "has the 1.00 µs of 8 readers with none"),
        (
            "rate fits",
            READERS | dict(needed=52_000),
            "None at 8 readers: the model's 50,000 IO/s fits there.",
        ),
        ("rate is off", READERS, "it would have to be 25,000 IO/s, as 8 readers show."),
        (
            "knee unexplained",
            dict(few_readers=2e-6, bound=1e-6),
            "That does not explain 4 readers",
        ),
        ("knee below", dict(few_readers=1e-6, bound=2e-6), "less than the 2.00 µs of the model"),
        ("knee fits", dict(few_readers=1e-6, bound=1e-6), "4 readers fit as well: 1.00 µs"),
        ("work as guessed", WORK | dict(work=ns(1)), "held within a factor of two: 9,000"),
        (
            "work off",
            WORK | dict(work=SimpleNamespace(ratio=9, has_samples=True)),
            "9,000 cycles instead of 5,000.",
        ),
        ("work falls", dict(work=ns(9), work_of_20=ns(3)), "So idle and wake-up are likely"),
        ("work stays", dict(work=ns(3), work_of_20=ns(3)), "With twenty readers it is 3"),
        (
            "first reader off",
            dict(
                one_begins=9e-6,
                predicted=1e-6,
                begin=SimpleNamespace(inputs={"first": value(1e-6)}),
            ),
            "One reader begins after 9.00 µs, predicted 1.00 µs",
        ),
        (
            "served in turn",
            dict(worst=SimpleNamespace(slowest=1.1)),
            "They get equal shares.",
        ),
        (
            "some served first",
            dict(worst=SimpleNamespace(slowest=1.5)),
            "Some are served before",
        ),
    ],
}
