/* main.c: reckon-peer, the other host of the network probes: options, and the loop that listens. */
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/text.h"
#include "peer/peer.h"
#include "probe/cpus.h"

#define NOBODY 65534 /* user and group (/proc/sys/kernel/overflowuid) */
#define NOTES_AT_ONCE 50
#define NOTE_EVERY_NS 10000000000u
#define EVENTS_MAX 66 /* the two below, and as many greetings as there are */

static const char help[] =
    "reckon-peer --listen ADDRESS[:PORT] [--allow HOST ...] [--token-file FILE] [--cpu N]\n"
    "The other host of Reckon's network measurements. It answers only hosts given by --allow\n"
    "that know its token. It needs no privileges, drops those of root, and writes no file.\n"
    "  --listen ADDRESS[:PORT]  where: an address of this host, [IPv6]:PORT, 0.0.0.0 for all of\n"
    "                           IPv4, :: for all;\n"
    "                           port " PEER_PORT " unless given, 0 for any that is free\n"
    "  --allow HOST             who is served (may be given several times); needed unless it\n"
    "                           listens on a loopback address, where loopback is served\n"
    "  --token-file FILE        the token that both hosts share, at least 16 characters; without\n"
    "                           it the environment's RECKON_PEER_TOKEN\n"
    "  --cpu N                  run on that CPU alone\n"
    "  --until-eof              end when standard input ends, too\n"
    "It says \"listening on ADDRESS:PORT\" and serves until Ctrl-C or SIGTERM.\n";

static struct {
    int listening, until_eof;
} sockets = {-1, 0};
static volatile sig_atomic_t stopped;

/* At most NOTES_AT_ONCE lines, and one more every NOTE_EVERY_NS: what others send must not fill a
 * disk. */
void log_line(const char *format, ...)
{
    static uint64_t begin_ns, written, left_out;
    const uint64_t now = rk_monotonic_ns();
    begin_ns = begin_ns ? begin_ns : now;
    const uint64_t allowed = NOTES_AT_ONCE + (now - begin_ns) / NOTE_EVERY_NS;
    if (written >= allowed) {
        left_out++;
        return;
    }
    /* Lines that were not used for a while are not saved up. */
    written = written + NOTES_AT_ONCE < allowed ? allowed - NOTES_AT_ONCE + 1 : written + 1;
    char text[512], before[64] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (left_out)
        snprintf(before, sizeof before, "(%llu lines left out) ", (unsigned long long)left_out);
    left_out = 0;
    fprintf(stderr, PEER_NAME ": %s%s\n", before, text);
}

/* Keeps no group; 0 also where a user namespace has no such user, or this root may not change. */
static int become_nobody(void)
{
    if (geteuid() != 0 || (setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
                           setresuid(NOBODY, NOBODY, NOBODY) == 0))
        return 0;
    return errno == EINVAL || errno == EPERM ? 0 : -1;
}

/* Root is needed only to open a port below 1024 and root's own token file. From here on the program
 * is nobody or, where a user namespace has no such user, root without capabilities. 0 or -1. */
static int drop_privileges(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};
    if (become_nobody() || syscall(SYS_capset, &header, none) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
        log_line("The privileges cannot be dropped: %s.", strerror(errno));
        return -1;
    }
#ifdef __SANITIZE_ADDRESS__
    prctl(PR_SET_DUMPABLE, 1); /* the check for leaks traces its own process */
#endif
    return 0;
}

void leave_sockets(void)
{
    close(sockets.listening);
    close_greetings();
    if (sockets.until_eof)
        close(0);
}

static void on_signal(int number)
{
    stopped |= number != SIGCHLD;
}

/* The token from a file or the environment: not from the arguments, which every user can read. */
static int find_token(const char *file)
{
    char text[PEER_TOKEN_MAX + 3] = "";
    if (file) {
        FILE *in = fopen(file, "re");
        if (!in) {
            log_line("The token file %s cannot be read: %s.", file, strerror(errno));
            return -1;
        }
        text[fread(text, 1, sizeof text - 1, in)] = 0;
        fclose(in);
        text[strcspn(text, "\r\n")] = 0;
    } else {
        char *const set = getenv("RECKON_PEER_TOKEN");
        snprintf(text, sizeof text, "%s", set ? set : "");
        if (set)
            explicit_bzero(set, strlen(set)); /* /proc/PID/environ keeps what unsetenv() removes */
    }
    size_t length = 0;
    while (text[length] > ' ' && text[length] <= '~')
        length++;
    if (text[length] || length < PEER_TOKEN_MIN || length > PEER_TOKEN_MAX) {
        log_line("A token of %d to %d characters without spaces is needed, in the environment's "
                 "RECKON_PEER_TOKEN or by --token-file.",
                 PEER_TOKEN_MIN, PEER_TOKEN_MAX);
        return -1;
    }
    set_token(text);
    return 0;
}

static int pin(const char *text)
{
    int64_t cpu;
    const char *const end = rk_parse_number(text, 0, RK_CPUS_MAX - 1, &cpu);
    const int error = rk_pin_process(0, end && !*end ? (int)cpu : -1);
    if (!error)
        return 0;
    log_line("CPU %s cannot be used: %s.", text, strerror(error));
    return -1;
}

/* --- the loop --- */

static void accept_one(const sigset_t *open_mask)
{
    struct sockaddr_storage from = {0};
    socklen_t length = sizeof from;
    const int fd =
        accept4(sockets.listening, (struct sockaddr *)&from, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        const struct host host = host_of(&from);
        greet_new(fd, &host);
    } else if (is_full(errno)) {
        const struct timespec pause = {0, FULL_PAUSE_NS};
        close_oldest_greeting();
        /* For signals, too: while a connection waits, the loop's ppoll() returns without them. */
        ppoll(NULL, 0, &pause, open_mask);
    }
}

static void listen_until_stopped(const sigset_t *open_mask)
{
    while (!stopped) {
        struct pollfd events[EVENTS_MAX] = {
            {.fd = sockets.listening, .events = POLLIN},
            {.fd = sockets.until_eof ? 0 : -1, .events = POLLIN},
        };
        const int waiting = 2 + greetings(events + 2, EVENTS_MAX - 2);
        const int64_t due_ns = next_deadline_ns();
        const uint64_t before_ns = rk_monotonic_ns();
        const int64_t left_ns = due_ns > (int64_t)before_ns ? due_ns - (int64_t)before_ns : 0;
        const struct timespec left = {left_ns / RK_NS_PER_S, left_ns % RK_NS_PER_S};
        const int ready = ppoll(events, (nfds_t)waiting, due_ns < 0 ? NULL : &left, open_mask);
        collect_children();
        char byte;
        if (ready > 0 && events[1].revents && read(0, &byte, 1) <= 0)
            return;
        if (due_ns >= 0)
            read_greetings(rk_monotonic_ns());
        if (ready > 0 && events[0].revents)
            accept_one(open_mask);
    }
}

static int run(const char *address, pid_t parent)
{
    struct sockaddr_storage bound = {0};
    sockets.listening = listen_at(address, &bound);
    if (sockets.listening < 0)
        return 1;
    const struct host host = host_of(&bound);
    if (!is_loopback(&host) && !anyone_allowed()) {
        log_line("Listening on %s, which others reach, needs --allow HOST for each host to be "
                 "served.",
                 address);
        return 2;
    }
    if (drop_privileges())
        return 1;
    if (sockets.until_eof) { /* beside the end of its input, which another process may hold open */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            return 0;
    }
    /* Signals are delivered only while it waits. */
    const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked, open_mask;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&blocked, signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, &open_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &action, NULL);
        sigdelset(&open_mask, signals[i]);
    }
    signal(SIGPIPE, SIG_IGN);
    char text[ADDRESS_MAX];
    address_text(&bound, text);
    printf("listening on %s\n", text);
    fflush(stdout);
    listen_until_stopped(&open_mask);
    close(sockets.listening);
    close_greetings();
    return end_children() ? 1 : 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"listen", required_argument, NULL, 'l'},
                                            {"allow", required_argument, NULL, 'a'},
                                            {"token-file", required_argument, NULL, 't'},
                                            {"cpu", required_argument, NULL, 'c'},
                                            {"until-eof", no_argument, NULL, 'u'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *address = NULL, *token_file = NULL;
    const pid_t parent = getppid();
    int option, bad = 0;
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, UINT_MAX, 0u); /* descriptors that it inherited */
#endif
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'l':
            address = optarg;
            break;
        case 'a':
            bad |= allow(optarg);
            break;
        case 't':
            token_file = optarg;
            break;
        case 'c':
            bad |= pin(optarg);
            break;
        case 'u':
            sockets.until_eof = 1;
            break;
        case 'h':
            fputs(help, stdout);
            return 0;
        default:
            return 2; /* getopt has printed the reason */
        }
    }
    if (optind < argc)
        log_line("There is no argument %s; see --help.", argv[optind]);
    else if (!address)
        log_line("Say where to listen, --listen ADDRESS[:PORT]; see --help.");
    if (optind < argc || !address || bad || find_token(token_file))
        return 2;
    return run(address, parent);
}
