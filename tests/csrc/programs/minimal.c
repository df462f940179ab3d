/* minimal.c: what cpu/task and cpu/switch are compared with. It has nothing of the library:
 * `minimal fork 200` prints the median time of 200 forks in nanoseconds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static void by_process(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    if (child < 0 || waitpid(child, NULL, 0) != child)
        exit(1);
}

static void *nothing(void *unused)
{
    return unused;
}

static void by_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
        exit(1);
}

/* A byte there and back 100 times: 200 switches. */
static void by_pipes(void)
{
    char byte = 0;
    for (int i = 0; i < 100; i++)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            exit(1);
}

static void start_partner(void)
{
    char byte;
    if (pipe(there) || pipe(back))
        exit(1);
    if (fork())
        return;
    close(there[1]);
    while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
        ;
    _exit(0);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const int n = argc == 3 ? atoi(argv[2]) : 0;
    if (n < 1)
        return 2;
    const int fork_it = !strcmp(argv[1], "fork"), switch_it = !strcmp(argv[1], "switch");
    if (switch_it)
        start_partner();
    double *took = calloc(n, sizeof *took);
    for (int i = 0; i < n; i++) {
        const double begin = now_ns();
        fork_it ? by_process() : switch_it ? by_pipes() : by_thread();
        took[i] = (now_ns() - begin) / (switch_it ? 200 : 1);
    }
    qsort(took, n, sizeof *took, ascending);
    printf("%.1f\n", took[n / 2]);
    return 0;
}
