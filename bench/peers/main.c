// Times the kernels of `kernels.c`: `main KERNEL THREADS REPS [OUT]` prints the milliseconds of each launch and appends the
// output to the file OUT.
#include "data.h"
#include "kernels.h"

int main(int argc, char **argv) {
    if (argc < 4) fail("usage", "main KERNEL THREADS REPS [OUT]");
    const char *name = argv[1], *path = argc > 4 ? argv[4] : NULL;
    int nt = atoi(argv[2]), reps = atoi(argv[3]);
    if (!strcmp(name, "triad")) {
        long n = 16 << 20;
        float *a = zeros(n), *b = input(1, n), *c = input(2, n);
        MEASURED(reps, triad(a, b, c, 3, n, nt));
        write_output(path, a, n);
    } else if (!strcmp(name, "nbody")) {
        long n = 4096;
        float *x = input(1, n), *y = input(2, n), *z = input(3, n), *m = input(4, n), *a = zeros(3 * n);
        MEASURED(reps, nbody(x, y, z, m, a, a + n, a + 2 * n, n, nt));
        write_output(path, a, 3 * n);
    } else if (!strcmp(name, "black_scholes")) {
        long n = 1 << 20;
        float *S = scaled(1, n, 5, 25), *X = scaled(2, n, 1, 99), *T = scaled(3, n, .25f, 9.75f), *o = zeros(2 * n);
        MEASURED(reps, black_scholes(S, X, T, o, o + n, .02f, .3f, n, nt));
        write_output(path, o, 2 * n);
    } else if (!strcmp(name, "matmul") || !strcmp(name, "matmul_tiled")) {
        long n = 512;
        float *A = input(1, n * n), *B = input(2, n * n), *C = zeros(n * n);
        if (strcmp(name, "matmul"))
            MEASURED(reps, matmul_tiled(B, A, C, n, nt));
        else
            MEASURED(reps, matmul(B, A, C, n, nt));
        write_output(path, C, n * n);
    } else if (!strcmp(name, "stencil")) {
        long n = 2048;
        float *g = input(1, n * n), *o = zeros(n * n);
        MEASURED(reps, for (int r = 0; r < 10; r++) stencil(g, o, n, nt));
        write_output(path, o, n * n);
    } else if (!strcmp(name, "reduce")) {
        long n = 16 << 20;
        float *x = input(1, n), *o = zeros(n / 256);
        MEASURED(reps, reduce(x, o, n, nt));
        write_output(path, o, n / 256);
    } else if (!strcmp(name, "total")) {
        long n = 16 << 20;
        float *x = input(1, n);
        volatile float sum;
        MEASURED(reps, sum = total(x, n, nt));
        float result = sum;
        write_output(path, &result, 1);
    } else if (!strcmp(name, "mandelbrot")) {
        long n = 1024;
        int32_t *o = zeros(n * n);
        MEASURED(reps, mandelbrot(o, n, 200, nt));
        write_output(path, o, n * n);
    } else {
        fail("no such kernel", name);
    }
}
