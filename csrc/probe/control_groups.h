/* control_groups.h: where this process is in the hierarchy of control groups (cgroups(7)). */
#ifndef RK_CONTROL_GROUPS_H
#define RK_CONTROL_GROUPS_H

#include <limits.h>

/* This process's own group in the hierarchy of version 2, or in that of version 1 with the memory
 * controller, with a slash before it; "" if there is none. */
void rk_own_group(int version, char own[PATH_MAX]);

/* The folder below `root` where version 1 has the memory controller, alone or together with others
 * ("cpu,memory"). 0, or -1 if there is none. */
int rk_memory_controller(const char *root, char folder[PATH_MAX]);

#endif
