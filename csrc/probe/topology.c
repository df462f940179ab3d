#include "probe/topology.h"

#include <stdio.h>
#include <string.h>

#include "probe/kernel_files.h"

#define PATH_BYTES 512
#define CACHES_MAX 8 /* index0 to index7 of a CPU; there are four on most */

/* In order of weight; each 0 if not known. */
struct speed {
    int64_t capacity;            /* relative to the fastest: AArch64, and hybrid x86 since 6.12 */
    int64_t is_performance_core; /* Intel's hybrid processors */
    int64_t max_khz;
};

/* How suitable a CPU is as a partner. */
struct merits {
    enum rk_relation relation;
    struct speed speed;
};

#define LIST_MAX 4096 /* characters */

/* Whether a list such as "0-3,8" has that CPU. */
static int list_has(const char *list, int cpu)
{
    for (const char *range = list; range; range = strchr(range, ',')) {
        int first, last;
        range += *range == ',';
        const int numbers = sscanf(range, "%d-%d", &first, &last);
        if (numbers >= 1 && cpu >= first && cpu <= (numbers == 2 ? last : first))
            return 1;
    }
    return 0;
}

/* The same of the list in a file. 0 if there is no such file. */
static int file_has(const char *path, int cpu)
{
    char list[LIST_MAX];
    rk_read_text(path, list, sizeof list);
    return list_has(list, cpu);
}

/* The number in a file of that CPU, or `missing`. */
static int64_t number_of(const char *sys, int cpu, const char *file, int64_t missing)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/%s", sys, cpu, file);
    const int64_t number = rk_number_in(path);
    return number == INT64_MAX ? missing : number;
}

static struct speed speed_of(const char *sys, int cpu)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/devices/cpu_core/cpus", sys);
    return (struct speed){.capacity = number_of(sys, cpu, "cpu_capacity", 0),
                          .is_performance_core = file_has(path, cpu),
                          .max_khz = number_of(sys, cpu, "cpufreq/cpuinfo_max_freq", 0)};
}

static int is_sibling(const char *sys, int cpu, int other)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/topology/thread_siblings_list", sys,
             cpu);
    return file_has(path, other);
}

/* The list of the CPUs that are below the last cache of `cpu`; "" if it is not reported. */
static void read_last_cache(const char *sys, int cpu, char list[LIST_MAX])
{
    char path[PATH_BYTES];
    int64_t last_level = 0;
    list[0] = 0;
    for (int i = 0; i < CACHES_MAX; i++) {
        char file[32];
        snprintf(file, sizeof file, "cache/index%d/level", i);
        const int64_t level = number_of(sys, cpu, file, 0);
        if (level < last_level || !level)
            continue;
        last_level = level;
        snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
                 sys, cpu, i);
        rk_read_text(path, list, LIST_MAX);
    }
}

static int shares_last_cache(const char *sys, int cpu, int other)
{
    char list[LIST_MAX];
    read_last_cache(sys, cpu, list);
    return list_has(list, other);
}

int rk_fewest_below_a_cache(const char *sys, const int *cpus, int count)
{
    int fewest = count;
    for (int i = 0; i < count; i++) {
        char list[LIST_MAX];
        int below = 0;
        read_last_cache(sys, cpus[i], list);
        for (int j = 0; j < count; j++)
            below += list_has(list, cpus[j]);
        if (below && below < fewest)
            fewest = below;
    }
    return fewest;
}

/* Whether both are known to be in one socket: 1 or 0; -1 if the kernel does not report it. */
static int shares_socket(const char *sys, int cpu, int other)
{
    const int64_t socket = number_of(sys, cpu, "topology/physical_package_id", -1);
    const int64_t other_socket = number_of(sys, other, "topology/physical_package_id", -1);
    return socket < 0 || other_socket < 0 ? -1 : socket == other_socket;
}

enum rk_relation rk_relation_of(const char *sys, int cpu, int other)
{
    if (is_sibling(sys, cpu, other))
        return RK_SIBLING;
    if (shares_last_cache(sys, cpu, other))
        return RK_SAME_CACHE;
    const int shares = shares_socket(sys, cpu, other);
    if (shares < 0)
        return RK_UNKNOWN_RELATION;
    return shares ? RK_SAME_SOCKET : RK_OTHER_SOCKET;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_speeds(const struct speed *a, const struct speed *b)
{
    int order = compare(a->capacity, b->capacity);
    if (!order)
        order = compare(a->is_performance_core, b->is_performance_core);
    return order ? order : compare(a->max_khz, b->max_khz);
}

static int compare_merits(const struct merits *a, const struct merits *b)
{
    int order = compare(a->relation != RK_SIBLING, b->relation != RK_SIBLING);
    if (!order)
        order = compare_speeds(&a->speed, &b->speed);
    return order ? order : compare(b->relation, a->relation); /* the nearer one */
}

int rk_partner_cpu(const char *sys, const struct rk_cpu_mask *allowed, int cpu,
                   enum rk_relation requested)
{
    struct merits best = {RK_UNKNOWN_RELATION, {0}};
    int chosen = -1;
    for (int other = 0; other < RK_CPUS_MAX; other++) {
        if (other == cpu || !rk_has_cpu(allowed, other))
            continue;
        const struct merits merits = {rk_relation_of(sys, cpu, other), speed_of(sys, other)};
        if (requested != RK_ANY_RELATION && merits.relation != requested)
            continue;
        if (chosen < 0 || compare_merits(&merits, &best) > 0) {
            best = merits;
            chosen = other;
        }
    }
    return chosen;
}
