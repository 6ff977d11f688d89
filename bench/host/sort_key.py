from timed import Numbers, timed


def sort(n):
    r = Numbers(1)
    v = [r.next() for _ in range(n)]
    v.sort(key=lambda x: x % 1000003)
    total = 0
    for i, x in enumerate(v, 1):
        total = (total * 31 + x * i) % 1000000007
    return total


timed(sort)
