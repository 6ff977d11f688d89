// The kernels of `kernels.c`; `nt` is the number of threads.
#pragma once
#include <stdint.h>

void triad(float *a, const float *b, const float *c, float s, long n, int nt);
void nbody(const float *x, const float *y, const float *z, const float *m, float *ax, float *ay, float *az, long n, int nt);
void black_scholes(const float *S, const float *X, const float *T, float *call, float *put, float R, float V, long n, int nt);
void matmul(const float *A, const float *B, float *C, long n, int nt);
void matmul_tiled(const float *A, const float *B, float *C, long n, int nt);
void stencil(const float *in, float *out, long n, int nt);
void reduce(const float *x, float *out, long n, int nt);
float total(const float *x, long n, int nt);
void mandelbrot(int32_t *out, long n, int iterations, int nt);
