/* network/connect at -O0, by the stamps of the reports that compiled without optimisation. */
#include "network/support/connect.h"

/* t470: bare stamps, minus an empty pair of them. */
#define T470(sample, body)                                                                         \
    do {                                                                                           \
        struct rk_sample timer_;                                                                   \
        RK_ONE_BY_ONE(&timer_, 1, RK_BARE_BEGIN, RK_BARE_END, (void)0);                            \
        RK_ONE_BY_ONE(sample, 1, RK_BARE_BEGIN, RK_BARE_END, body);                                \
        (sample)->ticks -= timer_.ticks;                                                           \
    } while (0)
#define I7_10750H(sample, body) RK_ONE_BY_ONE(sample, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END, body)

TIME_CONNECT(t470_connect, T470)
TIME_CONNECT(i7_10750h_connect, I7_10750H)
TIME_CLOSE(t470_close, T470)
TIME_CLOSE(i7_10750h_close, I7_10750H)

static int run_t470_connect(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return t470_connect(c, out, n, ORDINARY, -1);
}

static int run_t470_close(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return t470_close(c, out, n, IN_ORDER, ORDINARY, -1);
}

static int run_i7_10750h_connect(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return i7_10750h_connect(c, out, n, ORDINARY, -1);
}

static int run_i7_10750h_close(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return i7_10750h_close(c, out, n, IN_ORDER, ORDINARY, -1);
}

#define ROW(id, report, row_name, what, ...)                                                       \
    RK_PROBE(id##_row_, .name = "network/connect/" report "_" row_name, .op = "connection",        \
             .reports = report, .timed = what, .params = RK_PARAMS(PEER, ##__VA_ARGS__),           \
             .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .trials = run_##id)

ROW(t470_connect, "t470", "connect",
    "connect() alone, -O0, between bare stamps, minus an empty pair of stamps");
ROW(t470_close, "t470", "close",
    "close() of an idle connection, in order (FIN), -O0, between bare stamps, minus an empty pair "
    "of "
    "stamps",
    PORTS);
ROW(i7_10750h_connect, "i7_10750h", "connect",
    "connect() alone, -O0, between CPUID-fenced stamps, the stamps included");
ROW(i7_10750h_close, "i7_10750h", "close",
    "close() of an idle connection, in order (FIN), -O0, between CPUID-fenced stamps, the stamps "
    "included",
    PORTS);
