/* stream.c: echo, quickack and sink: the other end of what is timed over one connection. */
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "peer/peer.h"

#define NOTES_MAX 100000 /* 1.6 MB; of more, every second one is kept */

/* A buffer, and "ok" to the caller; NULL if either failed. */
static char *begin(int fd, size_t size)
{
    char *buffer = allocate_touched(size);
    if (!buffer)
        answer(fd, "no The other host has not enough memory for the buffer.\n");
    return buffer && !answer(fd, "ok\n") ? buffer : NULL;
}

void serve_echo(int fd, const struct host *host, const int64_t *numbers)
{
    (void)host;
    const size_t size = (size_t)numbers[0];
    char *buffer = begin(fd, size);
    while (buffer && !peer_receive(fd, buffer, size) && !peer_send(fd, buffer, size))
        ;
}

/* Reads without answering, and has each segment acknowledged at once. The kernel resets the
 * option by itself (tcp(7), TCP_QUICKACK), so it is set again before each read. */
void serve_quickack(int fd, const struct host *host, const int64_t *numbers)
{
    const int on = 1;
    char bytes[4096];
    (void)host, (void)numbers;
    if (answer(fd, "ok\n"))
        return;
    do
        setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    while (recv(fd, bytes, sizeof bytes, 0) > 0);
}

/* --- sink: how many bytes had arrived at which time --- */

static struct {
    uint64_t bytes, ns;
} notes[NOTES_MAX];
static size_t noted;

static void take_note(uint64_t bytes, uint64_t ns, uint64_t *every_ns)
{
    if (noted == NOTES_MAX) { /* keeps every second one, and takes half as many from now on */
        for (size_t i = 0; i < NOTES_MAX / 2; i++)
            notes[i] = notes[2 * i];
        noted = NOTES_MAX / 2;
        *every_ns = *every_ns ? 2 * *every_ns : 1000;
    }
    notes[noted].bytes = bytes;
    notes[noted++].ns = ns;
}

void serve_sink(int fd, const struct host *host, const int64_t *numbers)
{
    (void)host;
    uint64_t every_ns = (uint64_t)numbers[0] * 1000, due_ns = 0, bytes = 0;
    const size_t size = (size_t)numbers[1];
    for (size_t i = 0; i < NOTES_MAX; i++)
        notes[i].ns = 1; /* touches its pages before the first byte */
    char *buffer = begin(fd, size);
    if (!buffer)
        return;
    for (;;) {
        const ssize_t got = recv(fd, buffer, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return;
        const uint64_t ns = rk_monotonic_ns();
        bytes += (uint64_t)got;
        if (ns >= due_ns || got == 0) {
            take_note(bytes, ns, &every_ns);
            due_ns = ns + every_ns;
        }
        if (got == 0)
            break;
    }
    FILE *out = fdopen(fd, "w");
    if (!out)
        return;
    for (size_t i = 0; i < noted; i++)
        fprintf(out, "%llu %llu\n", (unsigned long long)notes[i].bytes,
                (unsigned long long)notes[i].ns);
    fputs("end\n", out);
    fclose(out);
}
