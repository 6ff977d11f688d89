from timed import Numbers, timed


def counts(n):
    d = {}
    r = Numbers(1)
    for i in range(1, n + 1):
        d[f"key{r.next()}"] = i
    r = Numbers(1)
    total = 0
    for i in range(1, n + 1):
        total = (total + d[f"key{r.next()}"] * i) % 1000000007
    return f"{len(d)} {total} {str('key' in d).lower()}"


timed(counts)
