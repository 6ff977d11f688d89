// saxpy on N floats, REPS times over; prints nanoseconds a pass. With no REPS: once, and checked.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static void saxpy(float *y, float a, const float *x, long n) {
    for (long i = 0; i < n; i++) y[i] = y[i] + a * x[i];
}

int main(int argc, char **argv) {
    long n = 1000000, reps = argc > 1 ? atol(argv[1]) : 1;
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (long i = 0; i < n; i++) x[i] = 1.0f, y[i] = 2.0f;
    double best = 1e30;
    for (long r = 0; r < reps; r++) {
        struct timespec s, e;
        clock_gettime(CLOCK_MONOTONIC, &s);
        saxpy(y, argc > 1 ? 0.0f : 3.0f, x, n);
        clock_gettime(CLOCK_MONOTONIC, &e);
        double t = (e.tv_sec - s.tv_sec) * 1e9 + (e.tv_nsec - s.tv_nsec);
        if (t < best) best = t;
    }
    if (argc == 1)
        for (long i = 0; i < n; i++)
            if (y[i] != 5.0f) return 1;
    printf("%.0f\n", best);
    return 0;
}
