/* proc_net.h: the kernel's tables of a network namespace (proc(5), /proc/pid/net), for the probes,
 * reckon-peer and reckon-lab. Read by thread-self, because a thread may have entered another
 * namespace than its process began in. */
#ifndef RK_PROC_NET_H
#define RK_PROC_NET_H

#include <stdint.h>

/* Segments that TCP sent again, and connections that a full accept queue turned away. */
struct rk_tcp_counts {
    int64_t retransmits, listen_overflows, listen_drops; /* -1: not known */
};

struct rk_tcp_counts rk_count_tcp(void);
/* Connections in TIME_WAIT; -1 if not known. */
int64_t rk_count_time_wait(void);
/* 1 if a socket in the table "tcp" (IPv4) or "tcp6" listens on the port. A connection to find out
 * would be one that the listener has to serve. */
int rk_proc_net_listens(const char *table, int port);

/* Both: -1 if either count is not known. */
static inline int64_t rk_count_growth(int64_t before, int64_t after)
{
    return before < 0 || after < 0 ? -1 : after - before;
}

static inline int64_t rk_add_counts(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

#endif
