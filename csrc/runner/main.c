/* main.c: reckon-probe, the lean process in which a probe runs. Started by rk_run() only. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/children.h"
#include "runner/context.h"

int main(int argc, char **argv)
{
    struct stat info;
    if (argc != 2 || fstat(RK_SHARED_FD, &info) < 0 ||
        info.st_size < (off_t)sizeof(struct rk_shared)) {
        fputs("reckon-probe is started by the Reckon library; use `python -m reckon probe`.\n",
              stderr);
        return 2;
    }
    rk_die_with_parent(atoi(argv[1]));
    struct rk_shared *shared =
        mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, RK_SHARED_FD, 0);
    if (shared == MAP_FAILED)
        return 2;
    close(RK_SHARED_FD);
    signal(SIGPIPE, SIG_IGN); /* a partner that died is an error of a write, with its sentence */
    shared->request.probe = shared->probe;
    shared->request.params = shared->params;
    shared->request.locations = shared->locations;
    rk_run_in_process(&shared->request, shared->samples, rk_shared_witnesses(shared),
                      &shared->outcome);
    return 0;
}
