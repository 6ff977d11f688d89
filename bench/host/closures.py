from timed import timed


def adder(i):
    return lambda x: x + i


def closures(n):
    made = [adder(i) for i in range(1, n + 1)]
    total = 0
    for f in made:
        total = (total + f(1)) % 1000000007
    return total


timed(closures)
