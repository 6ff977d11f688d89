from timed import timed


def sieve(n):
    is_prime = bytearray([1]) * (n + 1)
    i = 2
    while i * i <= n:
        if is_prime[i]:
            for k in range(i * i, n + 1, i):
                is_prime[k] = 0
        i += 1
    return sum(is_prime) - 2


timed(sieve)
