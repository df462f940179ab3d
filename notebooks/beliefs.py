"""Twenty beliefs about what computers do, each a ratio of two values that this run measured."""

import math
from dataclasses import dataclass

import reckon as rk


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
           "The counter runs at a constant rate; the core's clock rises and falls with its load and its temperature."),
    Belief("CPUID is an instruction like any other, about as fast as reading the time.", "cpu/timer/cpuid", "cpu/timer/rdtsc", NOT_OVER, 5,
           "CPUID waits for everything before it, and in a virtual machine it leaves the guest."),
    Belief("To ask for the time is a system call, and costs at least half of the smallest one.", "cpu/timer/clock_gettime", "cpu/syscall/getpid", 0.5, NOT_UNDER,
           "The kernel maps a page of code and data into each process (the vDSO), which reads the counter without entering it."),
    Belief("A division takes the same time, whatever is divided.", "cpu/division/long_quotient", "cpu/division/small_numbers", *ABOUT,
           "A divider finds some bits of the quotient in each cycle."),
    Belief("A system call is as slow as a switch to another process.", "cpu/syscall/getpid", "cpu/switch/process", 0.5, NOT_UNDER,
           "A call stays in its process; a switch saves one, chooses another and continues it."),
    Belief("`int 0x80` and SYSCALL are two ways to write the same call.", "cpu/syscall/getpid_int80", "cpu/syscall/getpid", *ABOUT,
           "An interrupt looks up its gate, checks rights and saves more on the stack, which SYSCALL leaves out."),
    Belief("A process copies its parent, so a thread is a hundred times cheaper.", "cpu/task/fork", "cpu/task/thread", 100, NOT_UNDER,
           "A fork copies page tables, not pages; what it copies by and by, it copies when it is written."),
    Belief("Most of the time to start a program goes into fork.", "cpu/task/fork", "cpu/task/fork_exec", 0.5, NOT_UNDER,
           "exec maps the program and its libraries, and each page of them is touched for the first time."),
    Belief("Threads are switched at least twice as fast as processes.", "cpu/switch/process", "cpu/switch/thread", 2, NOT_UNDER,
           "Both enter the kernel, leave one stack and take another; a process changes the address space besides."),
    Belief("To hand over to another CPU is faster, because both work at once.", "cpu/switch/process_across", "cpu/switch/process", NOT_OVER, 1,
           "One side sleeps while the other works, and a CPU that sleeps must be woken."),
]

MEMORY = [
    Belief("Main memory takes about ten times as long as the first cache.", "memory/latency/memory", "memory/latency/l1", 5, 20,
           "The first cache answers in a few cycles; a load from memory asks every level, and then the chips."),
    Belief("The second cache is almost as fast as the first.", "memory/latency/l2", "memory/latency/l1", 1, 1.5,
           "It is larger, lies farther away, and is asked after the first has missed."),
    Belief("A byte is written as fast as it is read.", "memory/bandwidth/read", "memory/bandwidth/write", *ABOUT,
           "An ordinary write reads the line first and later writes it back: twice the traffic."),
    Belief("`malloc` has paid for its memory: the first touch is a load or store like any other.", "memory/fault/anonymous", "memory/latency/memory", NOT_OVER, 2,
           "It reserved addresses. The first touch of a page enters the kernel, which finds memory and clears it."),
    Belief("A fault in a huge page costs about the same as one in a small page.", "memory/fault/huge", "memory/fault/anonymous", *ABOUT,
           "The kernel clears as many times the bytes as small pages fit into a huge one."),
    Belief("A page fault means a wait for the disk.", "memory/fault/minor", "memory/fault/major", 0.5, NOT_UNDER,
           "Where the page is in memory already, the kernel only maps it."),
]

AFAR = [
    Belief("Within a machine a message costs about as much as a few system calls, ten at most.", "network/rtt/tcp", "cpu/syscall/getpid", NOT_OVER, 10,
           "Each way passes the whole protocol, and whoever waits is put to sleep and woken."),
    Belief("`ping` shows what a round trip costs a program.", "network/rtt/icmp", "network/rtt/tcp", *ABOUT,
           "The kernel answers a ping itself; a program is woken, called and left again."),
    Belief("To connect to another host takes one round trip.", "network/connect/connect_peer", "network/rtt/tcp_peer", *ABOUT,
           "SYN and its answer are a round trip; the third packet needs no answer."),
    Belief("Another machine's memory is farther away than the own disk.", "files/remote/random", "files/read/direct_random", 1, NOT_UNDER,
           "A network has a round trip, a disk what it takes to find a block; which is longer depends on both."),
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
    said = judged(belief, *pair) if is_measured else f"Not measured: {rk.why(*pair) or 'no record'}."
    text = f"**{number}** {belief.says}\n\n:::{{dropdown}} Answer\n{said} {belief.because}\n:::"
    return rk.blocks.Block(text)


def judged(belief, one, other):
    """What the run says of the belief; undecided where the ratio's interval allows both."""
    least, most = one.ratio_ends(other) or (-math.inf, math.inf)
    is_inside = belief.least <= least and most <= belief.most
    is_outside = most < belief.least or belief.most < least
    verdict = "Right" if is_inside else "Wrong" if is_outside else "Undecided"
    values = " and ".join(f"{rk.title_of(each.quantity)} {each:interval}" for each in (one, other))
    return f"**{verdict} on this machine.** Measured: {values}. The ratio is {rk.number(one.ratio_of_medians(other), 2)}."
