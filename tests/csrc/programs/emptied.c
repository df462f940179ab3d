/* emptied.c: preloaded, the page cache drops a file after it was filled (reads of more than a
 * block) and before the first read of one block, $TIMES times. The file $EMPTIED gets an 'f' for
 * each filling and an 'e' for each time that the file was dropped. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK 4096

static void note(const char *what)
{
    const int file = open(getenv("EMPTIED"), O_WRONLY | O_APPEND);
    if (file < 0 || write(file, what, 1) != 1)
        abort();
    close(file);
}

ssize_t pread(int fd, void *to, size_t size, off_t at)
{
    static int is_filled, times;
    if (size > BLOCK && !is_filled) {
        is_filled = 1;
        note("f");
    } else if (size == BLOCK && is_filled) {
        is_filled = 0;
        if (times < atoi(getenv("TIMES"))) {
            times++;
            note("e");
            posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        }
    }
    return syscall(SYS_pread64, fd, to, size, at);
}
