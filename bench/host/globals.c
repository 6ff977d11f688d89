// The variables are written each time.
#include "timed.h"

static volatile int64_t sum_of, last_odd;

static void work(int64_t n, char *data, size_t bytes) {
    for (int64_t i = 1; i <= n; i++) {
        sum_of = (sum_of + i * i) % 1000000007;
        if (i % 2 != 0) last_odd = i;
    }
    snprintf(data, bytes, "%lld %lld", (long long)sum_of, (long long)last_odd);
}

TIMED(work)
