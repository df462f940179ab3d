/* greet.c: connections that have not greeted yet. The listening process reads them itself, so a
 * caller without the token costs no process, only one of a few places for 2 s at most. If a host
 * has all its places taken, its oldest connection is closed: a real caller greets within a round
 * trip, and a flood from one host takes no other's places. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peer/peer.h"

#define GREETINGS_MAX 64        /* connections that have not said what they want */
#define GREETINGS_A_HOST 32     /* so that one host cannot keep the other hosts out */
#define GREETING_NS 2000000000u /* clients send their line with the connection */

struct greeting {
    int fd;
    uint64_t due_ns; /* in the order of arrival, because each has the same time */
    struct host host;
    char line[PEER_LINE_MAX]; /* not last: sanitizers take a last array for one without an end */
    size_t length;
};

static struct greeting waiting[GREETINGS_MAX];
static int count;
static char token[PEER_TOKEN_MAX + 1]; /* with zeros to the end: compared whole */

void set_token(const char *text)
{
    snprintf(token, sizeof token, "%s", text);
}

/* As long for any wrong token as for the right one. */
static int is_token(const char *text, size_t length)
{
    char padded[PEER_TOKEN_MAX + 1] = "";
    unsigned char differs = length > PEER_TOKEN_MAX;
    memcpy(padded, text, length > PEER_TOKEN_MAX ? 0 : length);
    for (size_t i = 0; i < sizeof token; i++)
        differs |= (unsigned char)(padded[i] ^ token[i]);
    return differs == 0;
}

static void remove_greeting(int at)
{
    memmove(&waiting[at], &waiting[at + 1], (size_t)(--count - at) * sizeof *waiting);
}

/* Sends the reason and closes. Unread bytes are read first: closing with unread bytes is a reset,
 * which may overtake the reason. */
static void refuse(int fd, const char *why)
{
    char rest[4096];
    answer(fd, "no %s\n", why);
    for (int i = 0; i < 64 && recv(fd, rest, sizeof rest, MSG_DONTWAIT) == sizeof rest; i++)
        ; /* a caller who keeps sending would keep everybody else waiting */
    close(fd);
}

void close_oldest_greeting(void)
{
    if (count) {
        close(waiting[0].fd);
        remove_greeting(0);
    }
}

void greet_new(int fd, const struct host *host)
{
    if (!is_allowed(host)) {
        char text[ADDRESS_MAX], why[256];
        host_text(host, text);
        snprintf(why, sizeof why, "This reckon-peer does not serve %s; start it with --allow %s.",
                 text, text);
        log_line("%s is not among the hosts of --allow and was refused.", text);
        refuse(fd, why);
        return;
    }
    int oldest = -1, of_host = 0;
    for (int i = count - 1; i >= 0; i--)
        if (same_host(&waiting[i].host, host)) {
            of_host++;
            oldest = i;
        }
    if (count == GREETINGS_MAX && of_host < GREETINGS_A_HOST)
        oldest = 0;
    if (count == GREETINGS_MAX || of_host >= GREETINGS_A_HOST) {
        close(waiting[oldest].fd);
        remove_greeting(oldest);
    }
    waiting[count++] =
        (struct greeting){.fd = fd, .due_ns = rk_monotonic_ns() + GREETING_NS, .host = *host};
    answer(fd, PEER_NAME " %d\n", PEER_VERSION);
}

/* A complete line: its service is started, or refused with a reason. */
static void answer_greeting(struct greeting *greeting)
{
    char name[ADDRESS_MAX], why[256];
    host_text(&greeting->host, name);
    int version = 0, at = 0;
    if (sscanf(greeting->line, PEER_NAME " %9d%n", &version, &at) != 1 || version < 1) {
        refuse(greeting->fd, "This is a " PEER_NAME ", and that was no greeting.");
        return;
    }
    if (version != PEER_VERSION) {
        snprintf(why, sizeof why,
                 "This reckon-peer speaks version %d of its protocol and the other host version "
                 "%d; "
                 "build both from the same commit.",
                 PEER_VERSION, version);
        log_line("%s was refused: %s", name, why);
        refuse(greeting->fd, why);
        return;
    }
    const char *text = greeting->line + at + (greeting->line[at] == ' ');
    const size_t length = strcspn(text, " ");
    if (!is_token(text, length)) {
        log_line("%s was refused: its token is not the one of this reckon-peer.", name);
        refuse(greeting->fd, "The token is not the one of this reckon-peer; both need the same "
                             "RECKON_PEER_TOKEN.");
        return;
    }
    const int fd = greeting->fd;
    greeting->fd = -1; /* the service's: not closed with the greetings in its process */
    serve(fd, &greeting->host, text + length + (text[length] == ' '));
}

/* Reads the line from the socket and not a byte more: what follows belongs to the service. 1 if the
 * greeting is over. */
static int read_greeting(struct greeting *greeting)
{
    char *to = greeting->line + greeting->length;
    const size_t room = sizeof greeting->line - 1 - greeting->length;
    const ssize_t peeked = recv(greeting->fd, to, room, MSG_PEEK | MSG_DONTWAIT);
    if (peeked < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (peeked <= 0) {
        close(greeting->fd);
        return 1;
    }
    const char *end = memchr(to, '\n', (size_t)peeked);
    const size_t take = end ? (size_t)(end - to) + 1 : (size_t)peeked;
    if (recv(greeting->fd, to, take, MSG_DONTWAIT) != (ssize_t)take) {
        close(greeting->fd);
        return 1;
    }
    greeting->length += take;
    if (end) {
        greeting->line[greeting->length - 1] = 0;
        answer_greeting(greeting);
        return 1;
    }
    if (greeting->length < sizeof greeting->line - 1)
        return 0;
    refuse(greeting->fd, "This is a " PEER_NAME ", and that was no greeting.");
    return 1;
}

void read_greetings(uint64_t now)
{
    for (int i = 0; i < count;) {
        if (read_greeting(&waiting[i])) {
            remove_greeting(i);
        } else if (now >= waiting[i].due_ns) {
            refuse(waiting[i].fd, "The greeting took longer than 2 s.");
            remove_greeting(i);
        } else {
            i++;
        }
    }
}

int greetings(struct pollfd *events, int maximum)
{
    int written = 0;
    for (; written < count && written < maximum; written++)
        events[written] = (struct pollfd){.fd = waiting[written].fd, .events = POLLIN};
    return written;
}

int64_t next_deadline_ns(void)
{
    return count ? (int64_t)waiting[0].due_ns : -1;
}

void close_greetings(void)
{
    while (count)
        close_oldest_greeting();
}
