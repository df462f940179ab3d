/* main.c: reckon-lab --rtt-us N --rate-bit N [--path tun|packet] [--wait-port N] [--beside]
 *                   [-- PROGRAM [ARGUMENT...]]
 *
 * Prints one line of JSON when the lab is ready, or one with the reason why it does not start. Then
 * it answers the line "counters" with another. It ends with its stdin, its caller, the relay or a
 * program of the second host, and all of the lab with it. The program is reckon-peer unless
 * another is given, which runs instead of it or, with --beside, together with it. */
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/lab.h"
#include "probe/text.h"

#define ENDING_NS 5000000000 /* how long the kernel may take to end what was killed */
/* Bounds: what the relay was seen to keep up with, and what it holds in memory. */
#define RTT_US_MAX 2000000
#define RATE_BIT_MIN 10000
#define RATE_BIT_MAX 2500000000
#define ON_THE_WAY_MAX (64 << 20)

#define USAGE                                                                                      \
    "reckon-lab --rtt-us N --rate-bit N [--path tun|packet] [--wait-port N] [--beside] [-- "       \
    "PROGRAM [ARGUMENT...]]"

__attribute__((noreturn, format(printf, 3, 0))) static void
print_end(const char *state, const char *remedy, const char *format, va_list list)
{
    char reason[512];
    vsnprintf(reason, sizeof reason, format, list);
    printf("{\"%s\": ", state);
    rk_put_json_string(stdout, reason);
    printf(", \"remedy\": ");
    rk_put_json_string(stdout, remedy);
    printf("}\n");
    fflush(stdout);
    _exit(3);
}

void lab_unsupported(const char *remedy, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_end("unsupported", remedy, format, list);
}

void lab_failed(const char *remedy, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_end("failed", remedy, format, list);
}

void lab_stop(const char *what, int error)
{
    if (error == EAGAIN) { /* a limit of the moment: a failure, not a property of this machine */
        fprintf(stderr, "reckon-lab: no new process: the limit on processes was reached (%s)\n",
                what);
        _exit(1);
    }
    lab_unsupported("Name a real host with PEER=.", "%s: %s", what, strerror(error));
}

__attribute__((noreturn)) static void usage(const char *what)
{
    fprintf(stderr, "reckon-lab: %s; usage: %s\n", what, USAGE);
    exit(2);
}

static int64_t number_option(const char *name, const char *text, int64_t minimum, int64_t maximum)
{
    char what[128];
    int64_t value;
    const char *const end = rk_parse_number(text, minimum, maximum, &value);
    if (!end || *end) {
        snprintf(what, sizeof what, "%s is a whole number from %lld to %lld", name,
                 (long long)minimum, (long long)maximum);
        usage(what);
    }
    return value;
}

/* Enough for TCP to fill the link, as in a switch of that speed. */
static int64_t queue_bytes(const struct lab *lab)
{
    const int64_t on_the_way = lab->rtt_ns * (lab->rate_bit / 1000) / 8000000;
    const int64_t by_rate = lab->rate_bit < 1000000000 ? lab->rate_bit / 250 : 4000000;
    int64_t bytes = 256000;
    bytes = 2 * on_the_way > bytes ? 2 * on_the_way : bytes;
    return by_rate > bytes ? by_rate : bytes;
}

static void print_counters(const struct lab *lab)
{
    static const char *const name[2] = {"to_peer", "to_client"};
    for (int side = LAB_CLIENT; side <= LAB_PEER; side++) {
        struct lab_counts *c = &lab->counts[side];
        printf("%s\"%s\": {\"packets\": %ju, \"bytes\": %ju, \"dropped\": %ju, \"missed\": %ju, "
               "\"refused\": %ju, \"late\": %ju, \"deepest_bytes\": %ju}",
               side ? ", " : "{", name[side], (uintmax_t)c->packets, (uintmax_t)c->bytes,
               (uintmax_t)c->dropped, (uintmax_t)c->missed, (uintmax_t)c->refused,
               (uintmax_t)c->late, (uintmax_t)c->deepest);
    }
    printf("}\n");
    fflush(stdout);
}

static void print_ready(const struct lab *lab, pid_t program)
{
    printf("{\"pid\": %d, \"peer_pid\": %d, \"relay_pid\": %d, \"path\": \"%s\", \"congestion\": "
           "\"%s\", \"offload\": %s, \"ipv6\": %s, \"rtt_us\": %lld, \"rate_bit\": %lld, "
           "\"client\": \"%s\", \"peer\": \"%s\", \"mtu\": %d, \"queue_bytes\": %lld}\n",
           (int)getpid(), (int)program, (int)lab->relay, lab->path == LAB_TUN ? "tun" : "packet",
           lab->congestion, lab->offload ? "true" : "false", lab->ipv6 ? "true" : "false",
           (long long)lab->rtt_ns / 1000, (long long)lab->rate_bit, lab_address[LAB_CLIENT],
           lab_address[LAB_PEER], LAB_MTU, (long long)lab->queue_bytes);
    fflush(stdout);
}

/* Why the relay has ended, unless a program of the second host ended by itself. */
static void print_cause(int wait_status)
{
    if (WIFSIGNALED(wait_status))
        fprintf(stderr, "reckon-lab: the relay died of signal %d (%s).\n", WTERMSIG(wait_status),
                strsignal(WTERMSIG(wait_status)));
    else if (WEXITSTATUS(wait_status) > LAB_PROGRAM_DIED)
        fprintf(stderr, "reckon-lab: a program of the second host died of signal %d (%s).\n",
                WEXITSTATUS(wait_status) - LAB_PROGRAM_DIED,
                strsignal(WEXITSTATUS(wait_status) - LAB_PROGRAM_DIED));
    else if (WEXITSTATUS(wait_status))
        fprintf(stderr, "reckon-lab: the relay has lost its device, or has no memory.\n");
}

/* Ends the relay and with it all other processes; waits until all have ended. */
__attribute__((noreturn)) static void end(const struct lab *lab, int status)
{
    int wait_status;
    if (waitpid(lab->relay, &wait_status, WNOHANG) == lab->relay)
        print_cause(wait_status);
    else
        kill(lab->relay, SIGKILL);
    const int64_t end_ns = lab_now_ns(CLOCK_MONOTONIC) + ENDING_NS;
    while (lab_now_ns(CLOCK_MONOTONIC) < end_ns) {
        const pid_t child = waitpid(-1, NULL, WNOHANG);
        if (child < 0)
            break;
        if (child == 0)
            usleep(1000);
    }
    _exit(status);
}

/* Answers until the lab has to end. */
static void serve(const struct lab *lab, int children, int caller)
{
    char line[64];
    size_t size = 0;
    struct pollfd events[3] = {{.fd = 0, .events = POLLIN},
                               {.fd = children, .events = POLLIN},
                               {.fd = caller, .events = POLLIN}};
    for (;;) {
        if (poll(events, 3, -1) < 0)
            continue;
        if (events[1].revents || events[2].revents)
            return;
        if (!events[0].revents)
            continue;
        const ssize_t got = read(0, line + size, sizeof line - size);
        if (got <= 0 || (size += (size_t)got) == sizeof line)
            return;
        for (char *stop; (stop = memchr(line, '\n', size));) {
            const size_t used = (size_t)(stop + 1 - line);
            if (used == 9 && memcmp(line, "counters", 8) == 0)
                print_counters(lab);
            memmove(line, stop + 1, size -= used);
        }
    }
}

static char *beside(const char *name)
{
    static char path[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 64);
    if (size < 0)
        lab_stop("/proc/self/exe", errno);
    path[size] = 0;
    strcpy(strrchr(path, '/') + 1, name);
    return path;
}

/* Fills in the link and the path; returns 1 if reckon-peer runs beside the given program. */
static int read_options(int argc, char **argv, struct lab *lab, int *port)
{
    static const struct option options[] = {{"rtt-us", required_argument, NULL, 'd'},
                                            {"rate-bit", required_argument, NULL, 'r'},
                                            {"path", required_argument, NULL, 'p'},
                                            {"wait-port", required_argument, NULL, 'w'},
                                            {"beside", no_argument, NULL, 'b'},
                                            {NULL, 0, NULL, 0}};
    int with_peer = 0;
    for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
        if (option == 'd')
            lab->rtt_ns = number_option("--rtt-us", optarg, 0, RTT_US_MAX) * 1000;
        else if (option == 'r')
            lab->rate_bit = number_option("--rate-bit", optarg, RATE_BIT_MIN, RATE_BIT_MAX);
        else if (option == 'p' && strcmp(optarg, "tun") == 0)
            lab->requested = LAB_TUN;
        else if (option == 'p' && strcmp(optarg, "packet") == 0)
            lab->requested = LAB_PACKET;
        else if (option == 'w')
            *port = (int)number_option("--wait-port", optarg, 1, 65535);
        else if (option == 'b')
            with_peer = 1;
        else
            usage("an option is not known or lacks its value");
    }
    if (lab->rtt_ns < 0 || !lab->rate_bit)
        usage("the link's round trip and rate are needed");
    if (lab->rtt_ns / 1000 * (lab->rate_bit / 1000) / 8000 > ON_THE_WAY_MAX)
        lab_unsupported("Set a shorter round trip or a lower rate.",
                        "a link of that round trip and rate holds more than %d MiB on the way",
                        ON_THE_WAY_MAX >> 20);
    lab->queue_bytes = queue_bytes(lab);
    lab->offload = lab->rate_bit > 100000000;
    return with_peer;
}

/* A descriptor that is readable when a child has ended. */
static int watch_children(void)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP}, NULL);
    return signalfd(-1, &child, SFD_CLOEXEC);
}

int main(int argc, char **argv)
{
    struct lab lab = {.rtt_ns = -1};
    int port = 0;
    const int with_peer = read_options(argc, argv, &lab, &port);
    const int caller = (int)syscall(SYS_pidfd_open, getppid(), 0); /* -1: stdin has to do */
    const int children = watch_children();
    lab.counts = mmap(NULL, 2 * sizeof *lab.counts, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (children < 0 || lab.counts == MAP_FAILED)
        lab_stop("signalfd or mmap", errno);

    lab_open_namespaces(&lab);
    const int peer = optind == argc || with_peer;
    char *const reckon_peer[] = {beside("reckon-peer"), "--listen", "10.77.0.2", "--allow",
                                 "10.77.0.1",           NULL};
    int programs = 0;
    if (peer)
        lab.program[programs++] = reckon_peer;
    if (optind < argc)
        lab.program[programs++] = argv + optind;
    const pid_t program = lab_start(&lab);
    if (peer)
        lab_await_port(&lab, LAB_PORT);
    if (port)
        lab_await_port(&lab, port);
    lab_drop_capabilities();
    print_ready(&lab, program);
    serve(&lab, children, caller);
    end(&lab, 0);
}
