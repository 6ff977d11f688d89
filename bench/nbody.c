// One all-pairs force pass over N bodies, REPS times; prints nanoseconds of the fastest.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static void forces(float *ax, float *ay, float *az, const float *x, const float *y,
                                             const float *z, const float *m, long n) {
    for (long i = 0; i < n; i++) {
        float sx = 0, sy = 0, sz = 0, xi = x[i], yi = y[i], zi = z[i];
        for (long j = 0; j < n; j++) {
            float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
            float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
            float inv = 1.0f / sqrtf(r2);
            float s = m[j] * inv * inv * inv;
            sx += dx * s;
            sy += dy * s;
            sz += dz * s;
        }
        ax[i] = sx;
        ay[i] = sy;
        az[i] = sz;
    }
}

int main(int argc, char **argv) {
    long n = 2048, reps = argc > 1 ? atol(argv[1]) : 5;
    float *b = malloc(7 * n * sizeof *b);
    for (long i = 0; i < 4 * n; i++) b[i] = (float)((i * 7919) % 1009) / 1009.0f;
    double best = 1e30;
    for (long r = 0; r < reps; r++) {
        struct timespec s, e;
        clock_gettime(CLOCK_MONOTONIC, &s);
        forces(b + 4 * n, b + 5 * n, b + 6 * n, b, b + n, b + 2 * n, b + 3 * n, n);
        clock_gettime(CLOCK_MONOTONIC, &e);
        double t = (e.tv_sec - s.tv_sec) * 1e9 + (e.tv_nsec - s.tv_nsec);
        if (t < best) best = t;
    }
    printf("%.0f\n", best);
    return b[4 * n] != b[4 * n];
}
