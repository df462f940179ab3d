/* text.h: numbers and JSON strings, for the probes, reckon-peer and reckon-lab. */
#ifndef RK_TEXT_H
#define RK_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* A whole number of decimal digits alone, from `minimum` to `maximum`, at the beginning of the
 * text. Returns where it ends, or NULL if there is none. */
const char *rk_parse_number(const char *text, int64_t minimum, int64_t maximum, int64_t *value);
/* The text in quotation marks; bytes above ASCII as they are (UTF-8). */
void rk_put_json_string(FILE *, const char *text);

#endif
