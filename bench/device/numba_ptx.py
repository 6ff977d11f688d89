"""Times numba compiling the kernels of this folder to PTX: NAME SECONDS a line, for every kernel and every run.

The same work as kiln's `sm_90`: from a Python function, which is there, to PTX text. Nothing is assembled or loaded.
"""

import math
import sys
import time
import warnings

from numba import cuda, float32, int32

warnings.simplefilter("ignore")
TILE = 16


def warm_up(y, x):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i] + cuda.threadIdx.y


def saxpy(y, a, x):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


def matmul(c, a, b):
    ta = cuda.shared.array((TILE, TILE), float32)
    tb = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.x * TILE + tx
    col = cuda.blockIdx.y * TILE + ty
    total = float32(0)
    for t in range((a.shape[1] + TILE - 1) // TILE):
        k = t * TILE
        ta[tx, ty] = a[row, k + ty] if row < a.shape[0] and k + ty < a.shape[1] else float32(0)
        tb[tx, ty] = b[k + tx, col] if k + tx < b.shape[0] and col < b.shape[1] else float32(0)
        cuda.syncthreads()
        for i in range(TILE):
            total += ta[tx, i] * tb[i, ty]
        cuda.syncthreads()
    if row < c.shape[0] and col < c.shape[1]:
        c[row, col] = total


def reduction(out, x):
    shared = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    shared[t] = x[cuda.blockIdx.x * 256 + t]
    cuda.syncthreads()
    s = 128
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = shared[0]


def nbody(ax, ay, az, x, y, z, m):
    i = cuda.grid(1)
    xi, yi, zi = x[i], y[i], z[i]
    sx = sy = sz = float32(0)
    for j in range(x.size):
        dx, dy, dz = x[j] - xi, y[j] - yi, z[j] - zi
        r2 = dx * dx + dy * dy + dz * dz + float32(1e-3)
        inv = float32(1) / math.sqrt(r2)
        s = m[j] * inv * inv * inv
        sx += dx * s
        sy += dy * s
        sz += dz * s
    ax[i], ay[i], az[i] = sx, sy, sz


def mandelbrot(out, w, h, iterations):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        cx = float32(-2.2) + float32(3.2) / w * i
        cy = float32(-1.2) + float32(2.4) / h * j
        x = y = float32(0)
        n = int32(0)
        while n < iterations and x * x + y * y <= float32(4):
            x, y = x * x - y * y + cx, float32(2) * x * y + cy
            n += int32(1)
        out[i, j] = n


VECTOR, MATRIX = float32[::1], float32[::1, :]
KERNELS = [
    (warm_up, (VECTOR, VECTOR)),
    (saxpy, (VECTOR, float32, VECTOR)),
    (matmul, (MATRIX, MATRIX, MATRIX)),
    (reduction, (VECTOR, VECTOR)),
    (nbody, (VECTOR,) * 7),
    (mandelbrot, (int32[::1, :], float32, float32, int32)),
]

# Each run compiles from nothing: numba keeps no result of `compile_ptx`.
for _ in range(int(sys.argv[1])):
    for kernel, types in KERNELS:
        start = time.perf_counter()
        ptx, _ = cuda.compile_ptx(kernel, types, cc=(9, 0))
        took = time.perf_counter() - start
        assert ".entry" in ptx or ".func" in ptx
        print(kernel.__name__, took)
