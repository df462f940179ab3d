#include "probe/children.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* As waitid(2); it fails with ECHILD once the child of a caller that ignores SIGCHLD has ended. */
static int look_at(pid_t child, siginfo_t *info)
{
    *info = (siginfo_t){0};
    return waitid(P_PID, (id_t)child, info, WEXITED | WNOHANG | WNOWAIT);
}

int rk_is_child(pid_t child)
{
    siginfo_t info;
    return look_at(child, &info) == 0;
}

int rk_has_ended(pid_t child)
{
    siginfo_t info;
    return look_at(child, &info) < 0 || info.si_pid;
}

int rk_wait_status(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

int rk_wait_child(struct rk_context *c, pid_t child, const char *name)
{
    const int ended = rk_wait_status(child);
    if (ended == 0)
        return 0;
    if (ended < 0)
        return rk_failed(c, "waitpid", errno);
    char what[128];
    snprintf(what, sizeof what, "%s did not end as it should", name);
    return rk_failed(c, what, ECHILD);
}

#define SETTINGS_MAX 8    /* of the environment: callers set one or two */
#define SANITIZER_MAX 512 /* longer options are cut off */

int rk_spawn(pid_t *child, char *const argv[], char *const settings[],
             const posix_spawn_file_actions_t *files, int own_group)
{
    const char *const asan = getenv("ASAN_OPTIONS"), *const ubsan = getenv("UBSAN_OPTIONS");
    char asan_setting[SANITIZER_MAX], ubsan_setting[SANITIZER_MAX];
    snprintf(asan_setting, sizeof asan_setting, "ASAN_OPTIONS=%s", asan ? asan : "");
    snprintf(ubsan_setting, sizeof ubsan_setting, "UBSAN_OPTIONS=%s", ubsan ? ubsan : "");
    char *envp[SETTINGS_MAX + 3] = {NULL};
    int count = 0;
    for (; settings[count] && count < SETTINGS_MAX; count++)
        envp[count] = settings[count];
    envp[count++] = asan_setting;
    envp[count++] = ubsan_setting;

    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                            (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
    const int error = posix_spawn(child, argv[0], files, &attr, argv, envp);
    posix_spawnattr_destroy(&attr);
    return error;
}

void rk_die_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}
