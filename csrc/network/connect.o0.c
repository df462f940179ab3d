/* network/connect at -O0, by the stamps of the reports that compiled without optimisation. */
#include "network/support/connect.h"

/* t470: bare stamps, minus an empty pair of them. */
#define T470(sample, body)                                                                         \
    do {                                                                                           \
        struct rk_sample timer_;                                                                   \
        RK_TIME_BARE(&timer_, 1, (void)0);                                                         \
        RK_TIME_BARE(sample, 1, body);                                                             \
        (sample)->ticks -= timer_.ticks;                                                           \
    } while (0)
#define I7_10750H(sample, body) RK_TIME_PAOLONI(sample, 1, body)

TIME_CONNECT(run_t470_connect, T470)
TIME_CONNECT(run_i7_10750h_connect, I7_10750H)
TIME_CLOSE(run_t470_close, T470, IN_ORDER)
TIME_CLOSE(run_i7_10750h_close, I7_10750H, IN_ORDER)

RK_PROBE("network/connect/t470_connect", .op = "connection", .reports = "t470",
         .timed = "connect() alone, -O0, between bare stamps, minus an empty pair of stamps",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .params = RK_PARAMS(PEER),
         OF_AN_ACCEPTOR(run_t470_connect, .kind = ORDINARY));
RK_PROBE("network/connect/t470_close", .op = "connection", .reports = "t470",
         .timed = "close() of an idle connection, in order (FIN), -O0, between bare stamps, minus "
                  "an empty pair of stamps",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .params = RK_PARAMS(PEER, PORTS),
         OF_AN_ACCEPTOR(run_t470_close, .kind = ORDINARY));
RK_PROBE("network/connect/i7_10750h_connect", .op = "connection", .reports = "i7_10750h",
         .timed = "connect() alone, -O0, between CPUID-fenced stamps, the stamps included",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .params = RK_PARAMS(PEER),
         OF_AN_ACCEPTOR(run_i7_10750h_connect, .kind = ORDINARY));
RK_PROBE("network/connect/i7_10750h_close", .op = "connection", .reports = "i7_10750h",
         .timed = "close() of an idle connection, in order (FIN), -O0, between CPUID-fenced "
                  "stamps, the stamps included",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .params = RK_PARAMS(PEER, PORTS),
         OF_AN_ACCEPTOR(run_i7_10750h_close, .kind = ORDINARY));
