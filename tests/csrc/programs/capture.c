/* What csrc/network/support/capture.c sees of a connection that this program makes with itself.
 *
 * capture ADDRESS show: each packet, as "> FLAGS SEQ ACK PAYLOAD" of ours and "<" of theirs.
 *
 * capture ADDRESS flood ASK: more packets than its ring holds; ASK: it is asked how many.
 *
 * capture ADDRESS strangers: another connection to the same port while it looks. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runner/context.h"
#include "network/support/capture.h"

static struct rk_outcome outcome;
static struct rk_context context = {.reason = outcome.reason, .outcome = &outcome};
static struct sockaddr_storage there;
static socklen_t length;
static int listening;
static char bytes[100000];

static void must(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

static void listen_at(const char *address)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&there;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&there;
    there.ss_family = strchr(address, ':') ? AF_INET6 : AF_INET;
    length = there.ss_family == AF_INET6 ? sizeof *six : sizeof *four;
    must(inet_pton(there.ss_family, address,
                   there.ss_family == AF_INET6 ? (void *)&six->sin6_addr : &four->sin_addr) == 1,
         "address");
    listening = socket(there.ss_family, SOCK_STREAM, 0);
    must(!bind(listening, (struct sockaddr *)&there, length) && !listen(listening, 5), "listen");
    must(!getsockname(listening, (struct sockaddr *)&there, &length), "getsockname");
}

static int join(int *server, uint16_t *port)
{
    const int on = 1, fd = socket(there.ss_family, SOCK_STREAM, 0);
    struct sockaddr_storage own;
    socklen_t own_length = sizeof own;
    uint32_t words[4];
    must(!connect(fd, (struct sockaddr *)&there, length), "connect");
    must((*server = accept(listening, NULL, NULL)) >= 0, "accept");
    must(!getsockname(fd, (struct sockaddr *)&own, &own_length), "getsockname");
    must(!setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
    *port = capture_address((struct sockaddr *)&own, words);
    return fd;
}

static void pass(int from, int to, ssize_t size)
{
    must(send(from, bytes, (size_t)size, 0) == size, "send");
    must(recv(to, bytes, (size_t)size, MSG_WAITALL) == size, "recv");
}

static void show(struct capture *capture)
{
    uint32_t own = 0, theirs = 0;
    int64_t before = 0;
    struct packet packet;
    while (capture_next(capture, &packet, 200) == 1) {
        if (packet.flags & TH_SYN)
            *(packet.outgoing ? &own : &theirs) = packet.seq;
        printf("%c %d %u %u %u\n", packet.outgoing ? '>' : '<', packet.flags,
               packet.seq - (packet.outgoing ? own : theirs),
               packet.ack ? packet.ack - (packet.outgoing ? theirs : own) : 0, packet.payload);
        must(packet.ns >= before, "the order of times");
        before = packet.ns;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t ago = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - before;
    must(ago > 0 && ago < 60000000000, "the time of day");
}

int main(int argc, char **argv)
{
    must(argc > 2, "arguments");
    struct capture capture;
    uint16_t port, other_port;
    int server, other_server;
    listen_at(argv[1]);
    const int strangers = strcmp(argv[2], "strangers") == 0;
    int fd = strangers ? join(&server, &port) : -1;
    if (strangers ? capture_connection(&context, fd, &capture)
                  : capture_open(&context, NULL, (struct sockaddr *)&there, &capture)) {
        puts(outcome.reason);
        return 2;
    }
    if (fd < 0)
        fd = join(&server, &port);
    if (strcmp(argv[2], "show") == 0) {
        pass(fd, server, 64);
        pass(server, fd, 10);
        pass(fd, server, sizeof bytes);
        close(fd);
        must(recv(server, bytes, 1, 0) == 0, "the end of the stream");
        close(server);
    } else if (strangers) {
        const int other = join(&other_server, &other_port);
        pass(other, other_server, 7);
        pass(other_server, other, 7);
        pass(fd, server, 5); /* lies in the ring when only incoming packets are left */
        capture_only_incoming(&capture);
        pass(fd, server, 9);
        pass(server, fd, 11);
    } else {
        for (int i = 0; i < 20000; i++) {
            pass(fd, server, 1);
            pass(server, fd, 1);
        }
        if (argc > 3)
            printf("lost %d\n", capture_lost(&capture) > 0);
    }
    if (strcmp(argv[2], "flood") != 0)
        show(&capture);
    if (capture_close(&context, &capture, 0))
        puts(outcome.reason);
    return 0;
}
