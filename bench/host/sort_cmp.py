import functools

from timed import Numbers, timed


def sort(n):
    r = Numbers(1)
    v = [r.next() for _ in range(n)]
    v.sort(key=functools.cmp_to_key(lambda a, b: -1 if (a % 65536, a) < (b % 65536, b) else 1))
    total = 0
    for i, x in enumerate(v, 1):
        total = (total * 31 + x * i) % 1000000007
    return total


timed(sort)
