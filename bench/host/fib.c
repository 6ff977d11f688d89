#include "timed.h"

static int64_t fib(int64_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static void work(int64_t n, char *data, size_t bytes) { snprintf(data, bytes, "%lld", (long long)fib(n)); }

TIMED(work)
