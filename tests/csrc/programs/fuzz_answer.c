/* fuzz_answer.c: COUNT random answers of a peer to the client's parser of them and of the
 * receiver's notes, in one process; prints how many were taken for true ones. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"
#include "probe/sockets.h"

/* The client's end of the pair, as if it had been connected. */
static int client_end;
#define rk_connect_within(seconds, to, length, fd) (*(fd) = client_end, 0)
#include "network/support/client.c"
#include "network/support/receiver.c"
#include "runner/context.h"

/* What these tests never come to. */
int loopback_locate(struct rk_context *c, struct peer *peer)
{
    (void)c, (void)peer;
    abort();
}

int peer_start_server(struct rk_context *c, struct peer *peer, enum server_place place)
{
    (void)c, (void)peer, (void)place;
    abort();
}

int rk_enter_network_of(struct rk_context *c, const char *process)
{
    (void)c, (void)process;
    abort();
}

/* The registry needs a probe. */
RK_PROBE("fuzz", .op = "call");

#define NOTES "100 5\n200 10\n200 11\nend\n"

static long accepted, complete, refused;

static void take(const char *text, size_t length)
{
    static const struct peer peer = {.address.ss_family = AF_INET,
                                     .name = "there:7325",
                                     .token = "made-up-token-of-the-tests"};
    char reason[RK_REASON_BYTES] = "";
    struct rk_context context = {.reason = reason};
    struct sockaddr_storage address;
    struct notes notes = {NULL, 0};
    socklen_t size;
    int pair[2], fd;
    fuzz_pair(pair);
    client_end = pair[0];
    fuzz_send(pair[1], text, length);
    shutdown(pair[1], SHUT_WR);
    const int status = fuzz_below(2)
                           ? peer_request(&context, &peer, "sink 1000 4096", &fd)
                           : peer_request_port(&context, &peer, "udp-echo", &fd, &address, &size);
    if (status == 0) {
        accepted++;
        complete += read_notes(&context, fd, 200, &notes) == 0;
        free_notes(&notes);
        close(fd);
    } else if (reason[0] && fd == -1) {
        refused++;
    } else {
        abort(); /* each failure has a sentence and leaves no connection */
    }
    close(pair[1]);
}

#ifndef LIBFUZZER
int main(int argc, char **argv)
{
    static const char *const answers[] = {"reckon-peer 1\nok 4096\n" NOTES,
                                          "reckon-peer 1\nok\n" NOTES,
                                          "reckon-peer 1\nok 70000\n",
                                          "reckon-peer 1\nno This one does not serve you.\n",
                                          "reckon-peer 2\n",
                                          "no It is full.\n",
                                          "HTTP/1.1 400 Bad Request\r\n"};
    const long messages = fuzz_begin(argc, argv);
    char text[MESSAGE_MAX];
    const int before = fuzz_descriptors();
    for (long i = 0; i < messages; i++)
        take(text, fuzz_message(text, answers, sizeof answers / sizeof *answers));
    printf("%ld %ld %ld %d\n", accepted, complete, refused, fuzz_descriptors() - before);
    return 0;
}
#endif
