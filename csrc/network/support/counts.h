/* counts.h: what TCP did while a row ran, from the counters of the network namespace that the row
 * is in (proc(5), /proc/pid/net/snmp and netstat). */
#ifndef RK_COUNTS_H
#define RK_COUNTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"

struct counts {
    int64_t retransmits, listen_overflows, listen_drops;
};

/* One number of a table of two lines, the names above the values, both beginning with `group`.
 * -1 if it is not there. */
static inline int64_t count_in(const char *path, const char *group, const char *name)
{
    char names[8192], values[8192];
    int64_t found = -1;
    FILE *file = fopen(path, "re");
    while (file && found < 0 && fgets(names, sizeof names, file) &&
           fgets(values, sizeof values, file)) {
        if (strncmp(names, group, strlen(group)) != 0)
            continue;
        char *in_names, *in_values;
        const char *value = strtok_r(values, " \n", &in_values);
        for (const char *at = strtok_r(names, " \n", &in_names); at && value && found < 0;
             at = strtok_r(NULL, " \n", &in_names), value = strtok_r(NULL, " \n", &in_values))
            if (strcmp(at, name) == 0)
                found = strtoll(value, NULL, 10);
    }
    if (file)
        fclose(file);
    return found;
}

/* thread-self, because a row may have moved into another namespace than its process began in. */
static inline struct counts count_tcp(void)
{
    static const char netstat[] = "/proc/thread-self/net/netstat";
    return (struct counts){
        .retransmits = count_in("/proc/thread-self/net/snmp", "Tcp:", "RetransSegs"),
        .listen_overflows = count_in(netstat, "TcpExt:", "ListenOverflows"),
        .listen_drops = count_in(netstat, "TcpExt:", "ListenDrops"),
    };
}

/* Connections in TIME_WAIT in this namespace; -1 if not known. */
static inline int64_t count_time_wait(void)
{
    char line[256];
    long long found = -1;
    FILE *file = fopen("/proc/thread-self/net/sockstat", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "TCP: inuse %*d orphan %*d tw %lld", &found) == 1)
            break;
    if (file)
        fclose(file);
    return found;
}

static inline int64_t grown(int64_t before, int64_t after)
{
    return before < 0 || after < 0 ? -1 : after - before;
}

/* Puts into the record what came to these counters since `before`. */
static inline void note_tcp_since(struct rk_context *c, const struct counts *before)
{
    const struct counts now = count_tcp();
    rk_note_tcp(c, grown(before->retransmits, now.retransmits),
                grown(before->listen_overflows, now.listen_overflows),
                grown(before->listen_drops, now.listen_drops), count_time_wait());
}

#endif
