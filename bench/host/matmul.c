// Columns are contiguous, as in Julia.
#include "timed.h"

static void work(int64_t n, char *data, size_t bytes) {
    double *a = malloc((size_t)(n * n) * 8), *b = malloc((size_t)(n * n) * 8), *c = calloc((size_t)(n * n), 8);
    for (int64_t j = 1; j <= n; j++)
        for (int64_t i = 1; i <= n; i++) {
            a[(j - 1) * n + i - 1] = (double)(i * j % 7);
            b[(j - 1) * n + i - 1] = (double)((i + j) % 5);
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double total = 0;
            for (int64_t k = 0; k < n; k++) total += a[k * n + i] * b[j * n + k];
            c[j * n + i] = total;
        }
    double sum = 0;
    for (int64_t at = 0; at < n * n; at++) sum += c[at];
    snprintf(data, bytes, "%lld %.1f %.1f", (long long)sum, c[(n - 1) * n], c[n + n - 1]);
    free(a), free(b), free(c);
}

TIMED(work)
