/* lab_program.c: the relay and the programs of the second host, in a process namespace of their own
 * whose init is the relay: when it ends, the kernel ends whatever else is in there. */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab.h"

#define LISTENING_MS 5000 /* how long a program may take to listen */

/* No signal is blocked, and no input or output is the first process's: its caller waits for the end
 * of that. */
static void stand_alone(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    if (null > 1)
        close(null);
}

void lab_start_relay(struct lab *lab)
{
    if (pipe2(lab->life, O_CLOEXEC) < 0)
        lab_stop("pipe", errno);
    if (unshare(CLONE_NEWPID) < 0)
        lab_cannot("Run as root; in a container, with the capability SYS_ADMIN, or name a real host "
                   "with PEER=.",
                   "a process namespace is forbidden here (%s)", strerror(errno));
    lab->relay = fork();
    if (lab->relay < 0)
        lab_stop("fork", errno);
    if (lab->relay > 0) {
        close(lab->port[0].fd);
        close(lab->port[1].fd);
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* sooner than the pipe, where it works */
    prctl(PR_SET_NAME, "reckon-relay");
    prctl(PR_SET_TIMERSLACK, 1);
    setpriority(PRIO_PROCESS, 0, -20); /* as the rows have it, where that is allowed */
    close(lab->life[1]);
    signal(SIGCHLD, SIG_IGN); /* what loses its parent in there is ours, and nobody waits for it */
    stand_alone();
    lab_relay(lab);
}

/* /proc of its own process namespace. Where that is refused (some of the machine's own is covered,
 * as in containers), the program sees the machine's. */
static void own_proc(void)
{
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return; /* never mount what others would see */
    (void)!mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* Starts a program in the peer's namespace; its pid, as the machine sees it. */
pid_t lab_start_program(const struct lab *lab, char *const argv[])
{
    int told[2]; /* the error of execvp, or its end */
    if (pipe2(told, O_CLOEXEC) < 0)
        lab_stop("pipe", errno);
    const pid_t child = fork();
    if (child < 0)
        lab_stop("fork", errno);
    if (child == 0) {
        close(lab->life[1]);
        stand_alone();
        lab_enter(lab, LAB_PEER);
        own_proc();
        execvp(argv[0], argv);
        const int error = errno;
        (void)!write(told[1], &error, sizeof error);
        _exit(127);
    }
    int error;
    close(told[1]);
    if (read(told[0], &error, sizeof error) == sizeof error)
        lab_cannot("Run `make lib`, or name a program that is there.", "%s does not start: %s",
                   argv[0], strerror(error));
    close(told[0]);
    return child;
}

/* Whether anybody listens on that port of the current network namespace. As the kernel lists it and
 * not by a connection, which the program would have to refuse. */
static int listened(const char *table, int port)
{
    FILE *file = fopen(table, "re");
    char line[256];
    unsigned local, state;
    int found = 0;
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "%*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x", &local, &state) == 2 &&
                state == TCP_LISTEN && local == (unsigned)port;
    if (file)
        fclose(file);
    return found;
}

void lab_await_port(const struct lab *lab, pid_t program, int port)
{
    lab_enter(lab, LAB_PEER);
    for (int waited_ms = 0; !listened("/proc/self/net/tcp", port) &&
                            !listened("/proc/self/net/tcp6", port); waited_ms++) {
        if (waitpid(program, NULL, WNOHANG) == program)
            lab_cannot("Start it by hand to see why, or name a real host with PEER=.",
                       "the program of the second host ended before it listened on port %d", port);
        if (waited_ms == LISTENING_MS)
            lab_cannot("Start it by hand to see why, or name a real host with PEER=.",
                       "the program of the second host did not listen on port %d within %d s", port,
                       LISTENING_MS / 1000);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    lab_enter(lab, LAB_CLIENT);
}
