// The kernels of `patterns.jl` in OpenCL C. A sub-group stands for a warp, and has the lanes that the driver gives it.
#ifdef STRICT
#pragma OPENCL FP_CONTRACT OFF
#endif

#if defined(cl_intel_subgroups)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
kernel void warp_reduce(global float *out, global const float *x) {
    local float sums[256];
    uint l = get_local_id(0), lanes = get_sub_group_size();
    float v = x[get_global_id(0)];
    for (uint d = lanes / 2; d > 0; d >>= 1) v += intel_sub_group_shuffle_down(v, v, d);
    if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        float s = 0;
        for (uint w = 0; w < get_num_sub_groups(); w++) s += sums[w];
        out[get_group_id(0)] = s;
    }
}
#endif

kernel void scan(global float *out, global const float *x) {
    local float s[2][256];
    size_t l = get_local_id(0);
    int from = 0;
    s[from][l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t d = 1; d < 256; d <<= 1) {
        s[1 - from][l] = l >= d ? s[from][l] + s[from][l - d] : s[from][l];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = s[from][l];
}

kernel void histogram(global int *bins, global const float *x, int n) {
    local int counts[256];
    size_t l = get_local_id(0);
    counts[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&counts[(int)(x[i] * 256.0f)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], counts[l]);
}

kernel void bitonic_sort(global float *out, global const float *x) {
    local float s[512];
    size_t l = get_local_id(0), first = get_group_id(0) * 512;
    s[l] = x[first + l];
    s[l + 256] = x[first + l + 256];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t size = 2; size <= 512; size <<= 1)
        for (size_t d = size >> 1; d > 0; d >>= 1) {
            size_t i = 2 * l - (l & (d - 1));
            float a = s[i], b = s[i + d];
            if ((a > b) == ((i & size) == 0)) {
                s[i] = b;
                s[i + d] = a;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    out[first + l] = s[l];
    out[first + l + 256] = s[l + 256];
}

kernel void convolution(global float *o, global const float *g, constant float *f) {
    int i = get_global_id(0), j = get_global_id(1), n = get_global_size(0);
    float s = 0;
    for (int q = -2; q <= 2; q++)
        for (int p = -2; p <= 2; p++) s += f[(q + 2) * 5 + p + 2] * g[clamp(j + q, 0, n - 1) * n + clamp(i + p, 0, n - 1)];
    o[j * n + i] = s;
}

kernel void transpose(global float *o, global const float *g) {
    size_t i = get_global_id(0), j = get_global_id(1), n = get_global_size(0);
    o[i * n + j] = g[j * n + i];
}

kernel void transpose_tiled(global float *o, global const float *g) {
    local float tile[32][33];
    size_t i = get_local_id(0), j = get_local_id(1), n = get_global_size(0);
    size_t x = get_group_id(0) * 32, y = get_group_id(1) * 32;
    for (size_t r = 0; r < 32; r += 8) tile[j + r][i] = g[(y + j + r) * n + x + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t r = 0; r < 32; r += 8) o[(x + j + r) * n + y + i] = tile[i][j + r];
}

kernel void spmv(global float *y, global const int *rows, global const int *columns, global const float *values,
                 global const float *x) {
    size_t i = get_global_id(0);
    float s = 0;
    for (int k = rows[i]; k < rows[i + 1]; k++) s += values[k] * x[columns[k]];
    y[i] = s;
}
