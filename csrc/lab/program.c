/* program.c: the relay and the programs of the second host, in a process namespace of their own
 * whose init is the relay: when it ends, the kernel ends all other processes in there. The
 * programs are its children: a child of a process outside would stay as a zombie until that process
 * waits for it. */
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/lab.h"
#include "probe/proc_net.h"

#define LISTENING_NS 10000000000 /* how long a program may take to listen */

static pid_t programs[LAB_PROGRAMS_MAX]; /* as the relay sees them */

/* No input or output of the first process, whose caller waits for the end of it. */
static void detach_input_output(void)
{
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    if (null > 1)
        close(null);
}

static void no_signal_blocked(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void lab_drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};
    if (syscall(SYS_capset, &header, none) < 0)
        lab_stop("dropping the capabilities", errno);
}

/* /proc of its own process namespace. Where that is refused (some of the machine's own is covered,
 * as in containers), the program sees the machine's. */
static void own_proc(void)
{
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return; /* never mount what others would see */
    (void)!mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* A program of root's lives in the machine's own user namespace and file system: it keeps what a
 * server needs that mounts for itself, becomes another user and drops the rest, and nothing by
 * which root changes the machine. What the bounding set lacks no later program has either. 0 or -1.
 */
static int keep_capabilities_of_a_server(void)
{
    static const uint64_t kept =
        1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_SETGID |
        1u << CAP_SETUID | 1u << CAP_SETPCAP | 1u << CAP_NET_BIND_SERVICE | 1u << CAP_SYS_ADMIN;
    for (int each = 0; prctl(PR_CAPBSET_READ, each, 0, 0, 0) >= 0; each++)
        if (!(kept >> each & 1) && prctl(PR_CAPBSET_DROP, each, 0, 0, 0) < 0)
            return -1;
    return 0;
}

/* Executes the program. The first process reads from `report`: a 0, to which the kernel adds the
 * sender, and then the error of execvp() or the end; or the error of fork(). */
__attribute__((noreturn)) static void exec_program(const struct lab *lab, char *const argv[],
                                                   int report)
{
    int error = 0;
    close(lab->lifetime_pipe[0]);
    signal(SIGCHLD, SIG_DFL);
    no_signal_blocked();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* no program gives it rights that it was not given */
    if (send(report, &error, sizeof error, 0) == sizeof error &&
        setns(lab->net[LAB_PEER], CLONE_NEWNET) == 0) {
        own_proc();
        if (keep_capabilities_of_a_server() == 0)
            execvp(argv[0], argv);
    }
    error = errno;
    (void)!send(report, &error, sizeof error, 0);
    _exit(127);
}

/* In the relay, the init of the process namespace: waits for orphans, and ends everything when a
 * program ends. */
static void wait_for_orphans(int signal_number)
{
    (void)signal_number;
    const int error = errno; /* of the interrupted call */
    int wait_status;
    for (pid_t child; (child = waitpid(-1, &wait_status, WNOHANG)) > 0;)
        for (int i = 0; i < LAB_PROGRAMS_MAX; i++)
            if (child == programs[i])
                _exit(WIFSIGNALED(wait_status) ? LAB_PROGRAM_DIED + WTERMSIG(wait_status) : 0);
    errno = error;
}

__attribute__((noreturn)) static void run_relay(struct lab *lab, int (*reports)[2])
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* sooner than the pipe, where it works */
    close(lab->lifetime_pipe[1]);
    detach_input_output();
    sigaction(SIGCHLD,
              &(struct sigaction){.sa_handler = wait_for_orphans, .sa_flags = SA_NOCLDSTOP}, NULL);
    for (int i = 0; i < LAB_PROGRAMS_MAX && lab->program[i]; i++) {
        programs[i] = fork();
        if (programs[i] == 0)
            exec_program(lab, lab->program[i], reports[i][1]);
        const int error = errno;
        if (programs[i] < 0) {
            (void)!send(reports[i][1], &error, sizeof error, 0);
            _exit(1);
        }
        close(reports[i][1]);
    }
    /* None of this is for the programs. */
    prctl(PR_SET_NAME, "reckon-relay");
    prctl(PR_SET_TIMERSLACK, 1);
    setpriority(PRIO_PROCESS, 0, -20); /* as the probes have it, where that is allowed */
    no_signal_blocked();
    lab_drop_capabilities();
    lab_relay(lab);
}

/* The pid of the program, as the machine sees it, once it runs. */
static pid_t await_program(const char *name, int report)
{
    int error = ECHILD, last_error;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec whole = {.iov_base = &error, .iov_len = sizeof error};
    struct msghdr message = {.msg_iov = &whole,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct ucred sender = {.pid = 0};
    if (recvmsg(report, &message, MSG_CMSG_CLOEXEC) == sizeof error) {
        const struct cmsghdr *from = CMSG_FIRSTHDR(&message);
        if (from && from->cmsg_type == SCM_CREDENTIALS)
            memcpy(&sender, CMSG_DATA(from), sizeof sender);
        if (!error && recv(report, &last_error, sizeof last_error, 0) == sizeof last_error)
            error = last_error;
    }
    close(report);
    if (error == EAGAIN)
        lab_stop(name, error);
    if (error || sender.pid <= 0)
        lab_unsupported("Run `make lib`, or name a program that is there.", "%s does not start: %s",
                        name, strerror(error ? error : ESRCH));
    return sender.pid;
}

pid_t lab_start(struct lab *lab)
{
    int reports[LAB_PROGRAMS_MAX][2];
    const int on = 1;
    pid_t last = 0;
    if (pipe2(lab->lifetime_pipe, O_CLOEXEC) < 0)
        lab_stop("pipe", errno);
    for (int i = 0; i < LAB_PROGRAMS_MAX; i++)
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, reports[i]) < 0 ||
            setsockopt(reports[i][0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0)
            lab_stop("socketpair", errno);
    if (unshare(CLONE_NEWPID) < 0)
        lab_unsupported("Run as root; in a container, with the capability SYS_ADMIN, or name a "
                        "real host with PEER=.",
                        "a process namespace is forbidden here (%s)", strerror(errno));
    lab->relay = fork();
    if (lab->relay < 0)
        lab_stop("fork", errno);
    if (lab->relay == 0)
        run_relay(lab, reports);
    close(lab->lifetime_pipe[0]);
    for (int side = LAB_CLIENT; side <= LAB_PEER; side++)
        close(lab->port[side].fd);
    for (int i = 0; i < LAB_PROGRAMS_MAX; i++)
        close(reports[i][1]);
    for (int i = 0; i < LAB_PROGRAMS_MAX && lab->program[i]; i++)
        last = await_program(lab->program[i][0], reports[i][0]);
    return last;
}

void lab_await_port(const struct lab *lab, int port)
{
    const int64_t end_ns = lab_now_ns(CLOCK_MONOTONIC) + LISTENING_NS;
    lab_enter(lab, LAB_PEER);
    while (!rk_proc_net_listens("tcp", port) && !rk_proc_net_listens("tcp6", port)) {
        if (waitpid(lab->relay, NULL, WNOHANG) == lab->relay)
            lab_failed("Start it by hand to see why, or name a real host with PEER=.",
                       "the program of the second host ended before it listened on port %d", port);
        if (lab_now_ns(CLOCK_MONOTONIC) > end_ns)
            lab_failed("Start it by hand to see why, or name a real host with PEER=.",
                       "the program of the second host did not listen on port %d within %lld s",
                       port, (long long)(LISTENING_NS / 1000000000));
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    lab_enter(lab, LAB_CLIENT);
}
