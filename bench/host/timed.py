"""Runs `work(size[, file])` once and says how long it took; what it returns is compared with kiln's."""

import sys
import time


def timed(work):
    arguments = (int(sys.argv[1]), *sys.argv[2:])
    start = time.perf_counter()
    data = work(*arguments)
    seconds = time.perf_counter() - start
    print(data)
    print("seconds", seconds, file=sys.stderr)


class Numbers:
    """Random numbers that are the same in Julia."""

    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return self.state
