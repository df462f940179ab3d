#include "memory/support/vectors.h"

#include <string.h>

#include "probe/probe.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Volatile, so that each access stays one of its own width: neither merged into wider ones nor
 * turned into a call of memset or memcpy. Eight registers a round. */
#define LOAD(i) ((const volatile VECTOR *)from)[i]
#define STORE(i, what) ((volatile VECTOR *)to)[i] = (what)
#define ROUND(i, bytes) for (size_t i = 0; i < (bytes) / sizeof(VECTOR); i += 8)

#define VECTOR_KERNELS(id, attribute, stream_pair, fence)                                          \
    attribute static uint64_t read_##id(char *to, const char *from, size_t bytes, uint64_t value)  \
    {                                                                                              \
        VECTOR s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                             \
        (void)to, (void)value;                                                                     \
        ROUND(i, bytes)                                                                            \
        {                                                                                          \
            s0 += LOAD(i), s1 += LOAD(i + 1), s2 += LOAD(i + 2), s3 += LOAD(i + 3);                \
            s0 += LOAD(i + 4), s1 += LOAD(i + 5), s2 += LOAD(i + 6), s3 += LOAD(i + 7);            \
        }                                                                                          \
        s0 += s1 + s2 + s3;                                                                        \
        uint64_t lanes[sizeof(VECTOR) / sizeof(uint64_t)], sum = 0;                                \
        memcpy(lanes, &s0, sizeof lanes);                                                          \
        for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)                                  \
            sum += lanes[i];                                                                       \
        return sum;                                                                                \
    }                                                                                              \
    attribute static uint64_t write_##id(char *to, const char *from, size_t bytes, uint64_t value) \
    {                                                                                              \
        const VECTOR v = (VECTOR){0} + value;                                                      \
        (void)from;                                                                                \
        ROUND(i, bytes)                                                                            \
        {                                                                                          \
            STORE(i, v), STORE(i + 1, v), STORE(i + 2, v), STORE(i + 3, v);                        \
            STORE(i + 4, v), STORE(i + 5, v), STORE(i + 6, v), STORE(i + 7, v);                    \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    attribute static uint64_t stream_##id(char *to, const char *from, size_t bytes,                \
                                          uint64_t value)                                          \
    {                                                                                              \
        const VECTOR v = (VECTOR){0} + value;                                                      \
        VECTOR *const at = (VECTOR *)(void *)to;                                                   \
        (void)from;                                                                                \
        ROUND(i, bytes)                                                                            \
        {                                                                                          \
            stream_pair(at + i, v, v), stream_pair(at + i + 2, v, v);                              \
            stream_pair(at + i + 4, v, v), stream_pair(at + i + 6, v, v);                          \
        }                                                                                          \
        fence;                                                                                     \
        return 0;                                                                                  \
    }                                                                                              \
    attribute static uint64_t copy_##id(char *to, const char *from, size_t bytes, uint64_t value)  \
    {                                                                                              \
        (void)value;                                                                               \
        ROUND(i, bytes)                                                                            \
        {                                                                                          \
            STORE(i, LOAD(i)), STORE(i + 1, LOAD(i + 1));                                          \
            STORE(i + 2, LOAD(i + 2)), STORE(i + 3, LOAD(i + 3));                                  \
            STORE(i + 4, LOAD(i + 4)), STORE(i + 5, LOAD(i + 5));                                  \
            STORE(i + 6, LOAD(i + 6)), STORE(i + 7, LOAD(i + 7));                                  \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    attribute static uint64_t copy_stream_##id(char *to, const char *from, size_t bytes,           \
                                               uint64_t value)                                     \
    {                                                                                              \
        VECTOR *const at = (VECTOR *)(void *)to;                                                   \
        (void)value;                                                                               \
        ROUND(i, bytes)                                                                            \
        {                                                                                          \
            const VECTOR v0 = LOAD(i), v1 = LOAD(i + 1), v2 = LOAD(i + 2), v3 = LOAD(i + 3);       \
            const VECTOR v4 = LOAD(i + 4), v5 = LOAD(i + 5), v6 = LOAD(i + 6), v7 = LOAD(i + 7);   \
            stream_pair(at + i, v0, v1), stream_pair(at + i + 2, v2, v3);                          \
            stream_pair(at + i + 4, v4, v5), stream_pair(at + i + 6, v6, v7);                      \
        }                                                                                          \
        fence;                                                                                     \
        return 0;                                                                                  \
    }                                                                                              \
    attribute static uint64_t modify_##id(char *to, const char *from, size_t bytes,                \
                                          uint64_t value)                                          \
    {                                                                                              \
        (void)value;                                                                               \
        from = to;                                                                                 \
        ROUND(i, bytes)                                                                            \
        {                                                                                          \
            STORE(i, LOAD(i) + 1), STORE(i + 1, LOAD(i + 1) + 1);                                  \
            STORE(i + 2, LOAD(i + 2) + 1), STORE(i + 3, LOAD(i + 3) + 1);                          \
            STORE(i + 4, LOAD(i + 4) + 1), STORE(i + 5, LOAD(i + 5) + 1);                          \
            STORE(i + 6, LOAD(i + 6) + 1), STORE(i + 7, LOAD(i + 7) + 1);                          \
        }                                                                                          \
        return 0;                                                                                  \
    }

#if defined(__x86_64__)

typedef uint64_t rk_sse2 __attribute__((vector_size(16)));
typedef uint64_t rk_avx2 __attribute__((vector_size(32)));
typedef uint64_t rk_avx512 __attribute__((vector_size(64)));
#define STREAM_8(at, a, b)                                                                         \
    (_mm_stream_si64((void *)(at), (long long)(a)),                                                \
     _mm_stream_si64((void *)((at) + 1), (long long)(b)))
#define STREAM_16(at, a, b)                                                                        \
    (_mm_stream_si128((void *)(at), (__m128i)(a)),                                                 \
     _mm_stream_si128((void *)((at) + 1), (__m128i)(b)))
#define STREAM_32(at, a, b)                                                                        \
    (_mm256_stream_si256((void *)(at), (__m256i)(a)),                                              \
     _mm256_stream_si256((void *)((at) + 1), (__m256i)(b)))
#define STREAM_64(at, a, b)                                                                        \
    (_mm512_stream_si512((void *)(at), (__m512i)(a)),                                              \
     _mm512_stream_si512((void *)((at) + 1), (__m512i)(b)))

#define VECTOR uint64_t
VECTOR_KERNELS(scalar, , STREAM_8, _mm_sfence())
#undef VECTOR
#define VECTOR rk_sse2
VECTOR_KERNELS(sse2, , STREAM_16, _mm_sfence())
#undef VECTOR
#define VECTOR rk_avx2
VECTOR_KERNELS(avx2, __attribute__((target("avx2"))), STREAM_32, _mm_sfence())
#undef VECTOR
#define VECTOR rk_avx512
VECTOR_KERNELS(avx512, __attribute__((target("avx512f"))), STREAM_64, _mm_sfence())
#undef VECTOR
#define WIDTHS(width)                                                                              \
    width(avx512, __builtin_cpu_supports("avx512f")) width(avx2, __builtin_cpu_supports("avx2"))   \
        width(sse2, 1) width(scalar, 1)

#else

typedef uint64_t rk_neon __attribute__((vector_size(16)));
/* Statement expressions, because kernels list these with commas. */
#define STREAM_8(at, a, b)                                                                         \
    ({ __asm__ volatile("stnp %1, %2, [%0]" ::"r"(at), "r"(a), "r"(b) : "memory"); })
#define STREAM_16(at, a, b)                                                                        \
    ({ __asm__ volatile("stnp %q1, %q2, [%0]" ::"r"(at), "w"(a), "w"(b) : "memory"); })
#define VECTOR uint64_t
VECTOR_KERNELS(scalar, , STREAM_8, __asm__ volatile("dmb ishst" :: : "memory"))
#undef VECTOR
#define VECTOR rk_neon
VECTOR_KERNELS(neon, , STREAM_16, __asm__ volatile("dmb ishst" :: : "memory"))
#undef VECTOR
#define WIDTHS(width) width(neon, 1) width(scalar, 1)

#endif

uint64_t pass_memset(char *to, const char *from, size_t bytes, uint64_t value)
{
    (void)from;
    memset(to, (int)value, bytes);
    RK_KEEP(to);
    return 0;
}

uint64_t pass_memcpy(char *to, const char *from, size_t bytes, uint64_t value)
{
    (void)value;
    memcpy(to, from, bytes);
    RK_KEEP(to);
    return 0;
}

const struct rk_width *rk_width(const char *name)
{
#define RETURN_IF_NAMED(id, have)                                                                  \
    {                                                                                              \
        static const struct rk_width width =                                                       \
            {#id, read_##id, write_##id, stream_##id, copy_##id, copy_stream_##id, modify_##id};   \
        if ((have) && (strcmp(name, #id) == 0 || strcmp(name, "widest") == 0))                     \
            return &width;                                                                         \
    }
    WIDTHS(RETURN_IF_NAMED)
#undef RETURN_IF_NAMED
    return NULL;
}
