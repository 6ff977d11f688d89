// What the kernels of `patterns.jl` must write, computed in order and in double precision: `reference KERNEL OUT`. For the eight
// kernels it is what the plain form of `kernels.c` writes, which `main.c` runs.
#include "data.h"

static int before(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static long at_most(long i, long n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

int main(int argc, char **argv) {
    if (argc != 3) fail("usage", "reference KERNEL OUT");
    const char *name = argv[1], *path = argv[2];
    if (!strcmp(name, "warp_reduce") || !strcmp(name, "scan")) {
        int scans = !strcmp(name, "scan");
        long n = scans ? 4 << 20 : 16 << 20;
        float *x = input(1, n), *o = zeros(n);
        for (long g = 0; g < n / 256; g++) {
            double s = 0;
            for (long i = 256 * g; i < 256 * (g + 1); i++) s += x[i], o[scans ? i : g] = (float)s;
        }
        write_output(path, o, scans ? n : n / 256);
    } else if (!strcmp(name, "histogram")) {
        long n = 16 << 20;
        int32_t *bins = zeros(256);
        for (long i = 0; i < n; i++) bins[(int)(uniform(1, i) * 256)]++;
        write_output(path, bins, 256);
    } else if (!strcmp(name, "bitonic_sort")) {
        long n = 1 << 20;
        float *x = input(1, n);
        for (long first = 0; first < n; first += 512) qsort(x + first, 512, 4, before);
        write_output(path, x, n);
    } else if (!strcmp(name, "convolution")) {
        long n = 2048;
        float *g = input(1, n * n), *f = input(2, 25), *o = zeros(n * n);
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++) {
                double s = 0;
                for (long q = -2; q <= 2; q++)
                    for (long p = -2; p <= 2; p++)
                        s += (double)f[(q + 2) * 5 + p + 2] * g[at_most(j + q, n) * n + at_most(i + p, n)];
                o[j * n + i] = (float)s;
            }
        write_output(path, o, n * n);
    } else if (!strncmp(name, "transpose", 9)) {
        long n = 4096;
        float *o = zeros(n * n);
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++) o[i * n + j] = uniform(1, j * n + i);
        write_output(path, o, n * n);
    } else if (!strcmp(name, "spmv")) {
        long n = 1 << 18, k = 0;
        float *y = zeros(n);
        for (long i = 0; i < n; i++) {
            double s = 0;
            for (long e = k + 8 + (long)(16 * uniform(1, i)); k < e; k++)
                s += (double)uniform(3, k) * uniform(4, (long)(n * uniform(2, k)));
            y[i] = (float)s;
        }
        write_output(path, y, n);
    } else {
        fail("no such kernel", name);
    }
}
