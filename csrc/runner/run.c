/* run.c: rk_run(): a fresh lean process for every call, with a deadline.
 *
 * The probe runs in reckon-probe, started by posix_spawn, because fork is charged with the
 * caller's page tables (1 ms from a bare Python, 37 ms from one with 1 GB), because a crash must
 * be an error and not a dead kernel, and because priority and affinity must not leak. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/children.h"
#include "runner/context.h"

/* The programs lie beside this library, and reckon-probe beside the others. */
int rk_beside(const char *name, char path[PATH_MAX])
{
    Dl_info info;
    if (!dladdr((void *)rk_run, &info) || !realpath(info.dli_fname, path))
        return -ENOENT;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) + strlen(name) + 2 > PATH_MAX)
        return -ENAMETOOLONG;
    strcpy(slash + 1, name);
    return access(path, X_OK) == 0 ? 0 : -errno;
}

/* A variable of the environment whose length follows from the seed, within a page: the size of the
 * environment moves the stack (Mytkowicz et al. 2009). */
#define PAD_NAME "RK_PAD="
#define PAD_SPAN 4096

static void fill_pad(char pad[sizeof PAD_NAME + PAD_SPAN], uint32_t seed)
{
    const size_t length = sizeof PAD_NAME + seed / RK_STACK_GAPS % PAD_SPAN;
    memset(pad, 'x', length);
    memcpy(pad, PAD_NAME, strlen(PAD_NAME));
    pad[length] = 0;
}

/* `path` is whole, because the program finds others beside itself (rk_beside). 0 or -errno. */
static int start_probe(pid_t *child, char *path, int fd, uint32_t seed)
{
    char pad[sizeof PAD_NAME + PAD_SPAN], parent[32];
    fill_pad(pad, seed);
    snprintf(parent, sizeof parent, "%d", (int)getpid());
    char *const argv[] = {path, parent, NULL};
    char *const settings[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", pad, NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    /* In this order: the file is descriptor 0 itself where the caller closed that. */
    posix_spawn_file_actions_adddup2(&files, fd, RK_SHARED_FD);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    const int error = rk_spawn(child, argv, settings, &files, 1); /* a group, ended as a whole */
    posix_spawn_file_actions_destroy(&files);
    return -error;
}

/* Holds back the signals that ask the caller to stop: otherwise one that arrives just before
 * wait_ended() sleeps is noticed only at the probe's end. Returns what was blocked before. */
static sigset_t hold_stop_signals(void)
{
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stop, &before);
    return before;
}

/* Waits until the child has ended (0), the deadline is over (-ETIMEDOUT), or a signal asks the
 * caller to stop (-EINTR); those signals are held back, except while this sleeps. Leaves the child
 * to be waited for. */
static int wait_ended(pid_t child, uint64_t deadline_ms)
{
    sigset_t block;
    sigfillset(&block);
    sigdelset(&block, SIGINT);
    sigdelset(&block, SIGTERM);
    sigdelset(&block, SIGHUP);
    const uint64_t end_ns = rk_monotonic_ns() + deadline_ms * 1000000u;
    const int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    int status = -ETIMEDOUT;
    for (;;) {
        if (rk_has_ended(child)) {
            status = 0;
            break;
        }
        const uint64_t now_ns = rk_monotonic_ns();
        if (now_ns >= end_ns)
            break;
        /* Kernels before 5.3, and some sandboxes, have no pidfd: check every millisecond. */
        const uint64_t left_ns = pidfd >= 0 ? end_ns - now_ns : 1000000u;
        const struct timespec left = {(time_t)(left_ns / RK_NS_PER_S),
                                      (long)(left_ns % RK_NS_PER_S)};
        struct pollfd event = {.fd = pidfd, .events = POLLIN};
        if (ppoll(&event, pidfd >= 0, &left, &block) < 0 && errno == EINTR) {
            status = -EINTR;
            break;
        }
    }
    if (pidfd >= 0)
        close(pidfd);
    return status;
}

/* Whether the request fits into what is shared with reckon-probe. 0 or a status with the reason. */
static int check_size(const struct rk_request *request, const char *locations, char *reason)
{
    if (strlen(request->params) >= sizeof((struct rk_shared *)0)->params ||
        strlen(request->probe) >= sizeof((struct rk_shared *)0)->probe)
        return rk_reason(reason, -E2BIG, "The parameters are too long.");
    if (strlen(locations) >= sizeof((struct rk_shared *)0)->locations)
        return rk_reason(reason, -E2BIG, "The names of hosts and folders are too long.");
    if (request->samples > (SIZE_MAX - sizeof(struct rk_shared)) / RK_SAMPLE_BYTES)
        return rk_reason(reason, -E2BIG, "That many samples do not fit into memory.");
    return 0;
}

/* Maps the file that is shared with reckon-probe. 0 or -errno. */
static int map_shared(size_t size, int *fd, struct rk_shared **shared)
{
    *fd = memfd_create("reckon", MFD_CLOEXEC);
    if (*fd >= 0 && ftruncate(*fd, (off_t)size) == 0) {
        *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
        if (*shared != MAP_FAILED)
            return 0;
    }
    const int error = errno;
    if (*fd >= 0)
        close(*fd);
    return -error;
}

/* Waits for reckon-probe and ends what is left of it. The status of the run. */
static int await_outcome(pid_t child, const struct rk_request *request,
                         const struct rk_shared *shared, struct rk_outcome *outcome)
{
    const int waited = wait_ended(child, request->deadline_ms);
    /* The probe if it is late, and the processes that it left behind. A caller that ignores SIGCHLD
     * has no child that has ended: its number may be another's already. */
    int wait_status = 0;
    if (rk_is_child(child)) {
        kill(-child, SIGKILL);
        wait_status = rk_wait_status(child);
        wait_status = wait_status < 0 ? 0 : wait_status;
    }
    *outcome = shared->outcome;
    if (waited == -ETIMEDOUT)
        return rk_reason(outcome->reason, waited,
                         "%s was still running after %.3g s and was ended.", request->probe,
                         (double)request->deadline_ms / 1000);
    if (waited)
        return rk_reason(outcome->reason, waited, "Stopped.");
    if (WIFSIGNALED(wait_status)) {
        outcome->signal = WTERMSIG(wait_status);
        return rk_reason(outcome->reason, -ECHILD, "%s died of signal %d (%s).", request->probe,
                         outcome->signal, strsignal(outcome->signal));
    }
    if (WEXITSTATUS(wait_status) || outcome->status == -EINPROGRESS)
        return rk_reason(outcome->reason, -ECHILD,
                         "%s left with exit status %d before it was done.", request->probe,
                         WEXITSTATUS(wait_status));
    return outcome->status;
}

static int run_isolated(const struct rk_request *request, struct rk_sample *samples,
                        struct rk_witness *witnesses, struct rk_outcome *outcome)
{
    char path[PATH_MAX];
    if (rk_beside("reckon-probe", path) < 0)
        return rk_reason(outcome->reason, -ENOENT,
                         "reckon-probe is not beside the library; run `make lib`.");
    const char *const locations = request->locations ? request->locations : "";
    int status = check_size(request, locations, outcome->reason);
    if (status)
        return status;
    const size_t size = sizeof(struct rk_shared) + request->samples * RK_SAMPLE_BYTES;
    struct rk_shared *shared;
    int fd;
    status = map_shared(size, &fd, &shared);
    if (status)
        return rk_reason(outcome->reason, status, "No shared memory for the samples: %s.",
                         strerror(-status));
    shared->request = *request;
    strcpy(shared->probe, request->probe);
    strcpy(shared->params, request->params);
    strcpy(shared->locations, locations);
    shared->outcome.status = -EINPROGRESS;

    const sigset_t before = hold_stop_signals();
    pid_t child;
    status = start_probe(&child, path, fd, request->seed);
    close(fd);
    if (status == -EAGAIN)
        rk_reason(outcome->reason, status, RK_NO_PROCESS, "reckon-probe");
    else if (status)
        rk_reason(outcome->reason, status, "reckon-probe does not start: %s.", strerror(-status));
    else
        status = await_outcome(child, request, shared, outcome);
    if (status == 0) {
        memcpy(samples, shared->samples, request->samples * sizeof *samples);
        memcpy(witnesses, rk_shared_witnesses(shared), request->samples * sizeof *witnesses);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(shared, size);
    return status;
}

int rk_run(const struct rk_request *request, struct rk_sample *samples,
           struct rk_witness *witnesses, struct rk_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    /* A mistake in the request is reported without starting a process. */
    struct rk_context context;
    outcome->status = rk_context_open(&context, request->probe, request->params, outcome->reason);
    if (outcome->status || request->samples == 0)
        return outcome->status;
    if (request->isolated)
        return outcome->status = run_isolated(request, samples, witnesses, outcome);
    rk_run_in_process(request, samples, witnesses, outcome);
    return outcome->status;
}

double rk_tick_hz(uint64_t interval_ns)
{
    const struct rk_stamp first = rk_stamp_now();
    while (rk_monotonic_ns() < first.ns + interval_ns)
        ;
    return rk_ticks_per_ns(&first) * 1e9;
}
