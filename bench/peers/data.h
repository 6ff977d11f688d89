// Inputs, timing and outputs of the programs of this folder in C: the same inputs as `data.jl`, the same form of results.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static inline void fail(const char *problem, const char *name) {
    fprintf(stderr, "%s: %s\n", problem, name);
    exit(1);
}

static inline float uniform(uint32_t seed, long i) {
    uint32_t h = (uint32_t)i * 0x9e3779b1u + seed * 0x7f4a7c15u;
    h = (h ^ (h >> 15)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return (float)((h ^ (h >> 16)) >> 8) * 0x1p-24f;
}

// Memory of that many words, all zero.
static inline void *zeros(long words) {
    void *p = aligned_alloc(64, (words * 4 + 63) / 64 * 64);
    if (!p) fail("no memory", "zeros");
    return memset(p, 0, words * 4);
}

static inline float *input(uint32_t seed, long n) {
    float *p = zeros(n);
    for (long i = 0; i < n; i++) p[i] = uniform(seed, i);
    return p;
}

static inline float *scaled(uint32_t seed, long n, float least, float range) {
    float *p = zeros(n);
    for (long i = 0; i < n; i++) p[i] = least + range * uniform(seed, i);
    return p;
}

// One launch to warm up, then launches that are timed, until `reps` or two seconds are done.
#define MEASURED(reps, launch)                                       \
    do {                                                             \
        launch;                                                      \
        double spent = 0;                                            \
        for (int rep = 0; rep < (reps) && spent <= 2000; rep++) {    \
            double taken = now();                                    \
            launch;                                                  \
            taken = now() - taken;                                   \
            printf("%.6f\n", taken);                                 \
            spent += taken;                                          \
        }                                                            \
    } while (0)

// Appends an output to the file, if one is named.
static inline void write_output(const char *path, const void *words, long count) {
    if (!path) return;
    FILE *file = fopen(path, "ab");
    if (!file || fwrite(words, 4, count, file) != (size_t)count || fclose(file)) fail("cannot write", path);
}
