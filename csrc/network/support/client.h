/* client.h: a network probe's connection to reckon-peer, on this computer or on another.
 *
 * Only peer_send() and peer_receive() (peer/wire.h) run between clock reads. */
#ifndef RK_CLIENT_H
#define RK_CLIENT_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/sockets.h"
#include "peer/wire.h"
#include "probe/probe.h"

#define PEER_DEADLINE_S 5 /* a lost SYN is sent again after 1 s and after 3 s */
#define PEER RK_TEXT("peer", "loopback", "loopback, or other: the other host")

struct peer {
    struct sockaddr_storage address;
    socklen_t length;
    char name[80]; /* the address, for messages */
    char token[PEER_TOKEN_MAX + 1];
    pid_t server;     /* the reckon-peer that this probe started; 0: none */
    int server_input; /* the write end of its standard input: it ends when that is closed */
};

/* The CPU of a server that the probe starts; ANY_CPU: where the scheduler puts its processes;
 * NO_SERVER: loopback's address alone. */
enum server_place { SAME_CPU, OTHER_CPU, ANY_CPU, NO_SERVER };
/* As a probe's variant; without one the server is on the same CPU. */
#define SERVER(place) RK_VARIANT(enum server_place, place)
enum server_place server_place_of(const struct rk_context *);

/* All that return int return 0 or a status, with the reason set. */

/* The peer that the parameter "peer" names. peer_close() in either case. */
int peer_open(struct rk_context *, struct peer *, enum server_place);
/* Ends the server that the probe started. */
int peer_close(struct rk_context *, struct peer *);
int peer_is_loopback(const struct rk_context *);

/* A new connection on which the peer now serves `service`; *fd is -1 after a failure. */
int peer_request(struct rk_context *, const struct peer *, const char *service, int *fd);
/* For a service with a port of its own, whose address this gives. Closing *fd ends it. */
int peer_request_port(struct rk_context *, const struct peer *, const char *service, int *fd,
                      struct sockaddr_storage *address, socklen_t *length);
/* One line that the peer sends on the connection. */
int peer_line(struct rk_context *, int fd, char *line, size_t size);

/* --- steps that own_peer.c and the other servers use --- */

/* "ADDRESS:PORT" or "[IPv6]:PORT", as numbers, into the peer. 0 or -1. */
int peer_locate(struct peer *, const char *at);
/* Starts reckon-peer beside the library, at that place. */
int peer_start_server(struct rk_context *, struct peer *, enum server_place);

#endif
