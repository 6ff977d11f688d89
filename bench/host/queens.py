from timed import timed


def place(row, n, columns, rising, falling):
    if row > n:
        return 1
    found = 0
    for c in range(1, n + 1):
        if not columns[c] and not rising[row + c] and not falling[row - c + n]:
            columns[c] = rising[row + c] = falling[row - c + n] = True
            found += place(row + 1, n, columns, rising, falling)
            columns[c] = rising[row + c] = falling[row - c + n] = False
    return found


def queens(n):
    return place(1, n, [False] * (n + 1), [False] * (2 * n + 1), [False] * (2 * n + 1))


timed(queens)
