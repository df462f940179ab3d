/* sockets.h: addresses, bound sockets, and connections with a deadline, for the probes and
 * reckon-peer. */
#ifndef RK_SOCKETS_H
#define RK_SOCKETS_H

#include <netinet/in.h>
#include <sys/socket.h>

/* IPv4 and IPv6 keep the port in the same place, in network order. */
in_port_t *rk_port_of(struct sockaddr_storage *);

/* "ADDRESS:PORT", "[IPv6]:PORT", "ADDRESS" or "IPv6" into its two parts; without a port `port` gets
 * `usual_port`, unless that is NULL. 0 or -1. */
int rk_split_address(const char *text, const char *usual_port, char host[256], char port[16]);
/* The loopback address of the family, port 0; returns its length. */
socklen_t rk_loopback_of(int family, struct sockaddr_storage *);
/* 1 if that address is reachable: while the interface is down it can be bound all the same. */
int rk_loopback_is_up(int family);
/* A socket bound to the address, which gets the port if it is 0. An IPv6 one serves IPv4 as well,
 * whatever net.ipv6.bindv6only says. -1 with errno. */
int rk_bound_socket(int type, struct sockaddr_storage *, socklen_t length);
/* Time limits of connect(), send() and recv() (socket(7), SO_SNDTIMEO). 0, or -1 with errno. */
int rk_set_time_limits(int fd, int seconds);
/* A TCP connection made within the time, blocking, with these time limits and without Nagle's
 * algorithm; *fd is -1 after a failure. 0 or -errno. */
int rk_connect_within(int seconds, const struct sockaddr_storage *to, socklen_t length, int *fd);

#endif
