/* fuzz.h: random messages, most of them a true one with something wrong, and a pair of sockets.
 *
 * A program's take() takes one message. Its main() makes random ones; with LIBFUZZER and
 * `clang -fsanitize=fuzzer` they are libFuzzer's, which looks for new paths through the code. */
#ifndef FUZZ_H
#define FUZZ_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGE_MAX 1500

static uint64_t fuzz_state;

/* A random number below `bound` (xorshift64*: Vigna, 2016). */
static inline uint32_t fuzz_below(uint32_t bound)
{
    fuzz_state ^= fuzz_state >> 12;
    fuzz_state ^= fuzz_state << 25;
    fuzz_state ^= fuzz_state >> 27;
    return (uint32_t)(fuzz_state * 0x2545f4914f6cdd1du >> 32) % bound;
}

static inline size_t fuzz_insert(char *text, size_t length, const char *more, size_t size)
{
    const size_t at = fuzz_below((uint32_t)length + 1);
    if (length + size > MESSAGE_MAX)
        return length;
    memmove(text + at + size, text + at, length - at);
    memcpy(text + at, more, size);
    return length + size;
}

/* Changes the message in one place; returns its new length. */
static inline size_t fuzz_change(char *text, size_t length)
{
    static const char *const pieces[] = {" ",    "\n",    "-1", "0",   "99999999999999999999",
                                         "%n%s", "65536", "ok", "no ", "end\n"};
    char bytes[16];
    switch (fuzz_below(5)) {
    case 0:
        if (length)
            text[fuzz_below((uint32_t)length)] = (char)fuzz_below(256);
        return length;
    case 1: /* cut off */
        return fuzz_below((uint32_t)length + 1);
    case 2:
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)fuzz_below(256);
        return fuzz_insert(text, length, bytes, 1 + fuzz_below(sizeof bytes));
    case 3: { /* a part of it once more */
        char copy[MESSAGE_MAX];
        const size_t from = fuzz_below((uint32_t)length + 1);
        memcpy(copy, text + from, length - from);
        return fuzz_insert(text, length, copy, length - from);
    }
    default: {
        const char *const piece = pieces[fuzz_below(sizeof pieces / sizeof *pieces)];
        return fuzz_insert(text, length, piece, strlen(piece));
    }
    }
}

/* One of the true messages, with up to three changes; its length. */
static inline size_t fuzz_message(char text[MESSAGE_MAX], const char *const *true_ones,
                                  size_t count)
{
    const char *const chosen = true_ones[fuzz_below((uint32_t)count)];
    size_t length = strlen(chosen);
    memcpy(text, chosen, length);
    for (uint32_t changes = fuzz_below(4); changes; changes--)
        length = fuzz_change(text, length);
    return length;
}

static inline void fuzz_pair(int pair[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        abort();
}

static inline void fuzz_send(int fd, const char *text, size_t length)
{
    /* The other end may have closed already. */
    (void)!send(fd, text, length, MSG_NOSIGNAL);
}

/* How many descriptors are open. */
static inline int fuzz_descriptors(void)
{
    DIR *const folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void take(const char *text, size_t length);

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_state = 2 * size + 1; /* what else is random follows from the message */
    take((const char *)data, size < MESSAGE_MAX ? size : MESSAGE_MAX);
    return 0;
}
#endif

/* The number of messages from the arguments, which are COUNT SEED. */
static inline long fuzz_begin(int argc, char **argv)
{
    if (argc != 3)
        abort();
    fuzz_state = strtoull(argv[2], NULL, 10) * 2 + 1;
    return atol(argv[1]);
}

#endif
