/* children.h: child processes of a probe. */
#ifndef RK_CHILDREN_H
#define RK_CHILDREN_H

#include <spawn.h>
#include <sys/types.h>

#include "probe/probe.h"

/* Whether it is a child of this process that was not waited for yet. */
int rk_is_child(pid_t child);

/* Whether the child has ended, or is none; its status stays for a wait. */
int rk_has_ended(pid_t child);

/* Waits for the child to end, also through signals that interrupt. Its status as waitpid(2) has it,
 * or -1 with errno. */
int rk_wait_status(pid_t child);

/* Waits for the child to end, also through signals that interrupt. 0 if it ended with status 0,
 * else a failure that says "`name` did not end as it should". */
int rk_wait_child(struct rk_context *, pid_t child, const char *name);

/* Starts the program argv[0] with no signal blocked or ignored, in a process group of its own if
 * `own_group`. Its environment is `settings`, a few whose last is NULL, and what this one says to
 * the sanitizers. 0 or an error number. */
int rk_spawn(pid_t *child, char *const argv[], char *const settings[],
             const posix_spawn_file_actions_t *, int own_group);

/* In a child of that process: the kernel ends it when the thread that forked it ends; it ends here
 * if that has ended before. */
void rk_die_with_parent(pid_t parent);

#endif
