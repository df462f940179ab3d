/* group.h: a control group that limits memory (cgroups(7), version 1 or 2), for one child of a
 * probe.
 *
 * The group is charged for the page cache of its processes, so the size of that cache is known. A
 * process in a session of its own, the remover, waits until the probe has ended and removes the
 * group, because the probe's process group may be killed as a whole. The next probe removes what a
 * killed remover leaves. */
#ifndef RK_GROUP_H
#define RK_GROUP_H

#include <limits.h>

#include "probe/children.h"
#include "probe/kernel_files.h"

#define RK_GROUPS RK_TEXT("groups", "/sys/fs/cgroup", "where control groups are mounted")
#define RK_LIMIT(default_)                                                                         \
    RK_INTEGER("limit_bytes", default_, 1 << 20, (int64_t)1 << 42,                                 \
               "the memory limit of the control group that the reader is in")

struct rk_group {
    int version; /* of control groups: 1 or 2 */
    char path[PATH_MAX];
    int lifetime_fd; /* the remover acts when no process has this descriptor open */
    pid_t remover;
};

/* Removes the group, if it was made. 0 or a status. */
int group_close(struct rk_context *c, struct rk_group *g);

int group_write(const struct rk_group *g, const char *name, const char *text);

/* Makes a group with that limit; group_close() in either case. 0 or a status. */
int group_open(struct rk_context *c, struct rk_group *g, int64_t limit_bytes);

/* Whether the kernel ended a process of the group because the limit was reached. */
int group_killed_for_memory(const struct rk_group *g);

/* All memory that the group is charged for, and its limit. */
int64_t group_used(const struct rk_group *g, int64_t *limit_bytes);

/* What the limit leaves for the page cache: the limit less the group's other memory, such as the
 * reader's pages and the kernel's (Documentation/admin-guide/cgroup-v2.rst, memory.stat). */
int64_t group_left(const struct rk_group *g);

#endif
