/* services.c: in the process of one connection: the requested service and its numbers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "probe/text.h"
#include "peer/peer.h"

#define NUMBERS_MAX 2
#define BUFFER_MAX (1 << 20) /* of each connection, of which a host may have 64 */

static const struct service {
    const char *name, *takes;
    int64_t minimum[NUMBERS_MAX], maximum[NUMBERS_MAX];
    int numbers;
    void (*serve)(int fd, const struct host *, const int64_t *);
} services[] = {
    {"echo", "SIZE (1 to 1048576 bytes)", {1}, {BUFFER_MAX}, 1, serve_echo},
    {"quickack", "no number", {0}, {0}, 0, serve_quickack},
    {"udp-echo", "no number", {0}, {0}, 0, serve_udp_echo},
    {"sink",
     "EVERY_US (0 to 1000000000) BUFFER_BYTES (1024 to 1048576)",
     {0, 1 << 10},
     {1000000000, BUFFER_MAX},
     2,
     serve_sink},
    {"accept", "COUNT (1 to 10000000)", {1}, {10000000}, 1, serve_accept},
    {"about", "no number", {0}, {0}, 0, serve_about},
};

int answer(int fd, const char *format, ...)
{
    char line[PEER_LINE_MAX];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= sizeof line)
        return -EMSGSIZE;
    return peer_send(fd, line, (size_t)length);
}

int is_full(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

/* Memory whose pages have been touched, so that no measured loop faults. */
void *allocate_touched(size_t size)
{
    char *memory = malloc(size);
    if (memory)
        for (size_t i = 0; i < size; i++)
            memory[i] = (char)i;
    return memory;
}

/* Notices a caller that vanished: within 15 s where it should answer, 20 s where it is silent. */
static void watch(int fd)
{
    const int on = 1, idle_s = 8, interval_s = 4, probes = 3, unanswered_ms = 15000;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
}

/* "name number number": nothing else before, between or after. 0 or -1. */
static int read_numbers(const struct service *service, const char *text, int64_t *numbers)
{
    for (int i = 0; i < service->numbers; i++) {
        if (*text++ != ' ')
            return -1;
        text = rk_parse_number(text, service->minimum[i], service->maximum[i], &numbers[i]);
        if (!text)
            return -1;
    }
    return *text ? -1 : 0;
}

void run_service(int fd, const struct host *host, char *line)
{
    watch(fd);
    const size_t length = strcspn(line, " ");
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        const struct service *service = &services[i];
        int64_t numbers[NUMBERS_MAX] = {0};
        if (strlen(service->name) != length || strncmp(line, service->name, length) != 0)
            continue;
        if (read_numbers(service, line + length, numbers))
            answer(fd, "no The service %s takes %s.\n", service->name, service->takes);
        else
            service->serve(fd, host, numbers);
        _exit(0);
    }
    for (size_t i = 0; i < length; i++)
        if (line[i] <= ' ' || line[i] > '~')
            line[i] = '?';
    answer(fd, "no This reckon-peer has no service \"%.*s\".\n", length > 40 ? 40 : (int)length,
           line);
    _exit(0);
}
