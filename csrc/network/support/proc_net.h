/* proc_net.h: the kernel's tables of a network namespace (proc(5), /proc/pid/net), for the probes,
 * reckon-peer and reckon-lab. Read by thread-self, because a thread may have entered another
 * namespace than its process began in. */
#ifndef RK_PROC_NET_H
#define RK_PROC_NET_H

#include <stdint.h>

/* A counter of the table "snmp" or "netstat", as ("netstat", "TcpExt:", "ListenDrops"); -1 if it is
 * not there. */
int64_t proc_net_counter(const char *table, const char *group, const char *name);
/* Connections in TIME_WAIT; -1 if not known. */
int64_t count_time_wait(void);
/* 1 if a socket in the table "tcp" (IPv4) or "tcp6" listens on the port. A connection to find out
 * would be one that the listener has to serve. */
int proc_net_listens(const char *table, int port);

/* -1 if either count is not known. */
static inline int64_t count_growth(int64_t before, int64_t after)
{
    return before < 0 || after < 0 ? -1 : after - before;
}

#endif
