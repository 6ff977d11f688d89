// Runs `work(size)` once and says how long it took; what it prints is compared with kiln's.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TIMED(work)                                                       \
    int main(int argc, char **argv) {                                     \
        (void)argc;                                                       \
        char data[128];                                                   \
        double start = now();                                             \
        work(strtoll(argv[1], NULL, 10), data, sizeof data);              \
        double seconds = now() - start;                                   \
        puts(data);                                                       \
        fprintf(stderr, "seconds %.9f\n", seconds);                       \
        return 0;                                                         \
    }
