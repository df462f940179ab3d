#include "probe/proc_net.h"

#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/kernel_files.h"

#define TABLES "/proc/thread-self/net/"

static FILE *open_table(const char *table)
{
    char path[64];
    snprintf(path, sizeof path, TABLES "%s", table);
    return fopen(path, "re");
}

/* A counter; -1 if it is not there. A group is two lines that begin with its name: the counters'
 * names, and below them the values. */
static int64_t counter(const char *table, const char *group, const char *name)
{
    char names[8192], values[8192];
    int64_t count = -1;
    FILE *file = open_table(table);
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

struct rk_tcp_counts rk_count_tcp(void)
{
    return (struct rk_tcp_counts){
        .retransmits = counter("snmp", "Tcp:", "RetransSegs"),
        .listen_overflows = counter("netstat", "TcpExt:", "ListenOverflows"),
        .listen_drops = counter("netstat", "TcpExt:", "ListenDrops"),
    };
}

int64_t rk_count_time_wait(void)
{
    return rk_field_in(TABLES "sockstat", "TCP: inuse %*d orphan %*d tw %lld", -1);
}

int rk_proc_net_listens(const char *table, int port)
{
    char line[256];
    unsigned local, state;
    int listens = 0;
    FILE *file = open_table(table);
    while (file && !listens && fgets(line, sizeof line, file))
        listens = sscanf(line, " %*d: %*x:%x %*x:%*x %x", &local, &state) == 2 &&
                  state == TCP_LISTEN && local == (unsigned)port;
    if (file)
        fclose(file);
    return listens;
}
