/* client_open.h: the second half of client.h: which peer it is, and a server of the row's own. */
#ifndef RK_CLIENT_OPEN_H
#define RK_CLIENT_OPEN_H

/* "ADDRESS:PORT" or "[IPv6]:PORT", as numbers, into the peer. 0 or -1. */
static inline int peer_locate(struct peer *peer, const char *at)
{
    char host[80], port[8];
    const char *colon = strrchr(at, ':');
    const int bracket = at[0] == '[';
    if (!colon || colon - at < 1 + 2 * bracket || (bracket && colon[-1] != ']') ||
        (size_t)(colon - at) >= sizeof host || strlen(colon + 1) >= sizeof port)
        return -1;
    snprintf(host, sizeof host, "%.*s", (int)(colon - at) - 2 * bracket, at + bracket);
    snprintf(port, sizeof port, "%s", colon + 1);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found;
    if (getaddrinfo(host, port, &hints, &found))
        return -1;
    memcpy(&peer->address, found->ai_addr, found->ai_addrlen);
    peer->length = found->ai_addrlen;
    freeaddrinfo(found);
    snprintf(peer->name, sizeof peer->name, "%.79s", at);
    return 0;
}

static inline int peer_open_other(struct rk_context *c, struct peer *peer)
{
    const char *at = getenv("RECKON_PEER_AT"), *token = getenv("RECKON_PEER_TOKEN");
    const char *space = getenv("RECKON_PEER_SPACE");
    if (!at || !*at || !token || !*token)
        return rk_cannot(c, "needs another host: none is set (RECKON_PEER_AT, RECKON_PEER_TOKEN)");
    if (peer_locate(peer, at))
        return trouble(c, EDESTADDRREQ,
                       "RECKON_PEER_AT is \"%.60s\", not ADDRESS:PORT or "
                       "[IPv6]:PORT.",
                       at);
    if (strlen(token) < PEER_TOKEN_LEAST || strlen(token) > PEER_TOKEN_MOST)
        return trouble(c, EACCES, "RECKON_PEER_TOKEN must have %d to %d characters.",
                       PEER_TOKEN_LEAST, PEER_TOKEN_MOST);
    strcpy(peer->token, token);
    if (!space || !*space)
        return 0;
    char *rest;
    const long pid = strtol(space, &rest, 10);
    if (*rest || pid < 1 || pid > INT_MAX)
        return trouble(c, EDESTADDRREQ, "RECKON_PEER_SPACE is \"%.60s\", not a process.", space);
    return rk_enter_space(c, (pid_t)pid);
}

/* --- a server of the row's own --- */

/* An address of ours that there is a way to: while an interface is down it can be bound all the
 * same. */
static inline int peer_is_up(const void *address, socklen_t length)
{
    const int family = ((const struct sockaddr *)address)->sa_family;
    const int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    const int up = fd >= 0 && bind(fd, address, length) == 0 &&
                   getsockname(fd, (struct sockaddr *)&own, &size) == 0 &&
                   connect(fd, (const struct sockaddr *)&own, size) == 0;
    if (fd >= 0)
        close(fd);
    return up;
}

/* Some containers have the IPv6 loopback alone, and one without a network has none. */
static inline const char *peer_loopback(void)
{
    const struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    if (peer_is_up(&four, sizeof four))
        return "127.0.0.1:0";
    return peer_is_up(&six, sizeof six) ? "[::1]:0" : NULL;
}

/* Loopback's address without a server. 0, or a status with the reason set. */
static inline int peer_at_loopback(struct rk_context *c, struct peer *peer)
{
    const char *at = peer_loopback();
    if (!at)
        return rk_cannot(c, "needs a loopback interface that is up, 127.0.0.1 or ::1");
    return peer_locate(peer, at) ? rk_failed(c, "loopback's address", EADDRNOTAVAIL) : 0;
}

static inline int peer_random_token(char token[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* Its standard input is the leash, its output and errors what we read the first line of. */
static inline int peer_spawn(struct peer *peer, const char *path, char *at, char *cpu, int in,
                             int out)
{
    char program[PATH_MAX], token[200], asan[512], ubsan[512];
    snprintf(program, sizeof program, "%s", path);
    snprintf(token, sizeof token, "RECKON_PEER_TOKEN=%s", peer->token);
    snprintf(asan, sizeof asan, "ASAN_OPTIONS=%s", getenv("ASAN_OPTIONS") ?: "");
    snprintf(ubsan, sizeof ubsan, "UBSAN_OPTIONS=%s", getenv("UBSAN_OPTIONS") ?: "");
    char listen[] = "--listen", pin[] = "--cpu", until[] = "--until-eof";
    char *const argv[] = {program, listen, at, until, pin, cpu, NULL};
    char language[] = "LC_ALL=C";
    char *const envp[] = {language, token, asan, ubsan, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, out, 2);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawn(&peer->server, path, &actions, &attr, argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    return error;
}

/* The row's own server is gone when this returns. The status, or its failure if that is 0. */
static inline int peer_close(struct rk_context *c, struct peer *peer, int status)
{
    int how = 0;
    if (!peer->server)
        return status;
    close(peer->leash);
    for (int waited_ms = 0;; waited_ms++) {
        const pid_t ended = waitpid(peer->server, &how, waited_ms < 2000 ? WNOHANG : 0);
        if (ended == peer->server || (ended < 0 && errno != EINTR))
            break;
        if (waited_ms == 1999)
            kill(peer->server, SIGKILL);
        const struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    peer->server = 0;
    if (status || !how)
        return status;
    return WIFSIGNALED(how)
               ? trouble(c, ECHILD, "The row's own reckon-peer died of signal %d (%s).",
                         WTERMSIG(how), strsignal(WTERMSIG(how)))
               : trouble(c, ECHILD, "The row's own reckon-peer failed with exit status %d.",
                         WEXITSTATUS(how));
}

/* "listening on ADDRESS:PORT", or the sentence that it said instead. */
static inline int peer_hear(struct rk_context *c, struct peer *peer, int from)
{
    char line[256] = "";
    const char *begin = "listening on ";
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
    return trouble(c, ECHILD, "The row's own reckon-peer does not start: %.180s",
                   line[0] ? line : "it said nothing.");
}

static inline int peer_open_own(struct rk_context *c, int cpu, struct peer *peer)
{
    char path[PATH_MAX], number[16], at[16];
    int leash[2], said[2];
    const char *loopback = peer_loopback();
    if (!loopback)
        return rk_cannot(c, "needs a loopback interface that is up, 127.0.0.1 or ::1");
    snprintf(at, sizeof at, "%s", loopback);
    if (rk_beside("reckon-peer", path) < 0)
        return trouble(c, ELIBACC, "reckon-peer is not beside the library; run `make lib`.");
    if (peer_random_token(peer->token))
        return rk_refused(c, "getrandom", errno);
    snprintf(number, sizeof number, "%d", cpu < 0 ? sched_getcpu() : cpu);
    if (pipe2(leash, O_CLOEXEC) < 0)
        return rk_refused(c, "pipe2", errno);
    if (pipe2(said, O_CLOEXEC) < 0) {
        const int error = errno;
        close(leash[0]);
        close(leash[1]);
        return rk_refused(c, "pipe2", error);
    }
    const int error = peer_spawn(peer, path, at, number, leash[0], said[1]);
    close(leash[0]);
    close(said[1]);
    peer->leash = leash[1];
    if (error) {
        peer->server = 0;
        close(leash[1]);
        close(said[0]);
        return rk_refused(c, "starting reckon-peer", error);
    }
    const int status = peer_hear(c, peer, said[0]);
    close(said[0]);
    return status ? peer_close(c, peer, status) : 0;
}

/* The peer that the row's parameter "peer" asks for. `cpu`: where a server of the row's own runs,
 * -1 for the CPU that this process is on. 0 or a status, with the reason set. */
static inline int peer_open(struct rk_context *c, int cpu, struct peer *peer)
{
    const char *which = rk_text(c, "peer");
    memset(peer, 0, sizeof *peer);
    peer->leash = -1;
    if (strcmp(which, "loopback") == 0)
        return peer_open_own(c, cpu, peer);
    if (strcmp(which, "other") == 0)
        return peer_open_other(c, peer);
    return trouble(c, EDOM, "peer is loopback or other, not \"%.60s\".", which);
}

#endif
