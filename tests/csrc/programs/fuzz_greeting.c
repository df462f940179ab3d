/* fuzz_greeting.c: COUNT random greetings for reckon-peer's parser of greetings and of services, in
 * one process; prints how many reached a service. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdnoreturn.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

static jmp_buf service_ended;
static noreturn void end_service(int status)
{
    (void)status;
    longjmp(service_ended, 1);
}
#define _exit end_service
#include "peer/services.c"
#undef _exit
#include "peer/greet.c"

static long served, noted;

void log_line(const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    noted += vsnprintf(text, sizeof text, format, list) > 0;
    va_end(list);
}

/* As children.c does it, in this process. */
void serve(int fd, const struct host *host, const char *service)
{
    static char line_copy[PEER_LINE_MAX];
    snprintf(line_copy, sizeof line_copy, "%s", service);
    if (!setjmp(service_ended))
        run_service(fd, host, line_copy);
    close(fd);
}

#define SERVICE(name)                                                                              \
    void name(int fd, const struct host *host, const int64_t *numbers)                             \
    {                                                                                              \
        (void)host;                                                                                \
        served++;                                                                                  \
        answer(fd, "ok %lld %lld\n", (long long)numbers[0], (long long)numbers[1]);                \
    }
SERVICE(serve_echo)
SERVICE(serve_quickack)
SERVICE(serve_sink)
SERVICE(serve_udp_echo)
SERVICE(serve_accept)
SERVICE(serve_about)

#define GREETING "reckon-peer 1 made-up-token-of-the-tests "

static void take(const char *text, size_t length)
{
    static const struct host host = {.family = AF_INET, .bytes = {127, 0, 0, 1}};
    const size_t part = fuzz_below(2) ? length : fuzz_below((uint32_t)length + 1);
    int pair[2];
    set_token("made-up-token-of-the-tests");
    fuzz_pair(pair);
    greet_new(pair[0], &host);
    fuzz_send(pair[1], text, part);
    read_greetings(rk_monotonic_ns());
    fuzz_send(pair[1], text + part, length - part);
    if (fuzz_below(8) == 0)
        shutdown(pair[1], SHUT_WR);
    read_greetings(fuzz_below(8) ? rk_monotonic_ns() : UINT64_MAX);
    close_greetings();
    close(pair[1]);
}

#ifndef LIBFUZZER
int main(int argc, char **argv)
{
    static const char *const greetings_sent[] =
        {GREETING "echo 64\n",    GREETING "sink 1000 4096\n",
         GREETING "accept 5\n",   GREETING "udp-echo\n",
         GREETING "about\n",      GREETING "quickack\n",
         "reckon-peer 2\n",       "reckon-peer 1 another-token-of-the-tests echo 8\n",
         "GET / HTTP/1.1\r\n\r\n"};
    const long messages = fuzz_begin(argc, argv);
    char text[MESSAGE_MAX];
    const int before = fuzz_descriptors();
    for (long i = 0; i < messages; i++)
        take(text,
             fuzz_message(text, greetings_sent, sizeof greetings_sent / sizeof *greetings_sent));
    printf("%ld %ld %d\n", served, noted, fuzz_descriptors() - before);
    return 0;
}
#endif
