/* control_groups.h: where this process is in the hierarchy of control groups (cgroups(7)). */
#ifndef RK_CONTROL_GROUPS_H
#define RK_CONTROL_GROUPS_H

#include <limits.h>
#include <stdint.h>

/* The files and fields of a group's memory, by the version of control groups (1 or 2). */
struct rk_memory_files {
    const char *limit, *use;
    const char *cached; /* the field of memory.stat */
    const char *whole;  /* before fields that count the group's children, too */
};
extern const struct rk_memory_files rk_memory_files[3];

/* The number in a group's file; INT64_MAX for "max" and for a file that cannot be read. */
int64_t rk_group_number(const char *folder, const char *file);

/* This process's own group in the hierarchy of version 2, or in that of version 1 with the memory
 * controller, with a slash before it; "" if there is none. */
void rk_own_group(int version, char own[PATH_MAX]);

/* The folder below `root` where version 1 has the memory controller, alone or together with others
 * ("cpu,memory"). 0, or -1 if there is none. */
int rk_memory_controller(const char *root, char folder[PATH_MAX]);

#endif
