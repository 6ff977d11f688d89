from timed import timed


def product(n):
    a = [[float((i * j) % 7) for j in range(1, n + 1)] for i in range(1, n + 1)]
    b = [[float((i + j) % 5) for j in range(1, n + 1)] for i in range(1, n + 1)]
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i][k] * b[k][j]
            c[i][j] = total
    return f"{int(sum(map(sum, c)))} {c[0][n - 1]} {c[n - 1][1]}"


timed(product)
