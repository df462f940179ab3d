/* children.c: a process for each connection that is served, so that its loop is a plain
 * blocking receive and send. They are few, and none outlives the one that listens. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer/peer.h"

#define CHILDREN_MAX 128   /* processes: of two hosts with all that one may have */
#define CHILDREN_A_HOST 64 /* probes have few; one host leaves room for another */

static struct child {
    pid_t pid;
    struct host host;
} children[CHILDREN_MAX];
static int count, failures;

static void turn_away(int fd, const char *why)
{
    answer(fd, "no %s\n", why);
    close(fd);
}

static void begin(int fd, const struct host *host, const char *service, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before that line */
        _exit(0);
    /* Copied before the greetings are closed: both lie in one, whose place the next one takes. */
    const struct host caller = *host;
    char line[PEER_LINE_MAX];
    snprintf(line, sizeof line, "%s", service);
    leave_sockets();
    signal(SIGTERM, SIG_DFL);
    /* A terminal sends these to the whole group; the parent ends its children itself. */
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    run_service(fd, &caller, line);
}

void serve(int fd, const struct host *host, const char *service)
{
    collect_children();
    int of_host = 0;
    for (int i = 0; i < count; i++)
        of_host += same_host(&children[i].host, host);
    if (of_host >= CHILDREN_A_HOST || count == CHILDREN_MAX) {
        turn_away(fd, "This reckon-peer serves as many connections as it may already; close some.");
        return;
    }
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        begin(fd, host, service, parent);
    if (child < 0)
        turn_away(fd, "The other host allows reckon-peer no further process.");
    else {
        children[count++] = (struct child){child, *host};
        close(fd);
    }
}

static void ended(int at, int wait_status)
{
    if (WIFSIGNALED(wait_status))
        log_line("A service died of signal %d (%s).", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    failures += wait_status != 0;
    children[at] = children[--count];
}

void collect_children(void)
{
    for (int i = count - 1; i >= 0; i--) {
        int wait_status = 0;
        if (waitpid(children[i].pid, &wait_status, WNOHANG) == children[i].pid)
            ended(i, wait_status);
    }
}

int end_children(void)
{
    collect_children(); /* a child that is killed here has not failed */
    for (int i = 0; i < count; i++)
        kill(children[i].pid, SIGKILL);
    for (; count; count--)
        while (waitpid(children[count - 1].pid, NULL, 0) < 0 && errno == EINTR)
            ;
    return failures;
}
