/* children.h: child processes of a probe. */
#ifndef RK_CHILDREN_H
#define RK_CHILDREN_H

#include <sys/types.h>

#include "probe/probe.h"

/* Waits for the child to end, also through signals that interrupt. Its status as waitpid(2) has it,
 * or -1 with errno. */
int rk_wait_status(pid_t child);

/* Waits for the child to end, also through signals that interrupt. 0 if it ended with status 0,
 * else a failure that says "`name` did not end as it should". */
int rk_wait_child(struct rk_context *, pid_t child, const char *name);

/* In a child: the kernel ends it when the thread that forked it ends. */
void rk_die_with_parent(void);

#endif
