#include "network/support/client.h"

#include <netdb.h>

#include "network/support/loopback.h"
#include "probe/namespace.h"

static int unreachable(struct rk_context *c, const struct peer *peer, int error)
{
    if (error == ECONNREFUSED)
        return rk_error(c, error,
                        "Nothing listens at %s; start reckon-peer there (make peer says how).",
                        peer->name);
    if (error == ETIMEDOUT)
        return rk_error(c, error,
                        "The peer at %s did not answer within %d s; is it up, and does a firewall "
                        "let its port through?",
                        peer->name, PEER_DEADLINE_S);
    if (error == ECONNRESET)
        return rk_error(c, error, "The peer at %s closed the connection before it answered.",
                        peer->name);
    return rk_error(c, error, "The peer at %s cannot be reached: %s.", peer->name, strerror(error));
}

/* --- lines --- */

/* Up to the end of the line and not a byte further, which is the service's. 0 or -errno. */
static int read_line(int fd, char *line, size_t size)
{
    const uint64_t end_ns = rk_monotonic_ns() + PEER_DEADLINE_S * RK_NS_PER_S;
    for (size_t length = 0; length + 1 < size;) {
        const ssize_t peeked = recv(fd, line + length, size - 1 - length, MSG_PEEK);
        if (peeked < 0 && errno == EINTR)
            continue;
        if (peeked < 0)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        if (peeked == 0)
            return -ECONNRESET;
        const char *end = memchr(line + length, '\n', (size_t)peeked);
        const size_t take = end ? (size_t)(end - (line + length)) + 1 : (size_t)peeked;
        const int status = peer_receive(fd, line + length, take);
        if (status)
            return status;
        length += take;
        if (end) {
            line[length - 1] = 0;
            return 0;
        }
        if (rk_monotonic_ns() > end_ns)
            return -ETIMEDOUT;
    }
    return -EMSGSIZE;
}

int peer_line(struct rk_context *c, int fd, char *line, size_t size)
{
    const int status = read_line(fd, line, size);
    if (status == -EMSGSIZE)
        return rk_error(c, EMSGSIZE, "The peer sent a line longer than %zu characters.", size - 2);
    if (status == -ETIMEDOUT)
        return rk_error(c, ETIMEDOUT, "The peer did not answer within %d s.", PEER_DEADLINE_S);
    if (!status && !line[0])
        return rk_error(c, EPROTO, "The peer sent an empty line.");
    return status ? rk_error(c, -status, "The peer went away before it had answered.") : 0;
}

/* --- requesting a service --- */

/* The peer's "no SENTENCE". */
static int refusal(struct rk_context *c, const struct peer *peer, const char *line)
{
    const char *const sentence = line + strlen("no ");
    return *sentence ? rk_error(c, EACCES, "%.250s", sentence)
                     : rk_error(c, EACCES, "The peer at %s refuses without a reason.", peer->name);
}

/* Reads the peer's greeting, sends token and service; the answer after "ok" is left in `line`. */
static int greet(struct rk_context *c, const struct peer *peer, int fd, const char *service,
                 char line[PEER_LINE_MAX])
{
    int version = 0;
    int status = read_line(fd, line, PEER_LINE_MAX);
    if (!status && strncmp(line, "no ", 3) == 0)
        return refusal(c, peer, line);
    if (status == -EMSGSIZE || (!status && sscanf(line, PEER_NAME " %9d", &version) != 1))
        return rk_error(c, EPROTO, "What listens at %s is no reckon-peer.", peer->name);
    if (status)
        return unreachable(c, peer, -status);
    const int length = version == PEER_VERSION
                           ? snprintf(line, PEER_LINE_MAX, PEER_NAME " %d %s %s\n", PEER_VERSION,
                                      peer->token, service)
                           : snprintf(line, PEER_LINE_MAX, PEER_NAME " %d\n", PEER_VERSION);
    if (length >= PEER_LINE_MAX)
        return rk_error(c, E2BIG, "The name of the requested service is too long.");
    status = peer_send(fd, line, (size_t)length);
    if (version != PEER_VERSION)
        return rk_error(c, EPROTO,
                        "The peer at %s speaks version %d of the protocol and this reckon version "
                        "%d; build both from the same commit.",
                        peer->name, version, PEER_VERSION);
    status = status ? status : read_line(fd, line, PEER_LINE_MAX);
    if (status)
        return unreachable(c, peer, -status);
    if (strncmp(line, "no ", 3) == 0)
        return refusal(c, peer, line);
    if (strcmp(line, "ok") != 0 && strncmp(line, "ok ", 3) != 0)
        return rk_error(c, EPROTO, "The peer at %s answered neither yes nor no.", peer->name);
    return 0;
}

static int request(struct rk_context *c, const struct peer *peer, const char *service, int *fd,
                   char line[PEER_LINE_MAX])
{
    int status = rk_connect_within(PEER_DEADLINE_S, &peer->address, peer->length, fd);
    if (status)
        return unreachable(c, peer, -status);
    status = greet(c, peer, *fd, service, line);
    if (status) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

int peer_request(struct rk_context *c, const struct peer *peer, const char *service, int *fd)
{
    char line[PEER_LINE_MAX];
    return request(c, peer, service, fd, line);
}

int peer_request_port(struct rk_context *c, const struct peer *peer, const char *service, int *fd,
                      struct sockaddr_storage *address, socklen_t *length)
{
    char line[PEER_LINE_MAX];
    *address = peer->address;
    *length = peer->length;
    const int status = request(c, peer, service, fd, line);
    if (status)
        return status;
    int port = 0;
    if (sscanf(line, "ok %6d", &port) != 1 || port < 1 || port > 65535) {
        close(*fd);
        *fd = -1;
        return rk_error(c, EPROTO, "The peer at %s names no port for %s.", peer->name, service);
    }
    *rk_port_of(address) = htons((uint16_t)port);
    return 0;
}

/* --- which peer --- */

int peer_locate(struct peer *peer, const char *at)
{
    char host[256], port[16];
    if (rk_split_address(at, NULL, host, port))
        return -1;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *list;
    if (getaddrinfo(host, port, &hints, &list))
        return -1;
    memcpy(&peer->address, list->ai_addr, list->ai_addrlen);
    peer->length = list->ai_addrlen;
    freeaddrinfo(list);
    snprintf(peer->name, sizeof peer->name, "%.79s", at);
    return 0;
}

static int open_other_host(struct rk_context *c, struct peer *peer)
{
    const char *const at = rk_location(c, "peer"), *const token = rk_location(c, "peer_token");
    const char *const process = rk_location(c, "peer_process");
    if (!*at || !*token)
        return rk_unsupported(c,
                              "needs another host: start reckon-peer on it and set PEER=ADDRESS");
    if (peer_locate(peer, at))
        return rk_error(c, EDESTADDRREQ,
                        "The other host is \"%.60s\", not ADDRESS:PORT or [IPv6]:PORT.", at);
    if (strlen(token) < PEER_TOKEN_MIN || strlen(token) > PEER_TOKEN_MAX)
        return rk_error(c, EACCES, "The other host's token must have %d to %d characters.",
                        PEER_TOKEN_MIN, PEER_TOKEN_MAX);
    strcpy(peer->token, token);
    return *process ? rk_enter_network_of(c, process) : 0;
}

enum server_place server_place_of(const struct rk_context *c)
{
    const enum server_place *const place = rk_variant(c);
    return place ? *place : SAME_CPU;
}

int peer_is_loopback(const struct rk_context *c)
{
    return strcmp(rk_text(c, "peer"), "loopback") == 0;
}

int peer_open(struct rk_context *c, struct peer *peer, enum server_place place)
{
    const char *which = rk_text(c, "peer");
    *peer = (struct peer){.server = 0};
    if (!peer_is_loopback(c) && strcmp(which, "other") != 0)
        return rk_error(c, EDOM, "peer is loopback or other, not \"%.60s\".", which);
    if (!peer_is_loopback(c) && place == OTHER_CPU)
        return rk_unsupported(c, "the server's CPU can be chosen on loopback alone: peer must be "
                                 "loopback here, or take the probe without _across");
    if (!peer_is_loopback(c))
        return open_other_host(c, peer);
    return place == NO_SERVER ? loopback_locate(c, peer) : peer_start_server(c, peer, place);
}
