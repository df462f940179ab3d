#include "network/support/tools_server.h"

#include "network/support/proc_net.h"
#include "network/support/sockets.h"
#include "probe/children.h"

int tool_require_loopback(struct rk_context *c)
{
    return loopback_is_up(AF_INET) ? 0
                                   : rk_unsupported(c, "needs the loopback address " TOOL_LOOPBACK
                                                       ", which is not reachable here");
}

int tool_free_port(struct rk_context *c, int *port)
{
    struct sockaddr_storage at;
    const socklen_t length = loopback_of(AF_INET, &at);
    const int status = tool_require_loopback(c);
    if (status)
        return status;
    const int fd = bound_socket(SOCK_STREAM, &at, length);
    if (fd < 0)
        return rk_refused(c, "a port of the loopback", errno);
    close(fd);
    *port = ntohs(*port_of(&at));
    return 0;
}

int tool_await_listening(struct rk_context *c, struct tool *tool, int port)
{
    const uint64_t end_ns = rk_monotonic_ns() + TOOL_SPARE_S * RK_NS_PER_S;
    char message[TOOL_MESSAGE_MAX];
    while (!proc_net_listens("tcp", port)) {
        if (rk_has_ended(tool->pid)) {
            const int status = tool_wait(c, tool);
            return status ? status
                          : rk_error(c, ECHILD, "%s ended before it listened: %s", tool->name,
                                     tool_message(tool, message));
        }
        if (rk_monotonic_ns() > end_ns)
            return rk_error(c, ETIMEDOUT, "%s did not listen within %d s.", tool->name,
                            TOOL_SPARE_S);
        const struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
    }
    return 0;
}
