// The eight kernels in OpenCL C: the work of `kernels.jl`, with matrices in columns as there.
#ifdef STRICT
#pragma OPENCL FP_CONTRACT OFF
#endif

kernel void triad(global float *a, global const float *b, global const float *c, float s) {
    size_t i = get_global_id(0);
    a[i] = b[i] + s * c[i];
}

kernel void nbody(global float *ax, global float *ay, global float *az, global const float *x, global const float *y,
                  global const float *z, global const float *m) {
    size_t i = get_global_id(0), n = get_global_size(0);
    float X = x[i], Y = y[i], Z = z[i], a = 0, b = 0, c = 0;
    for (size_t j = 0; j < n; j++) {
        float dx = x[j] - X, dy = y[j] - Y, dz = z[j] - Z;
        float r = dx * dx + dy * dy + dz * dz + 0.01f;
        float inv = 1.0f / sqrt(r), w = m[j] * inv * inv * inv;
        a += dx * w;
        b += dy * w;
        c += dz * w;
    }
    ax[i] = a;
    ay[i] = b;
    az[i] = c;
}

float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float c = 0.39894228040143267794f * exp(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}

kernel void black_scholes(global float *call, global float *put, global const float *S, global const float *X,
                          global const float *T, float R, float V) {
    size_t i = get_global_id(0);
    float root = sqrt(T[i]);
    float d1 = (log(S[i] / X[i]) + (R + 0.5f * V * V) * T[i]) / (V * root), d2 = d1 - V * root;
    float c1 = cnd(d1), c2 = cnd(d2), e = exp(-R * T[i]);
    call[i] = S[i] * c1 - X[i] * e * c2;
    put[i] = X[i] * e * (1.0f - c2) - S[i] * (1.0f - c1);
}

kernel void matmul(global float *C, global const float *A, global const float *B) {
    size_t i = get_global_id(0), j = get_global_id(1), n = get_global_size(0);
    float s = 0;
    for (size_t k = 0; k < n; k++) s += A[k * n + i] * B[j * n + k];
    C[j * n + i] = s;
}

#define TILE 16

kernel void matmul_tiled(global float *C, global const float *A, global const float *B) {
    local float a[TILE][TILE], b[TILE][TILE];
    size_t i = get_local_id(0), j = get_local_id(1), I = get_global_id(0), J = get_global_id(1), n = get_global_size(0);
    float s = 0;
    for (size_t t = 0; t < n; t += TILE) {
        a[j][i] = A[(t + j) * n + I];
        b[j][i] = B[J * n + t + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) s += a[k][i] * b[j][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[J * n + I] = s;
}

kernel void stencil(global float *o, global const float *g) {
    size_t i = get_global_id(0), j = get_global_id(1), n = get_global_size(0);
    if (0 < i && i < n - 1 && 0 < j && j < n - 1) {
        global const float *p = g + j * n + i;
        o[j * n + i] = 0.5f * p[0] + 0.125f * (p[-1] + p[1] + *(p - n) + p[n]);
    }
}

kernel void reduce(global float *out, global const float *x) {
    local float s[256];
    size_t l = get_local_id(0);
    s[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t d = 128; d > 0; d >>= 1) {
        if (l < d) s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = s[0];
}

kernel void mandelbrot(global int *o, int iterations) {
    size_t i = get_global_id(0), j = get_global_id(1), n = get_global_size(0);
    float cx = -2.0f + 2.6f * (float)i / (float)n, cy = -1.3f + 2.6f * (float)j / (float)n, zx = 0, zy = 0;
    int k = 0;
    for (; k < iterations; k++) {
        float x2 = zx * zx, y2 = zy * zy;
        if (x2 + y2 > 4.0f) break;
        zy = 2.0f * zx * zy + cy;
        zx = x2 - y2 + cx;
    }
    o[j * n + i] = k;
}
