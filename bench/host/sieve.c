// One bit a number, as in Julia's `BitVector`.
#include "timed.h"

static void work(int64_t n, char *data, size_t bytes) {
    int64_t words = n / 64 + 1;
    uint64_t *is_prime = malloc((size_t)words * 8);
    for (int64_t w = 0; w < words; w++) is_prime[w] = ~0ull;
    for (int64_t i = n + 1; i < words * 64; i++) is_prime[i / 64] &= ~(1ull << i % 64);
    for (int64_t i = 2; i * i <= n; i++)
        if (is_prime[i / 64] >> i % 64 & 1)
            for (int64_t k = i * i; k <= n; k += i) is_prime[k / 64] &= ~(1ull << k % 64);
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++) count += __builtin_popcountll(is_prime[w]);
    snprintf(data, bytes, "%lld", (long long)count - 2);
    free(is_prime);
}

TIMED(work)
