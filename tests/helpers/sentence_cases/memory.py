"""The cases of the chapters on memory."""

from types import SimpleNamespace

from helpers import made_up
from helpers.sentence_cases.made import ns, off, value

L3 = dict(at_region="It", l3=SimpleNamespace(origin="machine", value=2**25))
L3_FOUND = dict(region="4 MiB", sizes={"l3": 2**22}, walks=[0] * 9, held=2**21, model_l3="M")
L3_FOUND |= dict(from_cache=14e-9, from_memory=100e-9, fast=0, slow=0)
HALF_L3 = dict(from_cache=14e-9, from_memory=100e-9)
MOUNTAIN = dict(points=[1] * 9, all_off=0, off_in_l1=[], still_held=[], beyond=[], few_loads=[])
MOUNTAIN |= dict(rest=[], word=value(8), clock=value(4e9), peak=64e9, rounds=value(0.7))
MOUNTAIN |= dict(lines=value(12))
STAIRS = dict(l1=value(2**15), l3=value(2**25))
WHOLE = dict(cycles=4.2, whole=4, low=4, high=5, spread="No whole number")
PAGES = dict(in_both="Both", in_huge=ns(3))
SIZES = dict(both=[1, 2, 3, 4, 5], alike=[1], reach=1)
SPANS = dict(of_dram=200e-9, of_far=26e-9)

READY = dict(f={"huge": SimpleNamespace(seal=SimpleNamespace(predicted=9e-6))})
CLEAR = dict(cleared=value(2e10), work_needed=lambda *_: "9,000", would_be="cycles")
COLD = dict(share=value(0.3))
MEASURED, GUESSED = SimpleNamespace(origin="measured"), SimpleNamespace(origin="guess")
REST = dict(guest=True, rest=ns(9), warm=ns(3), rest_p99=9, warm_p99=3, host_fault=value(1e-7))
TWO_KINDS = dict(clearing=2e10, cleared=value(1e10), kernel=1e-6, null=value(1e-7))
TWO_KINDS |= dict(clock=value(3e9), take=value(2000))
AHEAD = dict(listed=["by it"], ahead=2**17, compared="C.")

WHY = dict(name="write", model=2, charge=lambda _: 2, result=off(1), cost="C")
WHY |= dict(reading_needs="The bus is full.")
TEN = made_up.single("test/made_up", 10, "GB/s")
LINES = dict(
    b={"read": TEN}, peak=value(50e9), lines_needed=20, lines=40, without_walk=1e-7, walk=2e-8
)
QUEUE = dict(foreseen=2, busy=0.5, read_then=10e9, peak=value(50e9))
PEAK = dict(known=50e9, theoretical=50e9, b={"read": TEN})
PAIRS = dict(ratios={"a": 2, "b": 1}, known_spread=True, differing=["a"], listed="L")


def ends(kind_ns):
    """Summaries at the ends of the curves in huge pages and within few pages."""
    return dict(huge_end=ns(3).summary, kind_end=ns(kind_ns).summary, proviso=", if")


CASES = {
    "memory/latency": [
        ("L3", dict(has_l3=True, region="4 MiB"), "L3"),
        ("no L3", dict(has_l3=False, region="4 MiB"), "A region of 4 MiB"),
        ("L3 answers", L3 | dict(share=0.2), "It: the L3 answers."),
        (
            "reported L3 hidden",
            L3 | dict(share=0.7),
            "most walks found no room in the reported 32.0 MiB",
        ),
        (
            "no L3 shown",
            L3 | dict(share=0.7, l3=SimpleNamespace(origin="guess", value=1)),
            "It: no L3 shows there.",
        ),
        ("huge pages", dict(base=1, c={"random_huge": 1}), "huge"),
        ("small pages", dict(base=1, c={"random_huge": 2}), "small"),
        (
            "two paces",
            L3_FOUND | dict(went=0.75, fast=2, slow=6),
            "Of 9 fresh processes 2 came within twice that, and 6 took at least three quarters",
        ),
        (
            "one pace",
            L3_FOUND | dict(went=0.75, slow=6),
            "None of 9 fresh processes came within twice that, and 6 took",
        ),
        (
            "some from memory",
            L3_FOUND | dict(went=0.75),
            "it answered 75 % of them, as if about 1.00 MiB of the 4 MiB",
        ),
        ("no mixture", L3_FOUND | dict(went=2), "no mixture of L3 and memory"),
        ("off in the caches", STAIRS | dict(first=2**16, last=2**20), "a cache of the reported"),
        (
            "shares of the wait",
            dict(shares={"a": 1}, shown_shares="a 9 %", seen=value(0.1), from_memory=1e-7),
            "the program sees 10 % of the wait. At the largest region their shares of memory's "
            "latency are a 9 %.",
        ),
        ("mountain off", MOUNTAIN | dict(all_off=3), "Of the mountain's 9 points 3 are off"),
        ("loads in L1", MOUNTAIN | dict(off_in_l1=[1]), "In L1 (1) a word costs 0.50 cycles"),
        ("lines left out", MOUNTAIN | dict(still_held=[1]), "Just beyond a cache (1) the lines"),
        ("far beyond", MOUNTAIN | dict(beyond=[1]), "than the guessed 12."),
        ("few loads", MOUNTAIN | dict(few_loads=[(512, 1024)]), "1 with at most 2 loads in a pass"),
        ("rest unexplained", MOUNTAIN | dict(rest=[1, 2]), "The other 2 are unexplained"),
        ("L3 at half", HALF_L3 | dict(halfway=15e-9), "the L3 does answer."),
        ("memory at half", HALF_L3 | dict(halfway=90e-9), "main memory answers, because"),
        ("both at half", HALF_L3 | dict(halfway=50e-9), "the L3 answers some loads"),
        ("whole number", WHOLE | dict(cycles=4.01), "That is 4, within 2 %."),
        ("sizes differ", WHOLE, "so no one number describes them."),
        ("clock moved", WHOLE | dict(high=4.1), "the clock must have moved"),
        ("translation", PAGES | dict(in_small=ns(9)), "ns is translation."),
        ("huge pages slower", PAGES | dict(in_small=ns(1)), "that is not translation."),
        ("pages alike", PAGES | dict(in_small=ns(3)), "are indistinguishable ("),
        ("host's pages", dict(doubt=True), "if the host backs huge pages with huge ones"),
        ("near is faster", ends(1), "Translation is not all of it, if: neighbouring lines"),
        ("near is slower", ends(9), "more than the 3.0"),
        ("near is alike", ends(3), "indistinguishable from the 3.0"),
        (
            "one kind of pages",
            SIZES | dict(both=[]),
            "only where both kinds of pages were measured.",
        ),
        ("reach below", SIZES | dict(alike=[]), "the TLB's reach lies below them all."),
        ("reach beyond", SIZES | dict(reach=4), "does not show in this curve."),
        ("reach within", SIZES | dict(reach=1024), "up to 1.00 KiB: so far the TLB reaches."),
        ("hides much", dict(middle=3), "hides much"),
        ("hides some", dict(middle=1.5), "hides some"),
        ("hides little", dict(middle=1), "hides little"),
        ("dram is wider", SPANS, "`dram`: its interval is 200 ns wide, that of `far` only 26.0"),
        ("far is wider", SPANS | dict(of_dram=9e-9), "`far`: its interval is 26.0 ns wide"),
        ("L3 in both", dict(has_l3=True, third="L3"), "L3, here and there"),
        ("L3 only there", dict(has_l3=False, third="A region"), "A region here, L3 there"),
        (
            "memory is slower",
            dict(
                m={"memory": off(2)},
                from_memory=2e-7,
                far=value(50),
                clock=value(5e9),
                dram=value(8e-8),
            ),
            "A wait of 190 ns behind the L3, instead of the guessed 80.0 ns, would account for it: this "
            "memory is farther away or busier",
        ),
        (
            "memory is faster",
            dict(
                m={"memory": off(0.5)},
                from_memory=2e-8,
                far=value(50),
                clock=value(5e9),
                dram=value(8e-8),
            ),
            "this memory is nearer than the guess.",
        ),
    ],
    "memory/fault": [
        ("near at times", READY | dict(best=10e-6), "The fastest trial took 10.0 µs, near"),
        ("never near", READY | dict(best=90e-6), "Not even the fastest trial"),
        (
            "clearing is slower",
            CLEAR | dict(clear=1e9),
            "slower than guessed (exercise 3), and the",
        ),
        ("clearing as guessed", CLEAR | dict(clear=3e10), "are in it, and the kernel would have"),
        ("little taken back", COLD | dict(f={"cold": off(0.5)}), "the host had taken back little."),
        ("taken back", COLD | dict(f={"cold": off(2)}), "of memory that the host had taken back."),
        ("memory measured", dict(reading=MEASURED, latency=MEASURED), "measured"),
        ("memory guessed", dict(reading=MEASURED, latency=GUESSED), "guessed"),
        ("no guest", REST | dict(guest=False), "This is no guest: nobody takes it back."),
        ("slow after a rest", REST, "That fits a host which had taken some of it back."),
        (
            "little slower after a rest",
            REST | dict(rest_p99=4),
            "At 100 ns for a fault of the host's that would be 6.0 % of the pages",
        ),
        ("no slower after a rest", REST | dict(rest=ns(3)), "no sign that the host"),
        (
            "direct read measured",
            dict(direct_read=SimpleNamespace(value=6e-5, origin="measured")),
            "A direct read of a block takes 60.0 µs",
        ),
        (
            "direct read guessed",
            dict(direct_read=SimpleNamespace(value=6e-5, origin="guess")),
            "The page on reading files",
        ),
        ("solved", TWO_KINDS, "Clearing runs at 20.0 GB/s (guessed for small pages: 10.0 GB/s)."),
        ("no solution", TWO_KINDS | dict(kernel=-1e-6), "a huge page that takes longer"),
        ("no major faults", AHEAD | dict(listed=[]), "No major faults of both kinds"),
        ("read-ahead unknown", AHEAD | dict(ahead=None), "C. Each of those reads ahead up to what"),
        ("read-ahead known", AHEAD, "C. Each of those reads ahead up to 128 KiB."),
        (
            "kernel's work",
            dict(f={"anonymous": ns(900)}, cleared=value(1e10), null=value(1e-7), take=value(2000))
            | dict(work_needed=lambda *_: "3,000"),
            "the kernel works 3,000 cycles on it, where 2,000 were guessed.",
        ),
    ],
    "memory/bandwidth": [
        (
            "several CPUs",
            dict(readers=SimpleNamespace(points=[1, 2], axis_in_unit=[1, 2], growth=1.5)),
            ": 2 CPUs read 1.5 times as much as one",
        ),
        ("as reading", WHY | dict(name="read_scalar"), "The bus is full."),
        ("like reading", WHY | dict(name="write_nt", model=1), "shares that miss: The bus is"),
        ("lines not read", WHY | dict(charge=lambda _: 0.9), "C. So the core overwrites"),
        ("cheaper writes", WHY | dict(result=off(3)), "C."),
        ("slow as reading", WHY | dict(result=off(0.4)), "C. So it is reading in these registers"),
        (
            "costlier writes",
            WHY | dict(result=off(0.3), charge=lambda _: 2.5),
            "so something else holds it back.",
        ),
        ("bus is full", LINES | dict(full=True), "when it is read, not 50.0 GB/s."),
        ("walks are hidden", LINES | dict(full=False, without_walk=-1e-9), "to take, 20.0 ns."),
        ("lines are few", LINES | dict(full=False), "20 lines under way instead of the guessed 40"),
        ("writes in passing", dict(written=1.2), "the write-back runs beside the next"),
        ("writes like reads", dict(written=2), "as the model says."),
        ("writes unexplained", dict(written=4), "Neither reading nor writing back"),
        ("one CPU off", dict(by_one=["a", "b"], by_more=[]), "same misses again: a, b the"),
        (
            "more CPUs off",
            dict(by_one=[], by_more=["a", "b"]),
            "With more CPUs: a, b the prediction.",
        ),
        ("shorter queue", QUEUE | dict(factor=1.25, busy=0.2), "20 % busy, and the 10.0 GB/s"),
        ("longer queue", QUEUE | dict(factor=9), "narrower than guessed"),
        ("no queue", QUEUE | dict(factor=0.9), "No queue shows."),
        ("queue holds", QUEUE | dict(factor=2), "So it holds here."),
        ("loaded latency off", dict(late=["9 %", "19 %"]), "two at 9 %, 19 %: a queue"),
        ("peak unknown", PEAK | dict(known=None), "One core reads 10.1"),
        ("peak known", PEAK, "Of 50.0 GB/s one core reads 20 %."),
        ("latency measured", dict(latency=MEASURED), "measured in this run"),
        ("latency guessed", dict(latency=GUESSED), "guessed"),
        ("no pairs", PAIRS | dict(ratios={}), "It could not be measured."),
        (
            "spread unknown",
            PAIRS | dict(known_spread=False),
            "64 bits at a time: L. There are too few",
        ),
        ("wide is faster", PAIRS, "64 bits at a time: L. 1 of 2 differ"),
        ("wide is no faster", PAIRS | dict(differing=[]), "64 bits at a time: L. None differs"),
        ("shared core", dict(gain=1.2), "the two CPUs shared a core"),
        ("within the bus", dict(known=1, whose=""), "comes from a cache"),
        ("within the core", dict(known=None, whose=" each"), "128 bytes a cycle each"),
    ],
}
