"""A loop over global variables, at the top of a module."""

import sys
import time

size = int(sys.argv[1])
sum_of = 0
last_odd = None
start = time.perf_counter()
for i in range(1, size + 1):
    sum_of = (sum_of + i * i) % 1000000007
    if i % 2 == 1:
        last_odd = i
seconds = time.perf_counter() - start
print(sum_of, last_odd)
print("seconds", seconds, file=sys.stderr)
