#include "network/support/servers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "probe/children.h"

/* --- a thread (mbp2016) --- */

/* mbp2016: "It echoes whatever it reads. The remote host is in charge of closing a connection." */
static void *echo_thread_main(void *argument)
{
    const struct loopback_thread *server = argument;
    const int on = 1;
    static char bytes[65536];
    setsockopt(server->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
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
    shutdown(server->fd, SHUT_RDWR); /* else the client waits for a thread that has ended */
    return NULL;
}

int echo_thread_begin(struct rk_context *c, struct loopback_thread *server, const struct peer *peer,
                      int *fd)
{
    return loopback_thread_begin(c, peer, server, echo_thread_main, server, fd);
}

/* --- ncat (i7_10750h) --- */

/* In the child: ncat in a group of its own, which ends with the process that started it. */
__attribute__((noreturn)) static void ncat_exec(const struct peer *peer, pid_t parent)
{
    char host[INET6_ADDRSTRLEN], port[8];
    const int six = peer->address.ss_family == AF_INET6;
    const int null = open("/dev/null", O_RDWR);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    snprintf(host, sizeof host, "%s", six ? "::1" : "127.0.0.1");
    snprintf(port, sizeof port, "%d",
             ntohs(((const struct sockaddr_in6 *)&peer->address)->sin6_port));
    setpgid(0, 0);
    rk_die_with_parent(parent);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    char *const words[] = {"ncat",        six ? "-6" : "-4", "--listen", host, port,
                           "--keep-open", "--exec",          "/bin/cat", NULL};
    char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C",
                                 NULL}; /* without the peer's token */
    execvpe("ncat", words, environment);
    _exit(errno == ENOENT ? 127 : 126);
}

void ncat_end(struct ncat *ncat)
{
    kill(-ncat->pid, SIGKILL);
    while (waitpid(-ncat->pid, NULL, 0) > 0 || errno == EINTR)
        ;
    prctl(PR_SET_CHILD_SUBREAPER, ncat->was_reaper);
    ncat->pid = 0;
}

/* Why it ended before it was to. */
static int ncat_ended(struct rk_context *c, const siginfo_t *ended)
{
    const int exited = ended->si_code == CLD_EXITED;
    if (exited && ended->si_status == 127)
        return rk_unsupported(c, "needs ncat, which is not installed (on Debian and Ubuntu the "
                                 "package ncat, on others nmap)");
    return rk_error(c, ECHILD, "ncat does not start: it ended with %s %d.",
                    exited ? "exit status" : "signal", ended->si_status);
}

/* Waits until it accepts a connection. 0, or a status with the reason set. */
static int ncat_await(struct rk_context *c, pid_t ncat, const struct peer *peer, int *fd)
{
    for (int waited_ms = 0; waited_ms < PEER_DEADLINE_S * 1000; waited_ms++) {
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)ncat, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid)
            return ncat_ended(c, &ended);
        if (!rk_connect_within(PEER_DEADLINE_S, &peer->address, peer->length, fd))
            return 0;
        const struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    return rk_error(c, ETIMEDOUT, "ncat accepted no connection within %d s.", PEER_DEADLINE_S);
}

/* ncat chooses no port by itself, so it gets one that was free a moment ago. */
int ncat_begin(struct rk_context *c, struct peer *peer, struct ncat *ncat, int *fd)
{
    const int reserved = rk_bound_socket(SOCK_STREAM, &peer->address, peer->length);
    if (reserved < 0)
        return rk_failed(c, "a port on loopback", errno);
    close(reserved);
    const pid_t parent = getpid();
    ncat->pid = fork();
    if (ncat->pid == 0)
        ncat_exec(peer, parent);
    if (ncat->pid < 0)
        return rk_refused(c, "fork", errno);
    setpgid(ncat->pid, ncat->pid); /* in both processes: either may run first */
    prctl(PR_GET_CHILD_SUBREAPER, &ncat->was_reaper);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const int status = ncat_await(c, ncat->pid, peer, fd);
    if (status)
        ncat_end(ncat);
    return status;
}
