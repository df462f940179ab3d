/* tools_server.h: the loopback, and programs that serve others on it. */
#ifndef RK_TOOLS_SERVER_H
#define RK_TOOLS_SERVER_H

#include "probe/tools.h"

#define RK_TOOL_LOOPBACK "127.0.0.1"

/* All: 0, or a status with the reason set. */
int tool_require_loopback(struct rk_context *);     /* whether it is reachable */
int tool_free_port(struct rk_context *, int *port); /* a free port of the loopback */
/* Waits until the server listens on the port. */
int tool_await_listening(struct rk_context *, struct rk_tool *, int port);

#endif
