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

#define PROBE(name, report, function, what, ...)                                                   \
    RK_PROBE(name, .reports = report, .timed = what, .params = RK_PARAMS(PEER, ##__VA_ARGS__),     \
             .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .trials = function,                         \
             OF_AN_ACCEPTOR(.kind = ORDINARY))

PROBE("network/connect/t470_connect", "t470", run_t470_connect,
      "connect() alone, -O0, between bare stamps, minus an empty pair of stamps");
PROBE("network/connect/t470_close", "t470", run_t470_close,
      "close() of an idle connection, in order (FIN), -O0, between bare stamps, minus an empty "
      "pair of stamps",
      PORTS);
PROBE("network/connect/i7_10750h_connect", "i7_10750h", run_i7_10750h_connect,
      "connect() alone, -O0, between CPUID-fenced stamps, the stamps included");
PROBE("network/connect/i7_10750h_close", "i7_10750h", run_i7_10750h_close,
      "close() of an idle connection, in order (FIN), -O0, between CPUID-fenced stamps, the stamps "
      "included",
      PORTS);
