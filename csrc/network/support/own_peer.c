/* own_peer.c: a reckon-peer that the probe itself starts on loopback, and ends. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "network/support/client.h"
#include "network/support/loopback.h"
#include "probe/children.h"
#include "probe/cpus.h"

#define ENDING_MS 2000 /* then it is killed */

static int random_token(char token[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* On that CPU; -1: on any. `out` is its output and its errors. 0 or an error number. */
static int spawn(struct peer *peer, int cpu, int in, int out)
{
    const struct rk_cpu_mask own = rk_usable_cpus();
    char program[PATH_MAX], token[200];
    if (rk_beside("reckon-peer", program) < 0)
        return ENOENT;
    snprintf(token, sizeof token, "RECKON_PEER_TOKEN=%s", peer->token);
    char *const argv[] = {program, "--listen", peer->name, "--until-eof", NULL};
    char *const settings[] = {"LC_ALL=C", token, NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_adddup2(&files, out, 2);
    /* It has the CPUs of the thread that starts it. */
    int error = rk_allow_cpus(cpu < 0 ? rk_cpu_set() : rk_one_cpu(cpu));
    if (!error)
        error = rk_spawn(&peer->server, argv, settings, &files, 0);
    rk_allow_cpus(own);
    posix_spawn_file_actions_destroy(&files);
    if (error)
        peer->server = 0;
    return error;
}

/* Reads "listening on ADDRESS:PORT", or the message printed instead. */
static int read_address(struct rk_context *c, struct peer *peer, int from)
{
    static const char begin[] = "listening on ";
    char line[256] = "";
    size_t length = 0;
    while (length < sizeof line - 1 && !memchr(line, '\n', length)) {
        struct pollfd event = {.fd = from, .events = POLLIN};
        const int ready = poll(&event, 1, PEER_DEADLINE_S * 1000);
        if (ready < 0 && errno == EINTR)
            continue;
        const ssize_t got = ready > 0 ? read(from, line + length, sizeof line - 1 - length) : 0;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, begin, strlen(begin)) == 0 && !peer_locate(peer, line + strlen(begin)))
        return 0;
    return rk_error(c, ECHILD, "The probe's own reckon-peer does not start: %.180s",
                    line[0] ? line : "it printed nothing.");
}

int peer_start_server(struct rk_context *c, struct peer *peer, enum server_place place)
{
    int in[2], out[2];
    int cpu = place == ANY_CPU ? -1 : sched_getcpu();
    if (place == OTHER_CPU) {
        cpu = rk_other_cpu(c);
        if (cpu < 0)
            return cpu;
    }
    const int unreachable = loopback_locate(c, peer);
    if (unreachable)
        return unreachable;
    if (random_token(peer->token))
        return rk_refused(c, "getrandom", errno);
    if (pipe2(in, O_CLOEXEC) < 0)
        return rk_refused(c, "pipe2", errno);
    if (pipe2(out, O_CLOEXEC) < 0) {
        const int error = errno;
        close(in[0]);
        close(in[1]);
        return rk_refused(c, "pipe2", error);
    }
    const int error = spawn(peer, cpu, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    peer->server_input = in[1];
    int status;
    if (!error) {
        status = read_address(c, peer, out[0]);
    } else {
        close(in[1]);
        status =
            error == ENOENT
                ? rk_error(c, ELIBACC, "reckon-peer is not beside the library; run `make lib`.")
                : rk_refused(c, "starting reckon-peer", error);
    }
    close(out[0]);
    return status;
}

int peer_close(struct rk_context *c, struct peer *peer)
{
    const struct timespec pause = {0, 1000000};
    int wait_status = 0;
    if (!peer->server) /* also if it was never opened: all zeros */
        return 0;
    close(peer->server_input);
    for (int waited_ms = 0;; waited_ms++) {
        const pid_t ended =
            waitpid(peer->server, &wait_status, waited_ms < ENDING_MS ? WNOHANG : 0);
        if (ended == peer->server || (ended < 0 && errno != EINTR))
            break;
        if (waited_ms == ENDING_MS - 1)
            kill(peer->server, SIGKILL);
        nanosleep(&pause, NULL);
    }
    peer->server = 0;
    if (WIFSIGNALED(wait_status))
        return rk_error(c, ECHILD, "The probe's own reckon-peer died of signal %d (%s).",
                        WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    return wait_status
               ? rk_error(c, ECHILD, "The probe's own reckon-peer failed with exit status %d.",
                          WEXITSTATUS(wait_status))
               : 0;
}
