#include "probe/tools.h"
#include "probe/children.h"
#include "probe/cpus.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* --- messages --- */

/* The file's content, ended by a 0, to be freed. NULL if there is no memory for it. */
static char *read_whole(int fd)
{
    struct stat info;
    const size_t size = fstat(fd, &info) == 0 ? (size_t)info.st_size : 0;
    char *text = malloc(size + 1);
    size_t done = 0;
    while (text && done < size) {
        const ssize_t got = pread(fd, text + done, size - done, (off_t)done);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    if (text)
        text[done] = 0;
    return text;
}

/* Whether the program says that it may not do what it was started for. */
static int is_refusal(const char *line)
{
    return strstr(line, "not permitted") || strstr(line, "ermission denied") ||
           strstr(line, "minimal interval");
}

const char *rk_tool_message(const struct rk_tool *tool, char message[RK_TOOL_MESSAGE_MAX])
{
    snprintf(message, RK_TOOL_MESSAGE_MAX, "it printed nothing.");
    for (int from_out = 0; from_out < 2; from_out++) {
        char *text = read_whole(from_out ? tool->out : tool->err), *rest = text;
        int has_line = 0;
        for (const char *line; rest && (line = strsep(&rest, "\n")) && !is_refusal(message);) {
            if (!line[strspn(line, " \t\r")])
                continue;
            if (from_out || !has_line || is_refusal(line))
                snprintf(message, RK_TOOL_MESSAGE_MAX, "%.149s", line);
            has_line = 1;
        }
        free(text);
        if (has_line)
            break;
    }
    for (char *at = message; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' '; /* colours, tabs */
    return message;
}

/* --- starting --- */

/* The program's path, from PATH and folders that an ordinary user's PATH may lack. 0 or -1. */
static int tool_find(const char *name, char path[PATH_MAX])
{
    char folders[PATH_MAX];
    const char *own = getenv("PATH");
    snprintf(folders, sizeof folders, "%.3000s:/usr/sbin:/usr/local/bin", own ? own : "");
    char *rest = folders;
    for (const char *folder; (folder = strsep(&rest, ":"));) {
        struct stat info;
        if (folder[0] == '/' && snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX &&
            stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0)
            return 0;
    }
    return -1;
}

/* In the child: only calls that are safe after a fork from a process with threads. */
static void tool_become(const struct rk_tool *tool, const char *path, char *const argv[], int cpu,
                        pid_t parent, int failure)
{
    char *const envp[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    const struct rlimit limit = {RK_TOOL_PRINTS_MAX, RK_TOOL_PRINTS_MAX};
    sigset_t none;
    /* Lost where the program's file has privileges; such programs have a deadline of their own. */
    rk_die_with_parent(parent);
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int null = open("/dev/null", O_RDONLY);
    if (null >= 0 && dup2(null, 0) == 0 && dup2(tool->out, 1) == 1 && dup2(tool->err, 2) == 2 &&
        setrlimit(RLIMIT_FSIZE, &limit) == 0) {
        errno = cpu >= 0 ? rk_pin_process(0, cpu) : 0;
        if (!errno)
            execve(path, argv, envp);
    }
    const int error = errno;
    const ssize_t written = write(failure, &error, sizeof error);
    _exit(written == sizeof error ? 127 : 126);
}

void rk_tool_stop(struct rk_tool *tool)
{
    if (!tool->name)
        return;
    if (tool->pid) {
        kill(tool->pid, SIGKILL);
        rk_wait_status(tool->pid);
    }
    close(tool->out);
    close(tool->err);
    free(tool->text);
    *tool = (struct rk_tool){0};
}

/* rk_tool_start(), with the rest of the command in a list. */
static int start(struct rk_context *c, struct rk_tool *tool, const char *package, int cpu,
                 int64_t allowed_ms, const char *command, va_list list)
{
    char path[PATH_MAX], *argv[RK_TOOL_WORDS_MAX + 1] = {NULL};
    int failure[2], error = 0;
    *tool = (struct rk_tool){0};
    vsnprintf(tool->command, sizeof tool->command, command, list);
    char *rest = tool->command;
    for (int i = 0; rest && i < RK_TOOL_WORDS_MAX; i++)
        argv[i] = strsep(&rest, " ");
    if (tool_find(argv[0], path))
        return rk_unsupported(c, "%s is not installed (the package %s of Debian and Ubuntu has it)",
                              argv[0], package);
    if (pipe2(failure, O_CLOEXEC) < 0)
        return rk_refused(c, "pipe2", errno);
    tool->out = memfd_create("reckon-out", MFD_CLOEXEC);
    tool->err = memfd_create("reckon-err", MFD_CLOEXEC);
    tool->name = argv[0];
    tool->begin = rk_stamp_now();
    tool->allowed_ms = allowed_ms;
    tool->end_ns = rk_monotonic_ns() + (uint64_t)(allowed_ms + RK_TOOL_SPARE_S * 1000) * 1000000u;
    const pid_t parent = getpid(), child = tool->out < 0 || tool->err < 0 ? -1 : fork();
    if (child == 0)
        tool_become(tool, path, argv, cpu, parent, failure[1]);
    const int failed = child < 0 ? errno : 0;
    close(failure[1]);
    tool->pid = failed ? 0 : child;
    while (!failed && read(failure[0], &error, sizeof error) < 0 && errno == EINTR)
        ; /* the pipe is closed once the program runs */
    close(failure[0]);
    if (failed || error) {
        rk_tool_stop(tool);
        return rk_refused(c, failed ? "starting a program" : path, failed ? failed : error);
    }
    return 0;
}

int rk_tool_start(struct rk_context *c, struct rk_tool *tool, const char *package, int cpu,
                  int64_t allowed_ms, const char *command, ...)
{
    va_list list;
    va_start(list, command);
    const int status = start(c, tool, package, cpu, allowed_ms, command, list);
    va_end(list);
    return status;
}

/* --- waiting and reading --- */

/* 1: the program has ended with *wait_status; 0: it is late. Sleeps while it waits, because the
 * program may use this CPU. */
static int tool_ended(struct rk_tool *tool, int *wait_status)
{
    struct pollfd event = {.fd = (int)syscall(SYS_pidfd_open, tool->pid, 0), .events = POLLIN};
    int ended;
    *wait_status = 127 << 8; /* in case that another waited for it */
    while (!(ended = waitpid(tool->pid, wait_status, WNOHANG) != 0)) {
        const int64_t left_ns = (int64_t)(tool->end_ns - rk_monotonic_ns());
        if (left_ns <= 0)
            break;
        /* Kernels before 5.3 have no pidfd: check every 20 ms. */
        poll(&event, event.fd >= 0, event.fd >= 0 ? (int)(left_ns / 1000000) + 1 : 20);
    }
    if (event.fd >= 0)
        close(event.fd);
    if (ended)
        tool->pid = 0;
    return ended;
}

int rk_tool_wait(struct rk_context *c, struct rk_tool *tool)
{
    char message[RK_TOOL_MESSAGE_MAX];
    int wait_status;
    if (!tool_ended(tool, &wait_status))
        return rk_error(c, ETIMEDOUT,
                        "%s was to take %.3g s, was still running %d s later and was ended.",
                        tool->name, (double)tool->allowed_ms / 1000, RK_TOOL_SPARE_S);
    if (WIFSIGNALED(wait_status))
        return rk_error(c, ECHILD, "%s died of signal %d (%s).", tool->name, WTERMSIG(wait_status),
                        strsignal(WTERMSIG(wait_status)));
    if (!WEXITSTATUS(wait_status))
        return 0;
    rk_tool_message(tool, message);
    if (!is_refusal(message))
        return rk_error(c, ECHILD, "%s failed with exit status %d: %s", tool->name,
                        WEXITSTATUS(wait_status), message);
    return rk_unsupported(c, "%s is refused here: %s", tool->name, message);
}

int rk_tool_read(struct rk_context *c, struct rk_tool *tool, int fd)
{
    free(tool->text);
    tool->text = read_whole(fd);
    return tool->text ? 0 : rk_refused(c, "malloc", ENOMEM);
}

int rk_tool_run(struct rk_context *c, struct rk_tool *tool, const char *package, int64_t allowed_ms,
                const char *command, ...)
{
    va_list list;
    va_start(list, command);
    int status = start(c, tool, package, -1, allowed_ms, command, list);
    va_end(list);
    status = status ? status : rk_tool_wait(c, tool);
    return status ? status : rk_tool_read(c, tool, tool->out);
}
