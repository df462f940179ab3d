#include "cpu/support/int80.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096

#if !defined(MAP_32BIT) /* of x86 alone */
#define MAP_32BIT 0
#endif

static sigjmp_buf before_fault;

static void on_fault(int number)
{
    (void)number;
    siglongjmp(before_fault, 1);
}

/* A kernel without it answers INT 0x80 with a general protection fault. */
static int int80_works(void)
{
    struct sigaction action = {.sa_handler = on_fault}, old;
    sigaction(SIGSEGV, &action, &old);
    const int works = sigsetjmp(before_fault, 1) == 0 && rk_int80(INT80_GETPID, 0, 0) > 0;
    sigaction(SIGSEGV, &old, NULL);
    return works;
}

int open_int80(struct rk_context *c)
{
    struct int80 *const state = rk_state(c);
    if (!int80_works())
        return rk_unsupported(c, "this kernel has no INT 0x80 entry point");
    void *const page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (page == MAP_FAILED)
        return rk_failed(c, "mmap below 4 GiB", errno);
    state->page = page;
    return 0;
}

int close_int80(struct rk_context *c)
{
    const struct int80 *const state = rk_state(c);
    if (state->page)
        munmap(state->page, PAGE_BYTES);
    return 0;
}
