// The Mandelbrot set on 512 x 512 points, REPS times; prints nanoseconds of the fastest.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static void mandelbrot(int *out, long w, long h, int iterations) {
    for (long j = 0; j < h; j++)
        for (long i = 0; i < w; i++) {
            float cx = -2.2f + 3.2f / w * i, cy = -1.2f + 2.4f / h * j, x = 0, y = 0;
            int n = 0;
            while (n < iterations && x * x + y * y <= 4.0f) {
                float t = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = t;
                n++;
            }
            out[j * w + i] = n;
        }
}

int main(int argc, char **argv) {
    long n = 512, reps = argc > 1 ? atol(argv[1]) : 5;
    int *out = malloc(n * n * sizeof *out);
    double best = 1e30;
    for (long r = 0; r < reps; r++) {
        struct timespec s, e;
        clock_gettime(CLOCK_MONOTONIC, &s);
        mandelbrot(out, n, n, 200);
        clock_gettime(CLOCK_MONOTONIC, &e);
        double t = (e.tv_sec - s.tv_sec) * 1e9 + (e.tv_nsec - s.tv_nsec);
        if (t < best) best = t;
    }
    printf("%.0f\n", best);
    return out[n * n / 2 + n / 2] == -1;
}
