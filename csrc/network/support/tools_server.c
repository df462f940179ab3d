#include "network/support/tools_server.h"

#include "probe/proc_net.h"
#include "probe/sockets.h"
#include "probe/children.h"

int tool_require_loopback(struct rk_context *c)
{
    return rk_loopback_is_up(AF_INET)
               ? 0
               : rk_unsupported(c, "needs the loopback address " RK_TOOL_LOOPBACK
                                   ", which is not reachable here");
}

int tool_free_port(struct rk_context *c, int *port)
{
    struct sockaddr_storage at;
    const socklen_t length = rk_loopback_of(AF_INET, &at);
    const int status = tool_require_loopback(c);
    if (status)
        return status;
    const int fd = rk_bound_socket(SOCK_STREAM, &at, length);
    if (fd < 0)
        return rk_refused(c, "a port of the loopback", errno);
    close(fd);
    *port = ntohs(*rk_port_of(&at));
    return 0;
}

int tool_await_listening(struct rk_context *c, struct rk_tool *tool, int port)
{
    const uint64_t end_ns = rk_monotonic_ns() + RK_TOOL_SPARE_S * RK_NS_PER_S;
    char message[RK_TOOL_MESSAGE_MAX];
    while (!rk_proc_net_listens("tcp", port)) {
        if (rk_has_ended(tool->pid)) {
            const int status = rk_tool_wait(c, tool);
            return status ? status
                          : rk_error(c, ECHILD, "%s ended before it listened: %s", tool->name,
                                     rk_tool_message(tool, message));
        }
        if (rk_monotonic_ns() > end_ns)
            return rk_error(c, ETIMEDOUT, "%s did not listen within %d s.", tool->name,
                            RK_TOOL_SPARE_S);
        const struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
    }
    return 0;
}
