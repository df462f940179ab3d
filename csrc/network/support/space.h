/* space.h: a row enters the network of the lab host.
 *
 * The lab is made by reckon-lab before any row runs. Its client's side is a network namespace and,
 * where an ordinary user made it, a user namespace around that; both are entered by the pid of a
 * process that lives there. */
#ifndef RK_SPACE_H
#define RK_SPACE_H

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "probe/probe.h"

/* 1 if both are open on the same namespace. */
static inline int rk_same_space(int one, int other)
{
    struct stat first, second;
    return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Enters one namespace of the process: 0, -EALREADY if this one is in it, or -errno. */
static inline int rk_enter_one(int fd, const char *own, int kind)
{
    const int here = open(own, O_RDONLY | O_CLOEXEC);
    if (here < 0)
        return -errno;
    const int same = rk_same_space(fd, here);
    close(here);
    if (same)
        return -EALREADY;
    return setns(fd, kind) < 0 ? -errno : 0;
}

/* From here on this process reaches what the process `pid` reaches by network. Only for a process
 * of the row's own, which ends with the row: there is no way back. */
static inline int rk_enter_space(struct rk_context *c, pid_t pid)
{
    static pid_t entered; /* a row may ask again, for its warm-up and for its samples */
    char path[64], why[160];
    if (entered == pid)
        return 0;
    /* A notebook's kernel that runs a row in its own process would stay in the lab for good. */
    if (strcmp(program_invocation_short_name, "reckon-probe") != 0)
        return rk_cannot(c, "the lab host is reached by an isolated row alone, because a process "
                            "that enters its network stays there");
    snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
    const int user = open(path, O_RDONLY | O_CLOEXEC);
    const int no_user = errno;
    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
    const int net = open(path, O_RDONLY | O_CLOEXEC);
    const int no_net = errno;
    int status = 0;
    if (net < 0 && (no_net == ENOENT || no_net == ESRCH)) {
        status = rk_cannot(c, "the lab host has ended; start it again");
    } else if (net < 0 || (user < 0 && no_user != ENOENT)) { /* no user namespaces in this kernel */
        snprintf(why, sizeof why, "the lab host of another user (process %d) cannot be entered: %s",
                 (int)pid, strerror(net < 0 ? no_net : no_user));
        status = rk_cannot(c, why);
    } else {
        int bad = user < 0 ? 0 : rk_enter_one(user, "/proc/self/ns/user", CLONE_NEWUSER);
        if (bad == 0 || bad == -EALREADY)
            bad = rk_enter_one(net, "/proc/self/ns/net", CLONE_NEWNET);
        /* The lab ended, and its pid is now someone's who lives where we do: a row must not send
         * into the machine's own network. */
        if (bad == -EALREADY)
            status = rk_cannot(c, "the lab host has ended; start it again");
        else if (bad == -EPERM)
            status = rk_cannot(c, "entering the lab host's network is refused here");
        else if (bad)
            status = rk_failed(c, "entering the lab host's network", -bad);
        else
            entered = pid;
    }
    if (user >= 0)
        close(user);
    if (net >= 0)
        close(net);
    return status;
}

#endif
