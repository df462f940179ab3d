#include "files/support/group.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/control_groups.h"
#include "probe/owner.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define GROUP_NAME "reckon-"
#define GROUP_NAME_MAX 160 /* with a slash, the owner's name and a number */

/* 1 if a file of words has this word. */
static int group_has_word(const char *folder, const char *name, const char *word)
{
    char path[PATH_MAX + 64], item[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    int has = 0;
    while (file && !has && fscanf(file, "%63s", item) == 1)
        has = strcmp(item, word) == 0;
    if (file)
        fclose(file);
    return has;
}

static int group_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Finds the folder in which a group can be made, for g->path. Version 1: this process's own
 * group. Version 2: its nearest ancestor that enables the memory controller for its children,
 * which a group with processes never does. In a container the own group may have the name that
 * it has outside; then the mounted folder is the own group. */
static int group_find(struct rk_context *c, struct rk_group *g, const char *root)
{
    char mount[PATH_MAX], own[PATH_MAX];
    snprintf(mount, sizeof mount, "%s/unified", root);
    const int hybrid = group_has_word(mount, "cgroup.controllers", "memory");
    const int whole = group_has_word(root, "cgroup.controllers", "memory");
    g->version = hybrid || whole ? 2 : 1;
    if (g->version == 2)
        snprintf(mount, sizeof mount, "%s%s", root, whole ? "" : "/unified");
    else if (rk_memory_controller(root, mount))
        return rk_unsupported(c, "there is no memory controller of control groups in %.128s", root);
    rk_own_group(g->version, own);
    const size_t length = strlen(mount);
    if (snprintf(g->path, PATH_MAX - GROUP_NAME_MAX, "%s%s", mount, own) >=
        PATH_MAX - GROUP_NAME_MAX)
        g->path[length] = 0;
    while (strlen(g->path) > length &&
           (!group_is_folder(g->path) || g->path[strlen(g->path) - 1] == '/' ||
            (g->version == 2 && !group_has_word(g->path, "cgroup.subtree_control", "memory"))))
        *strrchr(g->path, '/') = 0;
    if (g->version == 2 && !group_has_word(g->path, "cgroup.subtree_control", "memory"))
        return rk_unsupported(c, "no control group above this process enables the memory "
                                 "controller for its children (cgroup.subtree_control)");
    return 0;
}

/* Whether the kernel made that folder: what lists processes elsewhere names no members of a group.
 */
static int is_group(const char *path)
{
    struct statfs about;
    return statfs(path, &about) == 0 &&
           (about.f_type == CGROUP_SUPER_MAGIC || about.f_type == CGROUP2_SUPER_MAGIC);
}

/* Kills the processes in the group and removes it. 0 once it is removed. */
static int group_remove(const char *path)
{
    char members[PATH_MAX + 16];
    snprintf(members, sizeof members, "%s/cgroup.procs", path);
    for (int tries = 0; tries < 2000; tries++) { /* ten seconds */
        if (rmdir(path) == 0 || errno == ENOENT)
            return 0;
        if (!is_group(path))
            return 1;
        FILE *file = fopen(members, "re");
        int pid;
        while (file && fscanf(file, "%d", &pid) == 1)
            if (pid > 0)
                kill(pid, SIGKILL);
        if (file)
            fclose(file);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return 1;
}

/* Removes the groups of probes that have ended and whose remover was killed. */
static void group_sweep(const char *folder)
{
    DIR *const all = opendir(folder);
    char path[PATH_MAX];
    for (const struct dirent *entry; all && (entry = readdir(all));)
        if (strncmp(entry->d_name, GROUP_NAME, strlen(GROUP_NAME)) == 0 &&
            rk_owner_has_ended(entry->d_name + strlen(GROUP_NAME)) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX)
            group_remove(path);
    if (all)
        closedir(all);
}

__attribute__((noreturn)) static void run_remover(const struct rk_group *g, int end)
{
    sigset_t all;
    char byte = 0;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "reckon-remover");
    /* It keeps no file or pipe of the probe open. */
    dup2(end, 0);
    if (syscall(SYS_close_range, 1u, UINT_MAX, 0u) < 0)
        for (int fd = 1; fd < 1024; fd++) /* a kernel before 5.9 */
            close(fd);
    if (write(0, &byte, 1) == 1)
        while (read(0, &byte, 1) < 0 && errno == EINTR)
            ;
    _exit(group_remove(g->path));
}

int group_close(struct rk_context *c, struct rk_group *g)
{
    if (g->lifetime_fd >= 0)
        close(g->lifetime_fd);
    g->lifetime_fd = -1;
    const int removed = g->remover <= 0 || rk_wait_status(g->remover) == 0;
    g->remover = 0;
    return removed ? 0
                   : rk_error(c, EBUSY, "the control group %.150s could not be removed", g->path);
}

static int group_start_remover(struct rk_context *c, struct rk_group *g)
{
    int ends[2];
    char ready;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return rk_refused(c, "socketpair", errno);
    g->remover = fork();
    if (g->remover == 0)
        run_remover(g, ends[1]);
    const int error = g->remover < 0 ? errno : 0;
    close(ends[1]);
    g->lifetime_fd = ends[0];
    if (error)
        return rk_refused(c, "fork", error);
    if (read(g->lifetime_fd, &ready, 1) == 1)
        return 0;
    return rk_failed(c, "the process that removes the control group", ECHILD);
}

int group_write(const struct rk_group *g, const char *name, const char *text)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", g->path, name);
    return rk_write_text(path, text);
}

int group_open(struct rk_context *c, struct rk_group *g, int64_t limit_bytes)
{
    char text[32], owner[RK_OWNER_MAX];
    *g = (struct rk_group){.lifetime_fd = -1};
    int status = group_find(c, g, rk_text(c, "groups"));
    if (status)
        return status;
    const size_t length = strlen(g->path);
    if (rk_owner_name(owner))
        return rk_unsupported(c, "/proc does not report which process this is");
    group_sweep(g->path);
    snprintf(g->path + length, PATH_MAX - length, "/" GROUP_NAME "%s.%llx", owner,
             (unsigned long long)rk_begin());
    status = group_start_remover(c, g);
    if (status)
        return status;
    if (mkdir(g->path, 0755) < 0) {
        const int error = errno;
        return rk_unsupported(c, "no control group can be made in %.*s (%s); it needs root",
                              (int)length, g->path, strerror(error));
    }
    snprintf(text, sizeof text, "%lld", (long long)limit_bytes);
    const char *const limit_file = rk_memory_files[g->version].limit;
    const int error = -group_write(g, limit_file, text);
    if (error)
        return rk_unsupported(c, "the control group takes no limit of memory (%s: %s)", limit_file,
                              strerror(error));
    return 0;
}

int group_killed_for_memory(const struct rk_group *g)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", g->path,
             g->version == 2 ? "memory.events" : "memory.oom_control");
    return rk_field_in(path, "oom_kill %lld", 0) > 0;
}

int64_t group_used(const struct rk_group *g, int64_t *limit_bytes)
{
    const struct rk_memory_files *const files = &rk_memory_files[g->version];
    *limit_bytes = rk_group_number(g->path, files->limit);
    return rk_group_number(g->path, files->use);
}

int64_t group_left(const struct rk_group *g)
{
    char path[PATH_MAX + 64];
    int64_t limit_bytes;
    snprintf(path, sizeof path, "%s/memory.stat", g->path);
    const int64_t cached = rk_field_in(path, rk_memory_files[g->version].cached, 0);
    const int64_t used = group_used(g, &limit_bytes);
    return limit_bytes - (used - cached);
}
