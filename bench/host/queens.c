#include <stdbool.h>

#include "timed.h"

static int64_t place(int64_t row, int64_t n, bool *columns, bool *rising, bool *falling) {
    if (row > n) return 1;
    int64_t found = 0;
    for (int64_t c = 1; c <= n; c++)
        if (!columns[c] && !rising[row + c] && !falling[row - c + n]) {
            columns[c] = rising[row + c] = falling[row - c + n] = true;
            found += place(row + 1, n, columns, rising, falling);
            columns[c] = rising[row + c] = falling[row - c + n] = false;
        }
    return found;
}

static void work(int64_t n, char *data, size_t bytes) {
    bool *columns = calloc(n + 1, 1), *rising = calloc(2 * n + 1, 1), *falling = calloc(2 * n + 1, 1);
    snprintf(data, bytes, "%lld", (long long)place(1, n, columns, rising, falling));
    free(columns), free(rising), free(falling);
}

TIMED(work)
