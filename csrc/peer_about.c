#include "peer.h"
void serve_about(int fd, const struct host *h, const int64_t *n){(void)h;(void)n;answer(fd,"ok\n{}\n");}
