/* about.c: about: what the other host is, as one line of JSON; what is unknown is null. Only
 * facts that do not change, because reckon/hosts/real_peer.py derives the other host's identity
 * from them. */
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probe/text.h"
#include "peer/peer.h"

static void put_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    if (text && *text)
        rk_put_json_string(out, text);
    else
        fputs("null", out);
}

static void put_number(FILE *out, const char *name, long long number)
{
    fprintf(out, number < 0 ? "\"%s\": null" : "\"%s\": %lld", name, number);
}

/* The processor's name, and whether the kernel sees a hypervisor (known on x86 alone). */
static void read_processor(char name[256], const char **guest)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[8192];
    name[0] = 0;
    *guest = "null";
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon)
            continue;
        if (!name[0] && strncmp(line, "model name", 10) == 0)
            sscanf(colon + 1, " %255[^\n]", name);
        if (strncmp(line, "flags", 5) == 0) {
            *guest = strstr(colon, " hypervisor") ? "true" : "false";
            break;
        }
    }
    if (file)
        fclose(file);
}

/* The interface whose address the connection came to. */
static int find_interface(int fd, char name[IFNAMSIZ])
{
    struct sockaddr_storage own = {0};
    socklen_t length = sizeof own;
    struct ifaddrs *all = NULL;
    getsockname(fd, (struct sockaddr *)&own, &length);
    const struct host own_host = host_of(&own);
    name[0] = 0;
    if (getifaddrs(&all))
        return -1;
    for (const struct ifaddrs *item = all; item && !name[0]; item = item->ifa_next) {
        if (!item->ifa_addr || item->ifa_addr->sa_family != own_host.family)
            continue;
        struct sockaddr_storage address = {0};
        memcpy(&address, item->ifa_addr,
               own_host.family == AF_INET ? sizeof(struct sockaddr_in)
                                          : sizeof(struct sockaddr_in6));
        const struct host host = host_of(&address);
        if (same_host(&host, &own_host))
            snprintf(name, IFNAMSIZ, "%s", item->ifa_name);
    }
    freeifaddrs(all);
    return name[0] ? 0 : -1;
}

/* By ioctl() on the socket: /sys may show another network namespace. */
static void put_interface(FILE *out, int fd)
{
    struct ifreq request = {0};
    char name[IFNAMSIZ], driver[64] = "";
    long long mtu = -1, speed = -1;
    if (!find_interface(fd, name)) {
        memcpy(request.ifr_name, name, IFNAMSIZ);
        if (ioctl(fd, SIOCGIFMTU, &request) == 0)
            mtu = request.ifr_mtu;
        struct ethtool_cmd command = {.cmd = ETHTOOL_GSET};
        request.ifr_data = (char *)&command;
        if (ioctl(fd, SIOCETHTOOL, &request) == 0 &&
            ethtool_cmd_speed(&command) != (uint32_t)SPEED_UNKNOWN)
            speed = ethtool_cmd_speed(&command);
        struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
        request.ifr_data = (char *)&info;
        if (ioctl(fd, SIOCETHTOOL, &request) == 0)
            snprintf(driver, sizeof driver, "%.31s", info.driver);
    }
    put_text(out, "interface", name);
    fputs(", ", out);
    put_text(out, "driver", driver);
    fputs(", ", out);
    put_number(out, "mtu_bytes", mtu);
    fputs(", ", out);
    put_number(out, "speed_mbit_per_s", speed);
}

void serve_about(int fd, const struct host *host, const int64_t *numbers)
{
    (void)host, (void)numbers;
    struct utsname system;
    char processor[256], control[32] = "";
    socklen_t length = sizeof control - 1;
    const char *guest;
    uname(&system);
    read_processor(processor, &guest);
    getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, control, &length);
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out || answer(fd, "ok\n"))
        return;
    const struct {
        const char *name, *text;
    } texts[] = {{"system", system.sysname},
                 {"release", system.release},
                 {"machine", system.machine},
                 {"processor", processor},
                 {"congestion_control", control}};
    fputc('{', out);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_text(out, texts[i].name, texts[i].text);
        fputs(", ", out);
    }
    put_number(out, "threads", sysconf(_SC_NPROCESSORS_ONLN));
    fputs(", ", out);
    put_number(out, "memory_bytes", (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    fprintf(out, ", \"guest\": %s, ", guest);
    put_interface(out, fd);
    fputs("}\n", out);
    if (fclose(out) == 0)
        peer_send(fd, line, size);
    free(line);
}
