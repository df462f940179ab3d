#include "network/support/receiver.h"

#include <fcntl.h>

/* More than the sink keeps. */
#define NOTES_MAX 200000

void free_notes(struct notes *notes)
{
    free(notes->at);
    *notes = (struct notes){NULL, 0};
}

int transfer_failed(struct rk_context *c, int error)
{
    if (error == ETIMEDOUT)
        return rk_error(c, error,
                        "The receiver took nothing for %d s; is the other host busy, or the link "
                        "down?",
                        PATIENCE_S);
    if (error == ECONNRESET || error == EPIPE)
        return rk_error(c, ECONNRESET, "The receiver went away before it had everything.");
    return rk_failed(c, "the transfer", error);
}

static int add_note(struct rk_context *c, struct notes *notes, const char *line)
{
    unsigned long long bytes;
    long long ns;
    char end;
    const struct note *last = notes->count ? &notes->at[notes->count - 1] : NULL;
    if (sscanf(line, "%llu %lld%c", &bytes, &ns, &end) != 3 || end != '\n' ||
        (last && (bytes < last->bytes || ns < last->ns)) || notes->count == NOTES_MAX)
        return rk_error(c, EPROTO,
                        "The receiver's notes make no sense; build reckon-peer and this reckon "
                        "from the same commit.");
    notes->at[notes->count++] = (struct note){bytes, ns};
    return 0;
}

int read_notes(struct rk_context *c, int fd, uint64_t sent, struct notes *notes)
{
    char line[64];
    int status = 0;
    notes->count = 0;
    notes->at = notes->at ? notes->at : malloc(NOTES_MAX * sizeof *notes->at);
    const int own = notes->at ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    FILE *lines = own < 0 ? NULL : fdopen(own, "r");
    if (!lines) {
        const int error = errno;
        if (own >= 0)
            close(own);
        return rk_refused(c, "reading the receiver's notes", error);
    }
    while (!status) {
        errno = 0;
        if (!fgets(line, sizeof line, lines)) {
            const int error = errno ? errno : ECONNRESET;
            status = transfer_failed(c, error == EAGAIN ? ETIMEDOUT : error);
        } else if (strcmp(line, "end\n") == 0) {
            break;
        } else {
            status = add_note(c, notes, line);
        }
    }
    fclose(lines);
    const uint64_t got = notes->count ? notes->at[notes->count - 1].bytes : 0;
    if (!status && got != sent)
        status = rk_error(c, EPROTO, "The receiver counted %llu bytes where %llu were sent.",
                          (unsigned long long)got, (unsigned long long)sent);
    return status;
}

double bytes_at(const struct notes *notes, int64_t ns)
{
    size_t low = 0, high = notes->count - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (notes->at[middle].ns <= ns)
            low = middle;
        else
            high = middle;
    }
    const struct note a = notes->at[low], b = notes->at[high];
    const double share = b.ns > a.ns ? (double)(ns - a.ns) / (double)(b.ns - a.ns) : 1;
    return (double)a.bytes + share * (double)(b.bytes - a.bytes);
}

int all_received(struct rk_context *c, int fd, uint64_t sent)
{
    struct notes notes = {NULL, 0};
    const int error = end_stream(fd);
    const int status = error ? transfer_failed(c, error) : read_notes(c, fd, sent, &notes);
    free_notes(&notes);
    return status;
}

int64_t tcp_retransmits(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0
               ? -1
               : (int64_t)info.tcpi_total_retrans;
}
