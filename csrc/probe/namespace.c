#include "probe/namespace.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/text.h"

/* A failure, not a property of this machine: the next build starts a host and measures again. */
static int has_ended(struct rk_context *c)
{
    return rk_error(c, EHOSTDOWN, "the lab host has ended; start it again");
}

static int is_same(int fd, int other_fd)
{
    struct stat first, second;
    return fstat(fd, &first) == 0 && fstat(other_fd, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static int open_namespace(pid_t pid, const char *kind)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, kind);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* 0, -EALREADY if this process is in it, or -errno. */
static int enter(int fd, const char *own, int kind)
{
    const int own_fd = open(own, O_RDONLY | O_CLOEXEC);
    if (own_fd < 0)
        return -errno;
    const int same = is_same(fd, own_fd);
    close(own_fd);
    if (same)
        return -EALREADY;
    return setns(fd, kind) < 0 ? -errno : 0;
}

static int enter_both(struct rk_context *c, int user, int net)
{
    int bad = user < 0 ? 0 : enter(user, "/proc/self/ns/user", CLONE_NEWUSER);
    if (bad == 0 || bad == -EALREADY)
        bad = enter(net, "/proc/self/ns/net", CLONE_NEWNET);
    /* The lab ended and its pid was given to a process in this one's network: a probe must not send
     * into the machine's own network. */
    if (bad == -EALREADY)
        return has_ended(c);
    if (bad == -EPERM)
        return rk_unsupported(c, "entering the lab host's network is refused here");
    return bad ? rk_failed(c, "entering the lab host's network", -bad) : 0;
}

int rk_enter_network_of(struct rk_context *c, const char *process)
{
    int64_t pid;
    const char *const end = rk_parse_number(process, 1, INT_MAX, &pid);
    if (!end || *end)
        return rk_error(c, EDESTADDRREQ, "The lab's process is \"%.60s\", not a number.", process);
    /* A notebook's kernel that runs a probe in its own process would stay in the lab for good. */
    if (strcmp(program_invocation_short_name, "reckon-probe") != 0)
        return rk_unsupported(c, "the lab host is reached by an isolated probe alone, because a "
                                 "process that enters its network stays there");
    const int user = open_namespace((pid_t)pid, "user"), no_user = errno;
    const int net = open_namespace((pid_t)pid, "net"), no_net = errno;
    int status;
    if (net < 0 && (no_net == ENOENT || no_net == ESRCH)) {
        status = has_ended(c);
    } else if (net < 0 || (user < 0 && no_user != ENOENT)) { /* no user namespaces in this kernel */
        status = rk_unsupported(c, "entering the lab host of another user (process %d) failed: %s",
                                (int)pid, strerror(net < 0 ? no_net : no_user));
    } else {
        status = enter_both(c, user, net);
    }
    if (user >= 0)
        close(user);
    if (net >= 0)
        close(net);
    return status;
}
