/* loopback.h: addresses and connections on this computer's loopback interface. */
#ifndef RK_LOOPBACK_H
#define RK_LOOPBACK_H

#include <pthread.h>

#include "network/support/client.h"

/* A thread that serves the accepted end of a connection of this process with itself. */
struct loopback_thread {
    int fd; /* the accepted end; -1: no thread */
    pthread_t thread;
};

/* Loopback's address, port 0, into the peer. 0, or a status with the reason set. */
int loopback_locate(struct rk_context *, struct peer *);
/* Starts the thread, on whichever CPU the scheduler chooses. *client: the other end, -1 after a
 * failure. 0, or a status with the reason set. */
int loopback_thread_begin(struct rk_context *, const struct peer *, struct loopback_thread *,
                          void *(*serve)(void *), void *argument, int *client);
/* Ends the stream from `client`, and waits for the thread. */
void loopback_thread_end(struct loopback_thread *, int client);

#endif
