/* network/throughput as another program measures it: iperf3, with its own clock. */
#include <math.h>

#include "probe/counts.h"
#include "network/support/tools_server.h"

#define SPAN_MAX_MS 30000 /* a trial: a longer one only averages more */

/* The number after "name": in an object that holds no other and ends at `end`. 1 if it is there. */
static int number_in(const char *object, const char *end, const char *name, double *value)
{
    const char *at = strstr(object, name);
    return at && at < end && sscanf(at + strlen(name), " : %lf", value) == 1 && isfinite(*value);
}

/* The "error" in the report of iperf3 -J, which then exits with 0; NULL if there is none. */
static const char *error_in(const char *report, char message[RK_TOOL_MESSAGE_MAX])
{
    const char *at = strstr(report, "\"error\"");
    return at && sscanf(at, "\"error\" : \"%149[^\"]", message) == 1 ? message : NULL;
}

/* The receiver's bytes and seconds. iperf3's own quotient of the two shows that they were read
 * correctly. */
static int read_report(struct rk_context *c, const struct rk_tool *client, int64_t span_s,
                       double *bytes, double *seconds)
{
    static const char name[] = "\"sum_received\"";
    char message[RK_TOOL_MESSAGE_MAX];
    const char *const report = client->text;
    const char *object = strstr(report, name), *end = object ? strchr(object, '}') : NULL;
    double bits_per_second;
    if (error_in(report, message))
        return rk_error(c, EPROTO, "iperf3 failed: %s", message);
    if (!end || strstr(end, name) || !number_in(object, end, "\"bytes\"", bytes) ||
        !number_in(object, end, "\"seconds\"", seconds) ||
        !number_in(object, end, "\"bits_per_second\"", &bits_per_second))
        return rk_error(c, EPROTO, "iperf3 reported no sum of what was received: %s",
                        rk_tool_message(client, message));
    if (*bytes < 1 || fabs(*seconds - (double)span_s) > 0.5 * (double)span_s)
        return rk_error(c, EPROTO,
                        "iperf3 reported %.0f bytes in %.3g s where %d s were requested.", *bytes,
                        *seconds, (int)span_s);
    if (fabs(*bytes * 8 - bits_per_second * *seconds) > 0.01 * *bytes * 8)
        return rk_error(c, EPROTO,
                        "iperf3 reported %.0f bytes in %.3g s and %.3g bit/s, which contradict "
                        "each other.",
                        *bytes, *seconds, bits_per_second);
    return 0;
}

static int run_client(struct rk_context *c, int port, int64_t span_s, struct rk_sample *out)
{
    double bytes = 0, seconds = 0;
    struct rk_tool client;
    int status = rk_tool_run(c, &client, "iperf3", span_s * 1000,
                             "iperf3 -c " RK_TOOL_LOOPBACK " -p %d -l %d -t %d -J", port,
                             (int)rk_integer(c, "size_bytes"), (int)span_s);
    status = status ? status : read_report(c, &client, span_s, &bytes, &seconds);
    if (!status) {
        const int64_t ticks = rk_ticks(seconds * 1e9, rk_ticks_per_ns(&client.begin));
        *out = (struct rk_sample){ticks, (uint64_t)bytes};
    }
    rk_tool_stop(&client);
    return status;
}

struct iperf3 {
    int cpu; /* the server's */
    int port;
};

static int open_iperf3(struct rk_context *c)
{
    struct iperf3 *const state = rk_state(c);
    state->cpu = rk_other_cpu(c);
    return state->cpu < 0 ? state->cpu : tool_free_port(c, &state->port);
}

/* One run. Its server serves one client and ends by itself: one that goes on refuses the next
 * client while it still clears up after the last. */
static int serve_once(struct rk_context *c, const struct iperf3 *state, struct rk_sample *out)
{
    const int64_t span_s = (rk_integer(c, "span_ms") + 999) / 1000;
    struct rk_tool server;
    int status = rk_tool_start(c, &server, "iperf3", state->cpu, (span_s + RK_TOOL_SPARE_S) * 1000,
                               "iperf3 -s -1 -B " RK_TOOL_LOOPBACK " -p %d", state->port);
    status = status ? status : tool_await_listening(c, &server, state->port);
    status = status ? status : run_client(c, state->port, span_s, out);
    status = status ? status : rk_tool_wait(c, &server);
    rk_tool_stop(&server);
    return status;
}

static int run_iperf3(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_tcp_counts before = rk_count_tcp();
    int status = 0;
    for (size_t i = 0; i < n && !status; i++)
        status = serve_once(c, rk_state(c), &out[i]);
    rk_note_tcp_since(c, &before);
    return status;
}

RK_PROBE("network/throughput/iperf3", .op = "byte",
         .timed = "as iperf3 -J reports it in sum_received, by its own clock: one stream over the "
                  "loopback to a server on another CPU, from its beginning; what the receiver got, "
                  "and how long it took; a run a sample",
         .params = RK_PARAMS(RK_INTEGER("size_bytes", 131072, 64, 1 << 20, "one send"),
                             RK_INTEGER("span_ms", 1000, 1000, SPAN_MAX_MS,
                                        "rounded up to whole seconds, as iperf3 takes them"),
                             RK_PARTNER),
         .needs = RK_NEEDS_PROGRAM, .open = open_iperf3, .trials = run_iperf3,
         .state_bytes = sizeof(struct iperf3));
