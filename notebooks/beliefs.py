"""Twenty beliefs about what computers do, each a ratio of two values that this run measured."""

import math
from dataclasses import dataclass

import reckon as rk
from reckon import records
from reckon.show.sentences.peers import is_built_in


@dataclass(frozen=True)
class Belief:
    """What many believe: that `one` is between `least` and `most` times `other`."""

    says: str
    one: str  # a quantity
    other: str
    least: float
    most: float
    because: str  # what decides, whatever the numbers are


ABOUT = (0.8, 1.25)  # the ratios that "about the same" means
NOT_OVER, NOT_UNDER = 0.0, math.inf

KERNEL = [
    Belief("A tick of the processor's counter is a cycle of its core.", "cpu/clock/ticks", "cpu/clock/core", 0.98, 1.02,
           "The counter runs at a constant rate; a core's clock may change with load, temperature and power limits."),
    Belief("CPUID is an instruction like any other, about as fast as reading the time.", "cpu/timer/cpuid", "cpu/timer/rdtsc", NOT_OVER, 5,
           "CPUID waits for everything before it, and in a virtual machine it leaves the guest."),
    Belief("The kernel keeps the time, and yet to ask for it takes less than half of the smallest system call.", "cpu/timer/clock_gettime", "cpu/syscall/getpid", NOT_OVER, 0.5,
           "The kernel maps code and data into each process (the vDSO). This code reads the counter without entering the kernel."),
    Belief("A division takes the same time, whatever is divided.", "cpu/division/long_quotient", "cpu/division/small_numbers", *ABOUT,
           "A divider finds some bits of the quotient in each cycle."),
    Belief("A switch to another process takes at least ten times as long as a system call.", "cpu/switch/process", "cpu/syscall/getpid", 10, NOT_UNDER,
           "A call stays in its process; a switch saves one, chooses another and continues it."),
    Belief("`int 0x80` and SYSCALL are two ways to write the same call.", "cpu/syscall/getpid_int80", "cpu/syscall/getpid", *ABOUT,
           "Both end in the same function of the kernel. An interrupt looks up its gate and checks rights as well; "
           "how much of the difference that explains is a question of the chapter on system calls."),
    Belief("A process copies its parent, so a thread is a hundred times cheaper.", "cpu/task/fork", "cpu/task/thread", 100, NOT_UNDER,
           "A fork copies page tables, not pages. A page is copied later, when one side writes to it."),
    Belief("Of the time to start a program, fork takes less than half.", "cpu/task/fork", "cpu/task/fork_exec", NOT_OVER, 0.5,
           "exec maps the program and its libraries, and each page of them is touched for the first time."),
    Belief("Threads are switched at least twice as fast as processes.", "cpu/switch/process", "cpu/switch/thread", 2, NOT_UNDER,
           "Both enter the kernel, leave one stack and take another; a switch between processes also changes the address space."),
    Belief("To hand over to a process on another CPU takes longer than on the same one, although both could work at once.", "cpu/switch/process_across", "cpu/switch/process", 1, NOT_UNDER,
           "One side sleeps while the other works, and a CPU that sleeps must be woken."),
]

MEMORY = [
    Belief("Main memory takes about ten times as long as the first cache.", "memory/latency/memory", "memory/latency/l1", 5, 20,
           "The first cache answers in a few cycles; a load from memory asks every level, and then the chips."),
    Belief("The second cache is almost as fast as the first.", "memory/latency/l2", "memory/latency/l1", 1, 1.5,
           "It is larger, lies farther away, and is asked after the first has missed."),
    Belief("A byte is written as fast as it is read.", "memory/bandwidth/read", "memory/bandwidth/write", *ABOUT,
           "An ordinary write usually reads the line first and later writes it back. That is twice the traffic. It may take less than twice as long, because a core need not wait for what is written back."),
    Belief("The first touch of memory from `malloc` takes more than twice as long as a load from memory.", "memory/fault/anonymous", "memory/latency/memory", 2, NOT_UNDER,
           "`malloc` only reserves addresses. The first touch of a page enters the kernel, which finds memory and clears it."),
    Belief("A fault in a huge page costs about the same as one in a small page.", "memory/fault/huge", "memory/fault/anonymous", *ABOUT,
           "A huge page has as many bytes as hundreds of small pages, and the kernel must clear all of them."),
    Belief("A page fault need not wait for the disk: if the page is in memory, the fault takes less than half as long.", "memory/fault/minor", "memory/fault/major", NOT_OVER, 0.5,
           "The kernel only maps the page that it has."),
]

AFAR = [
    Belief("Between two programs of one machine a message and its answer take little longer than their four system calls: at most as long as ten.", "network/rtt/tcp", "cpu/syscall/getpid", NOT_OVER, 10,
           "Each way passes the whole protocol, and whoever waits is put to sleep and woken."),
    Belief("`ping` shows less than half of what a round trip costs a program.", "network/rtt/icmp", "network/rtt/tcp", NOT_OVER, 0.5,
           "The kernel answers a ping itself. For a message to a program, the kernel must wake the program, and the program makes system calls."),
    Belief("To connect to another host takes one round trip.", "network/connect/connect_peer", "network/rtt/tcp_peer", *ABOUT,
           "SYN and its answer are a round trip; the third packet needs no answer."),
    Belief("Another machine's memory is farther away than the local disk.", "files/remote/random", "files/read/direct_random", 1, NOT_UNDER,
           "A network costs a round trip; a disk costs the time to find a block. Which one takes longer depends on the network and the disk."),
]


def answers(beliefs, first):
    """The beliefs, numbered from `first` on, each with its answer folded."""
    results = {each.quantity: each for each in rk.results(samples=False)}
    blocks = [answer(first + place, belief, results) for place, belief in enumerate(beliefs)]
    names = [name for belief in beliefs for name in (belief.one, belief.other) if name in results]
    return rk.blocks.Block(rk.blocks.join_blocks(blocks).markdown, measured=tuple(dict.fromkeys(names)))


def answer(number, belief, results):
    pair = [results[name] for name in (belief.one, belief.other) if name in results]
    is_measured = len(pair) == 2 and all(each.has_samples for each in pair)
    said = f"Not measured: {rk.why(*pair) or 'no record'}."
    if is_measured:
        one, other = pair
        said = judged(belief, one, other, set_link(pair))
    text = f"**{number}** {belief.says}\n\n:::{{dropdown}} Answer\n{said} {belief.because}\n:::"
    return rk.blocks.Block(text)


def set_link(pair):
    """The round trip that this book set for one of the two alone, in words; "" where none is."""
    machine = rk.run().machine
    over_link = [each for each in pair if each.measurement.peer]
    part = "nfs" if any(records.experiment_of(each.quantity) == "files/remote" for each in over_link) else "peer"
    if len(over_link) != 1 or not is_built_in(machine, part):
        return ""
    return rk.amount(machine.number(f"{part}.link_rtt"), "ms")


def judged(belief, one, other, link=""):
    """What the run says of the belief; undecided where the ratio's interval allows both. link: the set round trip that one of the two
    contains, so that the ratio is no finding."""
    least, most = one.ratio_ends(other) or (-math.inf, math.inf)
    is_inside = belief.least <= least and most <= belief.most
    is_outside = most < belief.least or belief.most < least
    verdict = "Right on this machine" if is_inside else "Wrong on this machine" if is_outside else "Undecided on this machine"
    if link:
        verdict = f"No verdict: the link's round trip of {link} is a setting of this book"
    values = " and ".join(f"“{rk.title_of(each.quantity)}” {each:interval}" for each in (one, other))
    low, high = rk.number(least, 2), rk.number(most, 2)
    ends = f" ({low} to {high})" if math.isfinite(most) and low != high else ""
    return f"**{verdict}.** Measured: {values}. The ratio is {rk.number(one.ratio_of_medians(other), 2)}{ends}; {allowed(belief)}."


def allowed(belief):
    """Which ratios the belief means."""
    low, high = (f"{end:g}" for end in (belief.least, belief.most))
    if belief.most == NOT_UNDER:
        return f"right is {low} or more"
    return f"right is {high} or less" if belief.least == NOT_OVER else f"right is {low} to {high}"
