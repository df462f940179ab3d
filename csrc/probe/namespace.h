/* namespace.h: a probe enters the network of the lab host.
 *
 * reckon-lab makes the lab before any probe runs. Its client's side is a network namespace and,
 * where an ordinary user made it, a user namespace around that; both are entered by the pid of a
 * process that lives there. */
#ifndef RK_NAMESPACE_H
#define RK_NAMESPACE_H

#include <sys/types.h>

#include "probe/probe.h"

/* From here on this process reaches by network what the process of that number reaches, until it
 * ends. 0, or a status with the reason set. */
int rk_enter_network_of(struct rk_context *, const char *process);

#endif
