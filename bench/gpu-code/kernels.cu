// The kernels of kernels.jl in CUDA C, as one would write them: arguments that do not alias, and arrays in columns.
#define KERNEL extern "C" __global__ void

KERNEL launch(float *__restrict__ y) { y[threadIdx.x] = 1; }

KERNEL saxpy(float *__restrict__ y, float a, const float *__restrict__ x, long n) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

KERNEL stencil(float *__restrict__ o, const float *__restrict__ g, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (0 < i && i < rows - 1 && 0 < j && j < columns - 1) {
        const float *p = g + (long)j * rows + i;
        o[(long)j * rows + i] = 0.5f * p[0] + 0.125f * (p[-1] + p[1] + p[-rows] + p[rows]);
    }
}

KERNEL matmul(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float s = 0;
        for (int k = 0; k < n; k++) s += a[(long)k * n + i] * b[(long)j * n + k];
        c[(long)j * n + i] = s;
    }
}

#define TILE 16

KERNEL matmul_tiled(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int n) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * TILE + x, j = blockIdx.y * TILE + y;
    float s = 0;
    for (int t = 0; t < n / TILE; t++) {
        ta[y][x] = a[(long)(t * TILE + y) * n + i];
        tb[y][x] = b[(long)j * n + t * TILE + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++) s += ta[k][x] * tb[y][k];
        __syncthreads();
    }
    c[(long)j * n + i] = s;
}

static __device__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

KERNEL reduce(float *__restrict__ out, const float *__restrict__ x, long n) {
    __shared__ float partial[8];
    int t = threadIdx.x;
    long i = (long)blockIdx.x * blockDim.x + t;
    float v = warp_sum(i < n ? x[i] : 0.0f);
    if ((t & 31) == 0) partial[t >> 5] = v;
    __syncthreads();
    if (t < 32) {
        v = warp_sum(t < 8 ? partial[t] : 0.0f);
        if (t == 0) out[blockIdx.x] = v;
    }
}

KERNEL histogram(int *__restrict__ counts, const int *__restrict__ x, long n) {
    __shared__ int bins[256];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    for (long i = (long)blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[x[i]], 1);
    __syncthreads();
    atomicAdd(&counts[t], bins[t]);
}

KERNEL nbody(float4 *__restrict__ acceleration, const float4 *__restrict__ bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 self = bodies[i];
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < n; j++) {
            float4 b = bodies[j];
            float dx = b.x - self.x, dy = b.y - self.y, dz = b.z - self.z;
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float w = b.w * inverse * inverse * inverse;
            ax += dx * w;
            ay += dy * w;
            az += dz * w;
        }
        acceleration[i] = make_float4(ax, ay, az, 0.0f);
    }
}

static __device__ float normal_distribution(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.3989423f * expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.35656378f + k * (1.7814779f + k * (-1.821256f + k * 1.3302745f)))));
    return d > 0 ? 1.0f - c : c;
}

KERNEL black_scholes(float *__restrict__ call, float *__restrict__ put, const float *__restrict__ spot,
                     const float *__restrict__ strike, const float *__restrict__ years, float rate, float volatility,
                     long n) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = spot[i], x = strike[i], t = years[i], root = sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float c1 = normal_distribution(d1), c2 = normal_distribution(d1 - volatility * root), e = expf(-rate * t);
        call[i] = s * c1 - x * e * c2;
        put[i] = x * e * (1.0f - c2) - s * (1.0f - c1);
    }
}

KERNEL transpose(float *__restrict__ o, const float *__restrict__ x, int rows, int columns) {
    __shared__ float tile[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 32 + tx, j = blockIdx.y * 32 + ty;
    for (int k = 0; k < 32; k += 8) tile[ty + k][tx] = x[(long)(j + k) * rows + i];
    __syncthreads();
    i = blockIdx.y * 32 + tx, j = blockIdx.x * 32 + ty;
    for (int k = 0; k < 32; k += 8) o[(long)(j + k) * columns + i] = tile[tx][ty + k];
}

static __device__ float larger(float a, float b) { return a > b ? a : b; }
static __device__ float sum(float a, float b) { return a + b; }

template <float (*op)(float, float)> static __device__ float block_reduce(float *scratch, float v) {
    int t = threadIdx.x;
    scratch[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) scratch[t] = op(scratch[t], scratch[t + d]);
        __syncthreads();
    }
    v = scratch[0];
    __syncthreads();
    return v;
}

KERNEL softmax(float *__restrict__ o, const float *__restrict__ x, int n) {
    __shared__ float scratch[256];
    o += (long)blockIdx.x * n, x += (long)blockIdx.x * n;
    float largest = -INFINITY, total = 0;
    for (int i = threadIdx.x; i < n; i += 256) largest = larger(x[i], largest);
    largest = block_reduce<larger>(scratch, largest);
    for (int i = threadIdx.x; i < n; i += 256) total += expf(x[i] - largest);
    total = block_reduce<sum>(scratch, total);
    for (int i = threadIdx.x; i < n; i += 256) o[i] = expf(x[i] - largest) / total;
}

KERNEL spmv(float *__restrict__ y, const int *__restrict__ starts, const int *__restrict__ columns,
            const float *__restrict__ values, const float *__restrict__ x, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        float s = 0;
        for (int k = starts[row] - 1; k < starts[row + 1] - 1; k++) s += values[k] * x[columns[k] - 1];
        y[row] = s;
    }
}

KERNEL mandelbrot(int *__restrict__ o, int width, int height, int iterations) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < width && j < height) {
        float cx = -2.0f + 2.6f * i / width, cy = -1.3f + 2.6f * j / height, zx = 0, zy = 0;
        int k = 0;
        for (; k < iterations; k++) {
            float x2 = zx * zx, y2 = zy * zy;
            if (x2 + y2 > 4.0f) break;
            zy = 2.0f * zx * zy + cy;
            zx = x2 - y2 + cx;
        }
        o[(long)j * width + i] = k;
    }
}
