/* peer.h: what the files of reckon-peer share: the other host's end of the network probes.
 *
 * One process listens and reads greetings (greet.c); a connection with the right one gets a process
 * of its own (children.c), whose loop is then a plain blocking receive and send (stream.c,
 * ports.c). */
#ifndef RK_PEER_H
#define RK_PEER_H

#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>

#include "probe/sockets.h"
#include "peer/wire.h"
#include "probe/clock.h"

/* An address without its port; of IPv4 the first four bytes. */
struct host {
    sa_family_t family;
    unsigned char bytes[16];
};

/* address.c */
struct host host_of(const struct sockaddr_storage *);
int same_host(const struct host *, const struct host *);
int is_loopback(const struct host *);
#define ADDRESS_MAX 80 /* an IPv6 address with its interface, brackets and port */
void address_text(const struct sockaddr_storage *, char text[ADDRESS_MAX]); /* with its port */
void host_text(const struct host *, char text[ADDRESS_MAX]);
int listen_at(const char *address,
              struct sockaddr_storage *bound); /* the socket, or -1 with a line on stderr */
int allow(const char *name);                   /* 0, or -1 with a line on stderr */
int is_allowed(const struct host *);
int anyone_allowed(void);

/* greet.c */
void greet_new(int fd, const struct host *);
void read_greetings(uint64_t now_ns);        /* on the connections that have not greeted yet */
int greetings(struct pollfd *, int maximum); /* the descriptors to poll; returns their number */
int64_t next_deadline_ns(void);              /* of the first of them; -1: none */
void close_oldest_greeting(void);
void close_greetings(void);
void set_token(const char *);

/* children.c */
void serve(int fd, const struct host *, const char *service); /* in its own process */
void collect_children(void);
int end_children(void); /* returns how many had failed */

/* services.c: in the child; does not return */
__attribute__((noreturn)) void run_service(int fd, const struct host *, char *line);
void *allocate_touched(size_t size);
int answer(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

void serve_echo(int fd, const struct host *, const int64_t *);
void serve_quickack(int fd, const struct host *, const int64_t *);
void serve_sink(int fd, const struct host *, const int64_t *);
void serve_udp_echo(int fd, const struct host *, const int64_t *);
void serve_accept(int fd, const struct host *, const int64_t *);
void serve_about(int fd, const struct host *, const int64_t *);

/* After accept(2) failed with this error: no descriptor or memory is left. */
int is_full(int error);
#define FULL_PAUSE_NS 10000000 /* before the next try */

/* main.c */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a line on stderr */
void leave_sockets(void); /* in a child: what only the parent needs */

#endif
