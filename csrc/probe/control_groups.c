#include "probe/control_groups.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "probe/kernel_files.h"

const struct rk_memory_files rk_memory_files[3] = {
    [1] = {"memory.limit_in_bytes", "memory.usage_in_bytes", "cache %lld", "total_"},
    [2] = {"memory.max", "memory.current", "file %lld", ""},
};

int64_t rk_group_number(const char *folder, const char *file)
{
    char path[2 * PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return rk_number_in(path);
}

/* 1 if the list "cpu,memory" names the memory controller. */
static int has_memory(const char *controllers)
{
    char list[256];
    snprintf(list, sizeof list, "%s", controllers);
    for (char *rest = list, *name; (name = strsep(&rest, ","));)
        if (strcmp(name, "memory") == 0)
            return 1;
    return 0;
}

void rk_own_group(int version, char own[PATH_MAX])
{
    FILE *const file = fopen("/proc/self/cgroup", "re");
    char line[PATH_MAX];
    own[0] = 0;
    while (file && !own[0] && fgets(line, sizeof line, file)) { /* "4:cpu,memory:/group" */
        char *const controllers = strchr(line, ':');
        char *const group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group = 0;
        group[1 + strcspn(group + 1, "\n")] = 0;
        if (version == 2 ? strcmp(line, "0:") == 0 : has_memory(controllers + 1))
            snprintf(own, PATH_MAX, "%s", group + 1);
    }
    if (file)
        fclose(file);
}

int rk_memory_controller(const char *root, char folder[PATH_MAX])
{
    DIR *const all = opendir(root);
    int exists = 0;
    for (const struct dirent *entry; all && !exists && (entry = readdir(all));)
        exists = has_memory(entry->d_name) &&
                 snprintf(folder, PATH_MAX, "%s/%s", root, entry->d_name) < PATH_MAX;
    if (all)
        closedir(all);
    return exists ? 0 : -1;
}
