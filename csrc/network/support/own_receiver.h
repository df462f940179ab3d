/* own_receiver.h: a thread of this process that receives over loopback, on whichever CPU the
 * scheduler chooses, as one of the reports had it; for network/throughput. */
#ifndef RK_OWN_RECEIVER_H
#define RK_OWN_RECEIVER_H

#include "network/support/loopback.h"

#define OWN_RECEIVER_BYTES (128 << 10)

struct own_receiver {
    struct loopback_thread server;
    int error;
    uint64_t received;
    char buffer[OWN_RECEIVER_BYTES];
};

/* *fd is the end to send on, or -1 after a failure. Both: 0, or a status with the reason set. */
int open_own_receiver(struct rk_context *, struct own_receiver *, const struct peer *loopback,
                      int *fd);
/* Ends the stream; fails if the thread has not received every byte. */
int close_own_receiver(struct rk_context *, struct own_receiver *, int fd, uint64_t sent);

#endif
