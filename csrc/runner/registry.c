/* registry.c: the probes, and the parameters of a call. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/context.h"

/* The linker makes these two for a section whose name is a C identifier (GNU ld manual, "Input
 * Section Example"; the same with lld and gold). */
extern const struct rk_probe *const __start_rk_probes[];
extern const struct rk_probe *const __stop_rk_probes[];

int rk_probe_count(void)
{
    return (int)(__stop_rk_probes - __start_rk_probes);
}

const struct rk_probe *rk_probe_at(int index)
{
    return index >= 0 && index < rk_probe_count() ? __start_rk_probes[index] : NULL;
}

static const struct rk_probe *find(const char *name)
{
    for (int i = 0; i < rk_probe_count(); i++)
        if (strcmp(rk_probe_at(i)->name, name) == 0)
            return rk_probe_at(i);
    return NULL;
}

static int position(const struct rk_probe *probe, const char *name, size_t length)
{
    for (int i = 0; probe->params && probe->params[i].kind != RK_KIND_END; i++)
        if (strncmp(probe->params[i].name, name, length) == 0 && !probe->params[i].name[length])
            return i;
    return -1;
}

static int set(struct rk_context *c, const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);
    if (!equals)
        return rk_reason(c->reason, -EINVAL, "\"%.*s\" is not name=value.", (int)length, line);
    const int name_length = (int)(equals - line);
    const size_t value_length = length - (size_t)name_length - 1;
    const int at = position(c->probe, line, (size_t)name_length);
    if (at < 0)
        return rk_reason(c->reason, -EINVAL, "%s has no parameter %.*s.", c->probe->name,
                         name_length, line);
    if (value_length >= RK_TEXT_MAX)
        return rk_reason(c->reason, -EINVAL, "The value of %.*s is too long.", name_length, line);
    char value[RK_TEXT_MAX];
    memcpy(value, equals + 1, value_length);
    value[value_length] = 0;
    const struct rk_param *param = &c->probe->params[at];
    if (param->kind == RK_KIND_TEXT) {
        memcpy(c->texts[at], value, value_length + 1);
        return 0;
    }
    char *rest;
    errno = 0;
    const long long number = strtoll(value, &rest, 10);
    if (errno || rest == value || *rest)
        return rk_reason(c->reason, -EINVAL, "%s must be a whole number, not \"%s\".", param->name,
                         value);
    if (number < param->minimum || number > param->maximum)
        return rk_reason(c->reason, -EINVAL, "%s must be between %lld and %lld, not %lld.",
                         param->name, (long long)param->minimum, (long long)param->maximum, number);
    c->integers[at] = number;
    return 0;
}

int rk_context_open(struct rk_context *c, const char *probe, const char *params, char *reason)
{
    memset(c, 0, sizeof *c);
    c->reason = reason;
    c->outcome = NULL;
    c->probe = find(probe);
    if (!c->probe)
        return rk_reason(reason, -ENOENT, "There is no probe named %s.", probe);
    for (int i = 0; c->probe->params && c->probe->params[i].kind != RK_KIND_END; i++) {
        if (i == RK_PARAMS_MAX)
            return rk_reason(reason, -E2BIG, "%s declares too many parameters.", probe);
        c->integers[i] = c->probe->params[i].default_integer;
        if (c->probe->params[i].default_text)
            snprintf(c->texts[i], RK_TEXT_MAX, "%s", c->probe->params[i].default_text);
    }
    for (const char *line = params ? params : ""; *line;) {
        const size_t length = strcspn(line, "\n");
        const int status = length ? set(c, line, length) : 0;
        if (status)
            return status;
        line += length + (line[length] == '\n');
    }
    return 0;
}

static int declared(const struct rk_context *c, const char *name)
{
    const int at = position(c->probe, name, strlen(name));
    if (at < 0)
        abort();
    return at;
}

int64_t rk_integer(const struct rk_context *c, const char *name)
{
    return c->integers[declared(c, name)];
}

const char *rk_text(const struct rk_context *c, const char *name)
{
    return c->texts[declared(c, name)];
}

const char *rk_location(const struct rk_context *c, const char *name)
{
    const size_t length = strlen(name);
    for (const char *entry = c->locations; entry && *entry; entry += strlen(entry) + 1)
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            return entry + length + 1;
    return "";
}

void *rk_state(const struct rk_context *c)
{
    return c->state;
}

size_t rk_trials(const struct rk_context *c)
{
    return c->trials;
}

const void *rk_variant(const struct rk_context *c)
{
    return c->probe->variant;
}

int rk_reason(char *reason, int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(reason, RK_REASON_BYTES, format, list);
    va_end(list);
    return status;
}

int rk_error(struct rk_context *c, int error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->reason, RK_REASON_BYTES, format, list);
    va_end(list);
    return -error;
}

int rk_failed(struct rk_context *c, const char *what, int error)
{
    /* EOPNOTSUPP of a call is a failure of the run; only rk_unsupported() means the machine. */
    const int status = error > 0 && error != EOPNOTSUPP ? -error : -EIO;
    return rk_reason(c->reason, status, "%s: %s", what, strerror(error));
}

int rk_refused(struct rk_context *c, const char *what, int error)
{
    /* Processes or descriptors run out for a moment: a failure, which the next build tries again.
     * Memory that is too small for a region stays so. */
    if (error == EAGAIN)
        return rk_error(c, error, RK_NO_PROCESS, what);
    if (error == EPERM || error == EACCES || error == ENOSYS || error == ENOMEM)
        return rk_unsupported(c, "%s is refused here: %s", what, strerror(error));
    return rk_failed(c, what, error);
}
