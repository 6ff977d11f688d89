// The eight kernels in C, the limit that kiln is measured against. `scripts/bench_peers.py` builds them twice: as plain loops
// over the items, and with -DSPMD vectorized over items by hand, LANES to a vector. Both keep strict floating point: each item
// does the operations of its own order. A change may make a form faster, and never slower.
//
// Matrices are in rows here and in columns in the Julia programs, so `main.c` exchanges the factors.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "kernels.h"

#define PAR _Pragma("omp parallel for schedule(static) num_threads(nt)")

#ifndef LANES
#define LANES 8
#endif
typedef float vf __attribute__((ext_vector_type(LANES)));
typedef int32_t vi __attribute__((ext_vector_type(LANES)));
typedef float unaligned __attribute__((ext_vector_type(LANES), aligned(4)));
static inline vf ld(const float *p) { return *(const unaligned *)p; }
static inline void st(float *p, vf v) { *(unaligned *)p = v; }

void triad(float *restrict a, const float *restrict b, const float *restrict c, float s, long n, int nt) {
    PAR for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

static inline float sum(vf v) {
    float s = 0;
    for (int l = 0; l < LANES; l++) s += v[l];
    return s;
}

// A plain sum: less work than the kernel, so the bench shows its time and does not count it as a peer.
float total(const float *restrict x, long n, int nt) {
    float tot = 0;
#ifdef SPMD
#pragma omp parallel for schedule(static) num_threads(nt) reduction(+ : tot)
    for (long b = 0; b < n; b += 65536) {
        long e = b + 65536 < n ? b + 65536 : n, i = b;
        vf s[8] = {0};
        for (; i + 8 * LANES <= e; i += 8 * LANES)
            for (int k = 0; k < 8; k++) s[k] += ld(x + i + LANES * k);
        float r = sum(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
        for (; i < e; i++) r += x[i];
        tot += r;
    }
#else
#pragma omp parallel for schedule(static) num_threads(nt) reduction(+ : tot)
    for (long i = 0; i < n; i++) tot += x[i];
#endif
    return tot;
}

// The kernel's work: a tree in each group of 256 items, cut at its barriers by hand.
void reduce(const float *restrict x, float *restrict out, long n, int nt) {
    PAR for (long g = 0; g < n / 256; g++) {
        float s[256];
        memcpy(s, x + 256 * g, sizeof s);
#ifdef SPMD
        for (int d = 128; d >= LANES; d >>= 1)
            for (int l = 0; l < d; l += LANES) st(s + l, ld(s + l) + ld(s + l + d));
        for (int d = LANES / 2; d > 0; d >>= 1)
            for (int l = 0; l < d; l++) s[l] += s[l + d];
#else
        for (int d = 128; d > 0; d >>= 1)
            for (int l = 0; l < d; l++) s[l] += s[l + d];
#endif
        out[g] = s[0];
    }
}

void stencil(const float *restrict in, float *restrict out, long n, int nt) {
    PAR for (long i = 1; i < n - 1; i++) for (long j = 1; j < n - 1; j++) {
        const float *p = in + i * n + j;
        out[i * n + j] = 0.5f * p[0] + 0.125f * (p[-1] + p[1] + p[-n] + p[n]);
    }
}

// Every item computes one element; the sum is the inner loop.
void matmul(const float *restrict A, const float *restrict B, float *restrict C, long n, int nt) {
#ifdef SPMD
    PAR for (long i = 0; i < n; i++) for (long j = 0; j < n; j += 4 * LANES) {
        vf s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        for (long k = 0; k < n; k++) {
            vf a = A[i * n + k];
            const float *b = B + k * n + j;
            s0 += a * ld(b);
            s1 += a * ld(b + LANES);
            s2 += a * ld(b + 2 * LANES);
            s3 += a * ld(b + 3 * LANES);
        }
        st(C + i * n + j, s0);
        st(C + i * n + j + LANES, s1);
        st(C + i * n + j + 2 * LANES, s2);
        st(C + i * n + j + 3 * LANES, s3);
    }
#else
    PAR for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) {
        float s = 0;
        for (long k = 0; k < n; k++) s += A[i * n + k] * B[k * n + j];
        C[i * n + j] = s;
    }
#endif
}

// In place of tiles in shared memory: tiles in registers (SPMD) or in the cache (plain).
void matmul_tiled(const float *restrict A, const float *restrict B, float *restrict C, long n, int nt) {
#ifdef SPMD
    PAR for (long i = 0; i < n; i += 4) {
        for (long j = 0; j < n; j += LANES)
            for (int r = 0; r < 4; r++) st(C + (i + r) * n + j, (vf)0);
        for (long kk = 0; kk < n; kk += 256)
            for (long j = 0; j < n; j += 2 * LANES) {
                vf s[4][2];
                for (int r = 0; r < 4; r++) {
                    s[r][0] = ld(C + (i + r) * n + j);
                    s[r][1] = ld(C + (i + r) * n + j + LANES);
                }
                long ke = kk + 256 < n ? kk + 256 : n;
                for (long k = kk; k < ke; k++) {
                    vf b0 = ld(B + k * n + j), b1 = ld(B + k * n + j + LANES);
                    for (int r = 0; r < 4; r++) {
                        vf a = A[(i + r) * n + k];
                        s[r][0] += a * b0;
                        s[r][1] += a * b1;
                    }
                }
                for (int r = 0; r < 4; r++) {
                    st(C + (i + r) * n + j, s[r][0]);
                    st(C + (i + r) * n + j + LANES, s[r][1]);
                }
            }
    }
#else
    enum { T = 64 };
    PAR for (long ii = 0; ii < n; ii += T) {
        memset(C + ii * n, 0, sizeof(float) * T * n);
        for (long kk = 0; kk < n; kk += T)
            for (long jj = 0; jj < n; jj += T)
                for (long i = ii; i < ii + T; i++)
                    for (long k = kk; k < kk + T; k++) {
                        float a = A[i * n + k];
                        for (long j = jj; j < jj + T; j++) C[i * n + j] += a * B[k * n + j];
                    }
    }
#endif
}

void nbody(const float *restrict x, const float *restrict y, const float *restrict z, const float *restrict m,
           float *restrict ax, float *restrict ay, float *restrict az, long n, int nt) {
#ifdef SPMD
    PAR for (long i = 0; i < n; i += 2 * LANES) {
        long q = i + LANES;
        vf X0 = ld(x + i), Y0 = ld(y + i), Z0 = ld(z + i), X1 = ld(x + q), Y1 = ld(y + q), Z1 = ld(z + q);
        vf a0 = {0}, b0 = {0}, c0 = {0}, a1 = {0}, b1 = {0}, c1 = {0};
        for (long j = 0; j < n; j++) {
            vf xj = x[j], yj = y[j], zj = z[j], mj = m[j];
            vf dx = xj - X0, dy = yj - Y0, dz = zj - Z0;
            vf inv = 1.0f / __builtin_elementwise_sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            vf w = mj * inv * inv * inv;
            a0 += dx * w, b0 += dy * w, c0 += dz * w;
            dx = xj - X1, dy = yj - Y1, dz = zj - Z1;
            inv = 1.0f / __builtin_elementwise_sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            w = mj * inv * inv * inv;
            a1 += dx * w, b1 += dy * w, c1 += dz * w;
        }
        st(ax + i, a0), st(ay + i, b0), st(az + i, c0), st(ax + q, a1), st(ay + q, b1), st(az + q, c1);
    }
#else
    PAR for (long i = 0; i < n; i++) {
        float X = x[i], Y = y[i], Z = z[i], a = 0, b = 0, c = 0;
        for (long j = 0; j < n; j++) {
            float dx = x[j] - X, dy = y[j] - Y, dz = z[j] - Z;
            float r = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = 1.0f / sqrtf(r), w = m[j] * inv * inv * inv;
            a += dx * w, b += dy * w, c += dz * w;
        }
        ax[i] = a, ay[i] = b, az[i] = c;
    }
#endif
}

static inline float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228040143267794f * expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}

void black_scholes(const float *restrict S, const float *restrict X, const float *restrict T, float *restrict call,
                   float *restrict put, float R, float V, long n, int nt) {
#ifdef SPMD
    _Pragma("omp parallel for simd schedule(static) num_threads(nt)")
#else
    PAR
#endif
    for (long i = 0; i < n; i++) {
        float root = sqrtf(T[i]);
        float d1 = (logf(S[i] / X[i]) + (R + 0.5f * V * V) * T[i]) / (V * root), d2 = d1 - V * root;
        float c1 = cnd(d1), c2 = cnd(d2), e = expf(-R * T[i]);
        call[i] = S[i] * c1 - X[i] * e * c2;
        put[i] = X[i] * e * (1.0f - c2) - S[i] * (1.0f - c1);
    }
}

void mandelbrot(int32_t *restrict out, long n, int iterations, int nt) {
#ifdef SPMD
#pragma omp parallel for schedule(dynamic, 8) num_threads(nt)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j += LANES) {
            vf cx, cy = -1.3f + 2.6f * (float)i / (float)n, zx = {0}, zy = {0};
            for (int l = 0; l < LANES; l++) cx[l] = (float)(j + l);
            cx = -2.0f + 2.6f * cx / (float)n;
            vi count = {0};
            for (int k = 0; k < iterations; k++) {
                vf x2 = zx * zx, y2 = zy * zy;
                vi live = x2 + y2 <= 4.0f; // -1 in lanes that go on
                if (!__builtin_reduce_or(live)) break;
                count -= live;
                vf zy_next = 2.0f * zx * zy + cy, zx_next = x2 - y2 + cx;
                zx = live ? zx_next : zx;
                zy = live ? zy_next : zy;
            }
            for (int l = 0; l < LANES; l++) out[i * n + j + l] = count[l];
        }
#else
#pragma omp parallel for schedule(dynamic, 8) num_threads(nt)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            float cx = -2.0f + 2.6f * (float)j / (float)n, cy = -1.3f + 2.6f * (float)i / (float)n, zx = 0, zy = 0;
            int k = 0;
            for (; k < iterations; k++) {
                float x2 = zx * zx, y2 = zy * zy;
                if (x2 + y2 > 4.0f) break;
                zy = 2.0f * zx * zy + cy;
                zx = x2 - y2 + cx;
            }
            out[i * n + j] = k;
        }
#endif
}
