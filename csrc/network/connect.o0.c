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

#define PROBE(report_, what, timed_, ...)                                                          \
    RK_PROBE(report_##_##what, .name = "network/connect/" #report_ "_" #what, .reports = #report_, \
             .timed = timed_, .params = RK_PARAMS(PEER, ##__VA_ARGS__),                            \
             .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .trials = run_##report_##_##what,           \
             OF_AN_ACCEPTOR(.kind = ORDINARY))

PROBE(t470, connect, "connect() alone, -O0, between bare stamps, minus an empty pair of stamps");
PROBE(t470, close,
      "close() of an idle connection, in order (FIN), -O0, between bare stamps, minus an empty "
      "pair of stamps",
      PORTS);
PROBE(i7_10750h, connect, "connect() alone, -O0, between CPUID-fenced stamps, the stamps included");
PROBE(i7_10750h, close,
      "close() of an idle connection, in order (FIN), -O0, between CPUID-fenced stamps, the "
      "stamps included",
      PORTS);
