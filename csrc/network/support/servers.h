/* servers.h: the reports' echo servers that are not reckon-peer, for network/rtt: a thread of the
 * client, and ncat. */
#ifndef RK_SERVERS_H
#define RK_SERVERS_H

#include <pthread.h>
#include <sys/prctl.h>

#include "network/support/client.h"

/* An address on loopback with a free port, listening if `queue` > 0. The socket, or -1. */
static inline int loopback_socket(struct peer *peer, int queue)
{
    const int fd = socket(peer->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&peer->address, peer->length) == 0 &&
        getsockname(fd, (struct sockaddr *)&peer->address, &peer->length) == 0 &&
        (!queue || listen(fd, queue) == 0))
        return fd;
    const int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

/* --- a thread (mbp2016) --- */

struct echo_thread {
    pthread_t thread;
    int fd; /* the accepted connection */
};

/* "It echoes whatever it reads. The remote host is in charge of closing a connection." */
static void *echo_thread_main(void *argument)
{
    const struct echo_thread *server = argument;
    static char bytes[65536];
    for (;;) {
        const ssize_t got = read(server->fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        ssize_t written = 0;
        while (written < got) {
            const ssize_t more =
                send(server->fd, bytes + written, (size_t)(got - written), MSG_NOSIGNAL);
            if (more < 0 && errno != EINTR)
                break;
            written += more > 0 ? more : 0;
        }
        if (got <= 0 || written < got)
            break;
    }
    shutdown(server->fd,
             SHUT_RDWR); /* so that the client does not wait for a thread that is gone */
    return NULL;
}

/* May run wherever this process might when it was started: the scheduler decides. 0 or an errno. */
static inline int echo_thread_start(struct echo_thread *server)
{
    static int cpus[RK_CPUS_MOST];
    const int count = rk_cpus(cpus, RK_CPUS_MOST);
    cpu_set_t set;
    pthread_attr_t attr;
    CPU_ZERO(&set);
    for (int i = 0; i < count; i++)
        CPU_SET(cpus[i], &set);
    int error = pthread_attr_init(&attr);
    if (error)
        return error;
    error = pthread_attr_setaffinity_np(&attr, sizeof set, &set);
    if (!error)
        error = pthread_create(&server->thread, &attr, echo_thread_main, server);
    pthread_attr_destroy(&attr);
    return error;
}

/* *fd: the client's end, with a time limit as the other rows have. */
static inline int echo_thread_begin(struct rk_context *c, struct echo_thread *server,
                                    struct peer *peer, int *fd)
{
    const int on = 1, listening = loopback_socket(peer, 1);
    if (listening < 0)
        return rk_failed(c, "listening on loopback", errno);
    const int refused = peer_connect(peer, fd);
    server->fd = refused ? -1 : accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    int error = refused ? -refused : server->fd < 0 ? errno : 0;
    close(listening);
    if (error)
        return rk_failed(c, "a connection on loopback", error);
    setsockopt(server->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    error = echo_thread_start(server);
    if (!error)
        return 0;
    close(server->fd);
    return rk_refused(c, "pthread_create", error);
}

/* The thread reads the end of the stream and goes. */
static inline void echo_thread_end(struct echo_thread *server, int fd)
{
    shutdown(fd, SHUT_WR);
    pthread_join(server->thread, NULL);
    close(server->fd);
}

/* --- ncat (i7_10750h) --- */

struct ncat {
    pid_t pid;
    int was_reaper;
};

/* In the child: ncat in a group of its own, which ends with the process that started it. */
__attribute__((noreturn)) static inline void ncat_exec(const struct peer *peer, pid_t parent)
{
    char host[INET6_ADDRSTRLEN], port[8];
    const int six = peer->address.ss_family == AF_INET6;
    const int null = open("/dev/null", O_RDWR);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    snprintf(host, sizeof host, "%s", six ? "::1" : "127.0.0.1");
    snprintf(port, sizeof port, "%d",
             ntohs(((const struct sockaddr_in6 *)&peer->address)->sin6_port));
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    char *const words[] = {"ncat",        six ? "-6" : "-4", "--listen", host, port,
                           "--keep-open", "--exec",          "/bin/cat", NULL};
    char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL}; /* not the peer's token */
    if (getppid() == parent)
        execvpe("ncat", words, environment);
    _exit(errno == ENOENT ? 127 : 126);
}

/* With the cat of each connection and what hands on between the two: their parent gone, they are
 * this process's children, because it said so before. */
static inline void ncat_end(const struct ncat *ncat)
{
    kill(-ncat->pid, SIGKILL);
    while (waitpid(-ncat->pid, NULL, 0) > 0 || errno == EINTR)
        ;
    prctl(PR_SET_CHILD_SUBREAPER, ncat->was_reaper);
}

/* Waits until it takes our connection: 0, or a status with the reason set. */
static inline int ncat_await(struct rk_context *c, pid_t ncat, const struct peer *peer, int *fd)
{
    for (int waited_ms = 0; waited_ms < PEER_DEADLINE_S * 1000; waited_ms++) {
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)ncat, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid)
            return ended.si_code == CLD_EXITED && ended.si_status == 127
                       ? rk_cannot(c,
                                   "needs ncat, which is not installed (on Debian and Ubuntu the "
                                   "package ncat, on others nmap)")
                       : trouble(c, ECHILD, "ncat does not start: it ended with %s %d.",
                                 ended.si_code == CLD_EXITED ? "exit status" : "signal",
                                 ended.si_status);
        if (!peer_connect(peer, fd))
            return 0;
        const struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    return trouble(c, ETIMEDOUT, "ncat took no connection within %d s.", PEER_DEADLINE_S);
}

/* ncat finds no port by itself, so it gets one that was free a moment ago. */
static inline int ncat_begin(struct rk_context *c, struct peer *peer, struct ncat *ncat, int *fd)
{
    const int reserved = loopback_socket(peer, 0);
    if (reserved < 0)
        return rk_failed(c, "a port on loopback", errno);
    close(reserved);
    const pid_t parent = getpid();
    ncat->pid = fork();
    if (ncat->pid == 0)
        ncat_exec(peer, parent);
    if (ncat->pid < 0)
        return rk_refused(c, "fork", errno);
    setpgid(ncat->pid, ncat->pid); /* here too: whichever comes first */
    prctl(PR_GET_CHILD_SUBREAPER, &ncat->was_reaper);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const int status = ncat_await(c, ncat->pid, peer, fd);
    if (status)
        ncat_end(ncat);
    return status;
}

#endif
