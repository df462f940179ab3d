#include "probe/text.h"

#include <errno.h>
#include <stdlib.h>

const char *rk_parse_number(const char *text, int64_t minimum, int64_t maximum, int64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno || *value < minimum || *value > maximum ? NULL : end;
}

void rk_put_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}
