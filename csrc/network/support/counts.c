/* counts.c: what TCP did while a probe ran, by the counters of the probe's network namespace. */
#include "network/support/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One number of a table of two lines, the names above the values, both beginning with `group`.
 * -1 if it is not there. */
static int64_t count_in(const char *path, const char *group, const char *name)
{
    char names[8192], values[8192];
    int64_t count = -1;
    FILE *file = fopen(path, "re");
    while (file && count < 0 && fgets(names, sizeof names, file) &&
           fgets(values, sizeof values, file)) {
        if (strncmp(names, group, strlen(group)) != 0)
            continue;
        char *in_names, *in_values;
        const char *value = strtok_r(values, " \n", &in_values);
        for (const char *at = strtok_r(names, " \n", &in_names); at && value && count < 0;
             at = strtok_r(NULL, " \n", &in_names), value = strtok_r(NULL, " \n", &in_values))
            if (strcmp(at, name) == 0)
                count = strtoll(value, NULL, 10);
    }
    if (file)
        fclose(file);
    return count;
}

/* thread-self, because a probe may have entered another namespace than its process began in. */
struct counts count_tcp(void)
{
    static const char netstat[] = "/proc/thread-self/net/netstat";
    return (struct counts){
        .retransmits = count_in("/proc/thread-self/net/snmp", "Tcp:", "RetransSegs"),
        .listen_overflows = count_in(netstat, "TcpExt:", "ListenOverflows"),
        .listen_drops = count_in(netstat, "TcpExt:", "ListenDrops"),
    };
}

int64_t count_time_wait(void)
{
    char line[256];
    long long count = -1;
    FILE *file = fopen("/proc/thread-self/net/sockstat", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "TCP: inuse %*d orphan %*d tw %lld", &count) == 1)
            break;
    if (file)
        fclose(file);
    return count;
}

void note_retransmits(struct rk_context *c, int64_t retransmits, const struct counts *before)
{
    const struct counts now = count_tcp();
    rk_note_tcp(c, retransmits, count_growth(before->listen_overflows, now.listen_overflows),
                count_growth(before->listen_drops, now.listen_drops), count_time_wait());
}

void note_tcp_since(struct rk_context *c, const struct counts *before)
{
    note_retransmits(c, count_growth(before->retransmits, count_tcp().retransmits), before);
}
