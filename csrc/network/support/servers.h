/* servers.h: the reports' echo servers that are not reckon-peer, for network/rtt: a thread of the
 * client, and ncat. */
#ifndef RK_SERVERS_H
#define RK_SERVERS_H

#include "network/support/loopback.h"

/* *fd: the client's end, with a time limit as in the other probes. 0, or a status with the reason
 * set. */
int echo_thread_begin(struct rk_context *, struct loopback_thread *, const struct peer *, int *fd);

struct ncat {
    pid_t pid;
    int was_reaper;
};

/* *fd: a connection to ncat on loopback. 0, or a status with the reason set and nothing left. */
int ncat_begin(struct rk_context *, struct peer *, struct ncat *, int *fd);
/* Ends ncat, the cat of each connection and the process between the two: their parent ended, they
 * became this process's children (PR_SET_CHILD_SUBREAPER). */
void ncat_end(struct ncat *);

#endif
