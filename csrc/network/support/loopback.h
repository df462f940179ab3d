/* loopback.h: addresses and connections on this computer's loopback interface. */
#ifndef RK_LOOPBACK_H
#define RK_LOOPBACK_H

#include "network/support/client.h"

/* Loopback's address, port 0, into the peer. 0, or a status with the reason set. */
int loopback_locate(struct rk_context *, struct peer *);
/* Both ends of a connection of this process with itself. 0 or an error number. */
int loopback_pair(struct peer, int *client, int *accepted);

#endif
