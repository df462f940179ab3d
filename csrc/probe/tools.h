/* tools.h: other programs as probes: started, waited for, read, and ended with the probe.
 *
 * Their output goes into files in memory: no program waits for a reader, no reader uses its CPU,
 * and nothing stays on a disk. The exit status proves little (iperf3 -J and sockperf exit with 0
 * after "Connection refused"), so a probe checks the output. */
#ifndef RK_TOOLS_H
#define RK_TOOLS_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/probe.h"

#define RK_TOOL_SPARE_S 5             /* beyond the time that a program is allowed */
#define RK_TOOL_PRINTS_MAX (64 << 20) /* a program that prints more has gone wrong */

#define RK_TOOL_COMMAND_MAX 512 /* bytes: paths of scratch files are the longest words */
#define RK_TOOL_WORDS_MAX 31    /* of a command */
#define RK_TOOL_MESSAGE_MAX 150 /* of what it printed, quoted in a reason */

struct rk_tool {
    char command[RK_TOOL_COMMAND_MAX]; /* its words, each ended by a 0 */
    const char *name;                  /* the first of them; NULL: never started */
    pid_t pid;                         /* 0: it has ended and was waited for */
    int out, err;                      /* its output and its errors */
    int64_t allowed_ms;
    uint64_t end_ns;
    struct rk_stamp begin; /* before it was started */
    char *text;            /* what rk_tool_read() read, ended by a 0; NULL: nothing yet */
};

/* The program's message: what it may not do, else the first line of its errors, else the last of
 * its output. */
const char *rk_tool_message(const struct rk_tool *tool, char message[RK_TOOL_MESSAGE_MAX]);

/* Ends the program if it still runs. Safe for one that was never started. */
void rk_tool_stop(struct rk_tool *);

/* Starts a command such as "ping -c %d 127.0.0.1", by printf(3) and divided at each space, on
 * `cpu`, or where this process runs if that is -1. It has to end within `allowed_ms` and
 * RK_TOOL_SPARE_S. 0 or a status, with the reason set; rk_tool_stop() in either case. `package` has
 * the program. */
__attribute__((format(printf, 6, 7))) int rk_tool_start(struct rk_context *, struct rk_tool *,
                                                        const char *package, int cpu,
                                                        int64_t allowed_ms, const char *command,
                                                        ...);

/* Waits until the program ends. 0 if it ended with exit status 0, else a status with the reason. */
int rk_tool_wait(struct rk_context *, struct rk_tool *);

/* Reads the whole file, the program's output or its log, into tool->text. 0 or a status. */
int rk_tool_read(struct rk_context *, struct rk_tool *, int fd);

/* rk_tool_start() where this process runs, rk_tool_wait(), and rk_tool_read() of the output. */
__attribute__((format(printf, 5, 6))) int rk_tool_run(struct rk_context *, struct rk_tool *,
                                                      const char *package, int64_t allowed_ms,
                                                      const char *command, ...);

#endif
