/* lab_program.c: the relay and the programs of the second host, in a process namespace of their own
 * whose init is the relay: when it ends, the kernel ends whatever else is in there. */
#include <fcntl.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab.h"

#define LISTENING_MS 5000 /* how long a program may take to listen */

/* No signal of the lab's first process is blocked or handled in the others. */
static void own_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void no_input(void)
{
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1); /* the caller waits for the end of the first process's */
    if (null > 1)
        close(null);
}

void lab_start_relay(struct lab *lab)
{
    if (pipe2(lab->life, O_CLOEXEC) < 0)
        lab_stop("pipe", errno);
    if (unshare(CLONE_NEWPID) < 0)
        lab_cannot("Run as root, or in a container, with the capability SYS_ADMIN.",
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
    close(lab->life[1]);
    signal(SIGCHLD, SIG_IGN); /* what loses its parent in there is ours, and nobody waits for it */
    own_signals();
    no_input();
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
        own_signals();
        no_input();
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

/* Until it accepts connections, seen from its own host: nothing of that crosses the link. */
void lab_await_port(const struct lab *lab, pid_t program, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, lab_address[LAB_PEER], &address.sin_addr);
    lab_enter(lab, LAB_PEER);
    for (int waited_ms = 0, bad = 1; bad; waited_ms++) {
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bad = fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0;
        const int error = errno;
        if (fd >= 0)
            close(fd);
        if (bad && waitpid(program, NULL, WNOHANG) == program)
            lab_cannot("Start it by hand to see why.",
                       "the program of the second host ended before it listened on port %d", port);
        if (bad && waited_ms == LISTENING_MS)
            lab_cannot("Start it by hand to see why.",
                       "the program of the second host did not listen on port %d within %d s (%s)",
                       port, LISTENING_MS / 1000, strerror(error));
        if (bad)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    lab_enter(lab, LAB_CLIENT);
}
