/* network/rtt as other programs measure it: ping and sockperf, with their own clocks. */
#include <math.h>

#include <sys/mman.h>

#include "probe/counts.h"
#include "network/support/tools_server.h"

#define SPAN_MAX_MS                                                                                \
    5000 /* sockperf's log is then under RK_TOOL_PRINTS_MAX at 3 us a round trip                   \
          */

/* Whether a time in us that a program printed is positive and no longer than its whole run. */
static int is_plausible(double us, const struct rk_stamp *since)
{
    return isfinite(us) && us > 0 && us * 1e3 < (double)(rk_monotonic_ns() - since->ns);
}

/* --- ping --- */

/* Of "64 bytes from 127.0.0.1: icmp_seq=3 ttl=64 time=0.011 ms" the number and the time in us. */
static int read_echo(const char *line, long *sequence, double *us)
{
    const char *from = strstr(line, " bytes from "), *at = strstr(line, " time=");
    char unit[4] = "";
    double ms;
    if (!from || sscanf(from, " bytes from %*s icmp_seq=%ld ", sequence) != 1 || !at ||
        sscanf(at, " time=%lf %3s", &ms, unit) != 2 || strcmp(unit, "ms") != 0)
        return 0;
    *us = ms * 1e3;
    return 1;
}

/* Echo 1, which finds nothing in the caches, is left out. */
static int read_echoes(struct rk_context *c, const struct rk_tool *ping, struct rk_sample *out,
                       size_t n)
{
    const double ticks_per_ns = rk_ticks_per_ns(&ping->begin);
    size_t echoes = 0;
    char *rest = ping->text;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        long sequence;
        double us;
        if (!read_echo(line, &sequence, &us))
            continue;
        if (echoes > n)
            return rk_error(c, EPROTO, "ping printed echo %ld where %zu were requested.", sequence,
                            n + 1);
        if (sequence != (long)echoes + 1)
            return rk_error(c, EPROTO, "ping printed echo %ld where echo %zu of %zu was due.",
                            sequence, echoes + 1, n + 1);
        if (!is_plausible(us, &ping->begin))
            return rk_error(c, EPROTO, "ping printed an implausible round trip: %.60s", line);
        if (echoes > 0)
            out[echoes - 1] = (struct rk_sample){rk_ticks(us * 1e3, ticks_per_ns), 1};
        echoes++;
    }
    if (echoes == n + 1)
        return 0;
    return rk_error(c, EPROTO, "ping printed the times of %zu echoes where %zu were requested.",
                    echoes, n + 1);
}

static int run_ping(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const long long interval_ms = rk_integer(c, "interval_ms");
    const int64_t allowed_ms = interval_ms * (int64_t)(n + 1);
    struct rk_tool ping;
    int status = tool_require_loopback(c);
    if (status)
        return status;
    /* A ping with file capabilities outlives a killed caller, at most for the seconds of -w. */
    status = rk_tool_run(c, &ping, "iputils-ping", allowed_ms,
                         "ping -n -i %lld.%03lld -s %d -c %zu -w %lld " RK_TOOL_LOOPBACK,
                         interval_ms / 1000, interval_ms % 1000, (int)rk_integer(c, "size_bytes"),
                         n + 1, (long long)(allowed_ms / 1000 + RK_TOOL_SPARE_S - 2));
    status = status ? status : read_echoes(c, &ping, out, n);
    rk_tool_stop(&ping);
    return status;
}

/* --- sockperf --- */

/* The round trips of the log in us, in their order; returns their number, or -1 with the
 * implausible line in *bad. A line is "packet, sent, back, round trip", in s and us; those before
 * and after are a report. */
static long read_trips(const struct rk_tool *sockperf, double *us, const char **bad)
{
    long count = 0, packet;
    double sent_s, back_s;
    char *rest = sockperf->text;
    while ((*bad = strsep(&rest, "\n"))) {
        if (sscanf(*bad, "%ld, %lf, %lf, %lf", &packet, &sent_s, &back_s, &us[count]) != 4)
            continue;
        /* Without --full-rtt sockperf prints half of the difference of the two. */
        const double off_us = fabs((back_s - sent_s) * 1e6 - us[count]);
        const int is_exact = off_us <= 0.01 + 0.01 * us[count];
        if (packet != count || !is_exact || !is_plausible(us[count], &sockperf->begin))
            return -1;
        count++;
    }
    return count;
}

/* n round trips at even distances in the log, not means of several: percentiles stay those of
 * single round trips. */
static int spread(struct rk_context *c, const struct rk_tool *sockperf, struct rk_sample *out,
                  size_t n)
{
    const double ticks_per_ns = rk_ticks_per_ns(&sockperf->begin);
    const size_t lines = strlen(sockperf->text) / 8 + 1; /* no line of four numbers is shorter */
    const char *bad;
    double *us = malloc(lines * sizeof *us);
    if (!us)
        return rk_refused(c, "malloc", ENOMEM);
    const long count = read_trips(sockperf, us, &bad);
    int status = 0;
    if (count < 0)
        status = rk_error(c, EPROTO, "sockperf logged an implausible round trip: %.80s", bad);
    else if ((size_t)count < n)
        status = rk_error(c, EPROTO,
                          "sockperf logged %ld round trips where %zu were requested; a longer "
                          "span_ms gives more.",
                          count, n);
    for (size_t i = 0; i < n && !status; i++) {
        const size_t at = (2 * i + 1) * (size_t)count / (2 * n);
        out[i] = (struct rk_sample){rk_ticks(us[at] * 1e3, ticks_per_ns), 1};
    }
    free(us);
    return status;
}

/* The client on this process's CPU, as the server. Its log is a file in memory. */
static int run_client(struct rk_context *c, int port, struct rk_sample *out, size_t n)
{
    const int span_s = (int)(rk_integer(c, "span_ms") + 999) / 1000;
    struct rk_tool client = {0};
    const int log = memfd_create("reckon-log", 0);
    if (log < 0)
        return rk_refused(c, "memfd_create", errno);
    int status = rk_tool_run(c, &client, "sockperf", span_s * 1000,
                             "sockperf ping-pong --tcp --full-rtt -i " RK_TOOL_LOOPBACK
                             " -p %d -t %d --msg-size %d --full-log /proc/self/fd/%d",
                             port, span_s, (int)rk_integer(c, "size_bytes"), log);
    status = status ? status : rk_tool_read(c, &client, log);
    char message[RK_TOOL_MESSAGE_MAX];
    if (!status && !client.text[0]) /* sockperf exits with 0 all the same */
        status =
            rk_error(c, EPROTO, "sockperf logged nothing: %s", rk_tool_message(&client, message));
    status = status ? status : spread(c, &client, out, n);
    close(log);
    rk_tool_stop(&client);
    return status;
}

struct sockperf {
    struct rk_tool server;
    int port;
};

static int open_sockperf(struct rk_context *c)
{
    struct sockperf *const state = rk_state(c);
    int status = tool_free_port(c, &state->port);
    if (!status)
        status = rk_tool_start(c, &state->server, "sockperf", -1, SPAN_MAX_MS,
                               "sockperf server --tcp -i " RK_TOOL_LOOPBACK " -p %d", state->port);
    return status ? status : tool_await_listening(c, &state->server, state->port);
}

static int run_sockperf(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct sockperf *const state = rk_state(c);
    const struct rk_tcp_counts before = rk_count_tcp();
    const int status = run_client(c, state->port, out, n);
    rk_note_tcp_since(c, &before);
    return status;
}

static int close_sockperf(struct rk_context *c)
{
    rk_tool_stop(&((struct sockperf *)rk_state(c))->server);
    return 0;
}

RK_PROBE("network/rtt/ping", .op = "round trip",
         .timed = "as ping prints it, in steps of 1 us: from its own look at the clock before it "
                  "sends an ICMP echo to 127.0.0.1 to the kernel's stamp of the reply; a first "
                  "echo is not counted",
         .params = RK_PARAMS(RK_INTEGER("size_bytes", 56, 16, 65507, "payload of an echo"),
                             RK_INTEGER("interval_ms", 2, 1, 1000,
                                        "from one echo to the next; ping refuses an ordinary user "
                                        "less than 2, older ones less than 200")),
         .needs = RK_NEEDS_PROGRAM, .trials = run_ping);
RK_PROBE("network/rtt/sockperf", .op = "round trip",
         .timed = "as sockperf ping-pong --tcp --full-rtt logs them, by its own clock: a send and "
                  "the receive of what its server on the same CPU sends back; as many of the log's "
                  "round trips as there are samples, evenly spread over it",
         .needs = RK_NEEDS_PROGRAM,
         .params = RK_PARAMS(RK_INTEGER("size_bytes", 64, 14, 65000, "one message"),
                             RK_INTEGER("span_ms", 1000, 1000, SPAN_MAX_MS,
                                        "rounded up to whole seconds, as sockperf takes them")),
         RK_STAGES(struct sockperf, open_sockperf, run_sockperf, close_sockperf));
