/* signalled.c: put before the C library (LD_PRELOAD) by tests/csrc/runner/test_run.py. The first
 * waitid() that finds a child running is followed by a SIGINT, before its caller goes on. */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    static int sent;
    const long status = syscall(SYS_waitid, type, id, info, options, NULL);
    if (!status && !info->si_pid && !sent++)
        kill(getpid(), SIGINT);
    return (int)status;
}
