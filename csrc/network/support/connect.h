/* connect.h: connections that are made, accepted and ended one after another, for network/connect.
 *
 * The peer sends one byte when it has accepted a connection, and only then does the next one begin,
 * so the accept queue never holds more than one. A queue that overflows drops the SYN, which is
 * sent again after 1 s: a median would hide that, and a mean would consist of it. */
#ifndef RK_CONNECT_H
#define RK_CONNECT_H

#include <sched.h>

#include "network/support/client.h"
#include "probe/counts.h"
#include "probe/stamps.h"

/* Of probes that close in order. Less than the deadline of a run (sampling.py). */
#define PORTS                                                                                      \
    RK_INTEGER("ports_wait_ms", 20000, 0, 60000,                                                   \
               "longest wait, before the first connection, for ports that are in TIME_WAIT")

enum ending { BY_RESET, IN_ORDER };

/* The side that accepts. */
struct acceptor {
    struct peer peer;
    struct rk_stamp opened;
    struct sockaddr_storage address;
    socklen_t length;
    int control;        /* the connection whose end ends the service */
    size_t connections; /* accepted so far */
    uint64_t syn_retransmits;
    struct rk_tcp_counts before;
};

/* Servers on the caller's CPU, which connect() or close() wakes. An ordinary server often
 * takes the CPU at once, so that its work lies within the caller's call: connect() took 13 or 28 us
 * by chance, close() 6 or 22. A server under SCHED_BATCH waits until the caller does (sched(7)):
 * half of the samples were within 0.4 us. The reports' servers were ordinary. */
enum acceptor_kind { ORDINARY, BATCH, ACROSS }; /* across: ordinary, on another CPU */

/* A probe's `variant`. */
struct acceptor_variant {
    enum acceptor_kind kind;
    /* Of those that capture: what is timed, and how the connection ends. */
    enum { SETUP, TEARDOWN } part;
    enum ending ending;
};

int open_acceptor(struct rk_context *);
int close_acceptor(struct rk_context *);

/* Has the other side accept n connections. 0, or a status with the reason set. */
int begin_accepting(struct rk_context *, struct acceptor *, size_t n, enum ending);
/* Compares what both sides counted. Returns `status`, or if that is 0 what differs. */
int end_accepting(struct rk_context *, struct acceptor *, enum ending, int status);

/* --- one connection, outside what is timed --- */

/* Why connect() failed. */
int not_connected(struct rk_context *, int error);
/* close() then sends a RST, not a FIN, and leaves no TIME_WAIT (socket(7), SO_LINGER). */
int prepare_reset(int fd);
/* A socket that is not connected yet; -1 with a reason. */
int new_socket_with_deadline(struct rk_context *, const struct acceptor *, int *status);
/* An established connection, accepted and its byte read (else close() would be a reset); -1 with a
 * reason. */
int idle_connection(struct rk_context *, struct acceptor *, int *status);
/* Waits until the other side has accepted; notes whether a SYN was lost. Closes fd on failure. */
int await_accepted(struct rk_context *, struct acceptor *, int fd);
int close_by_reset(struct rk_context *, int fd);
/* After a connect() that was timed and gave `error`: sees it accepted, and resets it. */
int end_connection(struct rk_context *, struct acceptor *, int fd, int error);

/* --- what is timed, between the stamps of TIMED(sample, body) --- */

static inline int new_socket(const struct acceptor *to)
{
    return socket(to->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* A macro, so that what is timed at -O0 is the call and no more. */
#define CONNECT_TO(to, fd) connect(fd, (const struct sockaddr *)&(to)->address, (to)->length)

#define TIME_CONNECT(function, TIMED)                                                              \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n)                     \
    {                                                                                              \
        struct acceptor *to = rk_state(c);                                                         \
        int status = begin_accepting(c, to, n, BY_RESET);                                          \
        for (size_t i = 0; i < n && !status; i++) {                                                \
            int bad = 0;                                                                           \
            const int fd = new_socket_with_deadline(c, to, &status);                               \
            if (fd < 0)                                                                            \
                break;                                                                             \
            TIMED(&out[i], bad = CONNECT_TO(to, fd));                                              \
            status = end_connection(c, to, fd, bad ? errno : 0);                                   \
        }                                                                                          \
        return end_accepting(c, to, BY_RESET, status);                                             \
    }

#define TIME_CLOSE(function, TIMED, ending)                                                        \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n)                     \
    {                                                                                              \
        struct acceptor *to = rk_state(c);                                                         \
        int status = begin_accepting(c, to, n, ending);                                            \
        for (size_t i = 0; i < n && !status; i++) {                                                \
            int bad = 0;                                                                           \
            const int fd = idle_connection(c, to, &status);                                        \
            if (fd < 0)                                                                            \
                break;                                                                             \
            if ((ending) == BY_RESET)                                                              \
                bad = prepare_reset(fd);                                                           \
            sched_yield(); /* lets the server begin to wait, if it did not yet */                  \
            TIMED(&out[i], bad |= close(fd));                                                      \
            if (bad)                                                                               \
                status = rk_failed(c, "close", errno);                                             \
        }                                                                                          \
        return end_accepting(c, to, ending, status);                                               \
    }

/* The fields of a probe: its trials, then its struct acceptor_variant. */
#define OF_AN_ACCEPTOR(trials_, ...)                                                               \
    RK_STAGES(struct acceptor, open_acceptor, trials_, close_acceptor),                            \
        RK_VARIANT(struct acceptor_variant, __VA_ARGS__)

#endif
