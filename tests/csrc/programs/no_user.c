/* no_user.c: put before the C library (LD_PRELOAD) by tests/csrc/peer/test_resources.py: the limit
 * on a user's processes keeps this one from becoming that user's. */
#include <errno.h>
#include <unistd.h>

int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    (void)real, (void)effective, (void)saved;
    errno = EAGAIN;
    return -1;
}
