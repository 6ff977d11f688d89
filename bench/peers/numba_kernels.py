"""Times the eight kernels with numba, as loops over items: `numba_kernels.py KERNEL REPS [OUT]` prints the milliseconds
of each launch and writes the output to the file OUT. `reduce` is cut at its barriers by hand, and
`matmul_tiled` has its tiles in the cache, as the plain form in C has. Threads: NUMBA_NUM_THREADS.
"""

import math
import sys
import time

import numpy as np
from numba import njit, prange

parallel = njit(parallel=True, error_model="numpy")
f = np.float32


def uniform(seed, count):
    h = np.arange(count, dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32(seed * 0x7F4A7C15 & 0xFFFFFFFF)
    h = (h ^ (h >> np.uint32(15))) * np.uint32(0x85EBCA6B)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return ((h ^ (h >> np.uint32(16))) >> np.uint32(8)).astype(np.float32) * f(2**-24)


@parallel
def triad(a, b, c, s):
    for i in prange(a.size):
        a[i] = b[i] + s * c[i]


@parallel
def nbody(ax, ay, az, x, y, z, m):
    for i in prange(x.size):
        X, Y, Z = x[i], y[i], z[i]
        a = b = c = f(0)
        for j in range(x.size):
            dx, dy, dz = x[j] - X, y[j] - Y, z[j] - Z
            inv = f(1) / np.sqrt(dx * dx + dy * dy + dz * dz + f(0.01))
            w = m[j] * inv * inv * inv
            a += dx * w
            b += dy * w
            c += dz * w
        ax[i], ay[i], az[i] = a, b, c


@njit
def cnd(d):
    k = f(1) / (f(1) + f(0.2316419) * abs(d))
    p = f(1.781477937) + k * (f(-1.821255978) + k * f(1.330274429))
    p = k * (f(0.31938153) + k * (f(-0.356563782) + k * p))
    c = f(0.39894228040143267794) * math.exp(f(-0.5) * d * d) * p
    return f(1) - c if d > 0 else c


@parallel
def black_scholes(call, put, S, X, T, R, V):
    for i in prange(S.size):
        root = np.sqrt(T[i])
        d1 = (math.log(S[i] / X[i]) + (R + f(0.5) * V * V) * T[i]) / (V * root)
        d2 = d1 - V * root
        c1, c2, e = cnd(d1), cnd(d2), math.exp(-R * T[i])
        call[i] = S[i] * c1 - X[i] * e * c2
        put[i] = X[i] * e * (f(1) - c2) - S[i] * (f(1) - c1)


@parallel
def matmul(C, A, B):
    n = A.shape[0]
    for i in prange(n):
        for j in range(n):
            s = f(0)
            for k in range(n):
                s += A[i, k] * B[k, j]
            C[i, j] = s


@parallel
def matmul_tiled(C, A, B):
    n = A.shape[0]
    for tile in prange(n // 64):
        for i in range(64 * tile, 64 * tile + 64):
            C[i, :] = 0
        for kk in range(0, n, 64):
            for jj in range(0, n, 64):
                for i in range(64 * tile, 64 * tile + 64):
                    c = C[i, jj : jj + 64]
                    for k in range(kk, kk + 64):
                        a, b = A[i, k], B[k, jj : jj + 64]
                        for j in range(64):
                            c[j] += a * b[j]


@parallel
def stencil(o, g):
    n = g.shape[0]
    for i in prange(1, n - 1):
        for j in range(1, n - 1):
            o[i, j] = f(0.5) * g[i, j] + f(0.125) * (g[i, j - 1] + g[i, j + 1] + g[i - 1, j] + g[i + 1, j])


@parallel
def reduce(out, x):
    for group in prange(out.size):
        s = np.empty(256, f)
        for item in range(256):
            s[item] = x[group * 256 + item]
        d = 128
        while d > 0:
            for item in range(d):
                s[item] += s[item + d]
            d >>= 1
        out[group] = s[0]


@parallel
def mandelbrot(o, iterations):
    n = o.shape[0]
    for i in prange(n):
        for j in range(n):
            cx = f(-2) + f(2.6) * f(j) / f(n)
            cy = f(-1.3) + f(2.6) * f(i) / f(n)
            zx = zy = f(0)
            k = 0
            while k < iterations:
                x2, y2 = zx * zx, zy * zy
                if x2 + y2 > f(4):
                    break
                zy = f(2) * zx * zy + cy
                zx = x2 - y2 + cx
                k += 1
            o[i, j] = k


def arguments(name):
    """The kernel, its arguments and how many of them, from the first on, are outputs. Matrices are in rows: the factors are
    exchanged."""
    if name == "triad":
        n = 16 << 20
        return triad, [np.zeros(n, f), uniform(1, n), uniform(2, n), f(3)], 1
    if name == "nbody":
        n = 4096
        return nbody, [*(np.zeros(n, f) for _ in range(3)), *(uniform(it, n) for it in range(1, 5))], 3
    if name == "black_scholes":
        n = 1 << 20
        inputs = [f(5) + f(25) * uniform(1, n), f(1) + f(99) * uniform(2, n), f(0.25) + f(9.75) * uniform(3, n)]
        return black_scholes, [np.zeros(n, f), np.zeros(n, f), *inputs, f(0.02), f(0.3)], 2
    if name in ("matmul", "matmul_tiled"):
        n = 512
        A, B = (uniform(it, n * n).reshape(n, n) for it in (1, 2))
        return matmul if name == "matmul" else matmul_tiled, [np.zeros((n, n), f), B, A], 1
    if name == "stencil":
        n = 2048
        return stencil, [np.zeros((n, n), f), uniform(1, n * n).reshape(n, n)], 1
    if name == "reduce":
        n = 16 << 20
        return reduce, [np.zeros(n // 256, f), uniform(1, n)], 1
    if name == "mandelbrot":
        return mandelbrot, [np.zeros((1024, 1024), np.int32), 200], 1
    sys.exit(f"no such kernel: {name}")


def main():
    name, reps = sys.argv[1], int(sys.argv[2])
    kernel, given, outputs = arguments(name)
    launches = 10 if name == "stencil" else 1
    kernel(*given)
    spent = 0.0
    for _ in range(reps):
        started = time.perf_counter()
        for _ in range(launches):
            kernel(*given)
        taken = (time.perf_counter() - started) * 1e3
        print(f"{taken:.6f}")
        spent += taken
        if spent > 2000:
            break
    if len(sys.argv) > 3:
        with open(sys.argv[3], "wb") as out:
            for array in given[:outputs]:
                out.write(array.tobytes())


main()
