// Times the kernels of kernels.cu as run.jl does those of kernels.jl: the same sizes, inputs, launches and samples.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include "kernels.cu"

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

static __device__ unsigned uniform(unsigned seed, unsigned i) {
    unsigned h = i * 0x9e3779b1u + seed * 0x7f4a7c15u;
    h = (h ^ (h >> 15)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return (h ^ (h >> 16)) >> 8;
}

static __global__ void fill_floats(float *x, long n, unsigned seed, float least, float range) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = least + range * ((float)uniform(seed, (unsigned)i) * 0x1p-24f);
}

static __global__ void fill_integers(int *x, long n, unsigned seed, unsigned bound, unsigned first) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (int)(uniform(seed, (unsigned)i) % bound + first);
}

template <typename T> static T *zeros(long n) {
    T *x;
    check(cudaMalloc(&x, n * sizeof(T)));
    check(cudaMemset(x, 0, n * sizeof(T)));
    return x;
}

static unsigned blocks(long n) { return (unsigned)((n + 255) / 256); }

static float *floats(unsigned seed, long n, float least = 0, float range = 1) {
    float *x = zeros<float>(n);
    fill_floats<<<blocks(n), 256>>>(x, n, seed, least, range);
    return x;
}

static int *integers(unsigned seed, long n, unsigned bound, unsigned first) {
    int *x = zeros<int>(n);
    fill_integers<<<blocks(n), 256>>>(x, n, seed, bound, first);
    return x;
}

static std::string folder;

static double now() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename T, typename F> static void measured(const char *name, const T *output, long n, F launch) {
    launch();
    check(cudaDeviceSynchronize());
    std::vector<T> all(n), some;
    check(cudaMemcpy(all.data(), output, n * sizeof(T), cudaMemcpyDeviceToHost));
    for (long i = 0, stride = n / 4096 > 1 ? n / 4096 : 1; i < n; i += stride) some.push_back(all[i]);
    FILE *file = fopen((folder + "/" + name).c_str(), "wb");
    fwrite(some.data(), sizeof(T), some.size(), file);
    fclose(file);
    launch();
    check(cudaDeviceSynchronize());
    double started = now();
    launch();
    check(cudaDeviceSynchronize());
    int launches = (int)(100 / (now() - started));
    launches = launches < 3 ? 3 : launches > 1000 ? 1000 : launches;
    double best = 1e30;
    for (int round = 0; round < 5; round++) {
        started = now();
        for (int i = 0; i < launches; i++) launch();
        check(cudaDeviceSynchronize());
        double took = (now() - started) / launches;
        best = took < best ? took : best;
    }
    printf("%s %.5f\n", name, best);
}

static void run_saxpy(long n) {
    float *x = floats(1, n), *y = floats(2, n);
    measured("saxpy", y, n, [=] { saxpy<<<blocks(n), 256>>>(y, 0.5f, x, n); });
}

static void run_dense(int n, int m) {
    long n2 = (long)n * n, m2 = (long)m * m;
    float *g = floats(1, n2), *o = zeros<float>(n2);
    measured("stencil", o, n2, [=] { stencil<<<dim3(n / 64, n / 4), dim3(64, 4)>>>(o, g, n, n); });
    measured("transpose", o, n2, [=] { transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(o, g, n, n); });
    measured("softmax", o, n2, [=] { softmax<<<n, 256>>>(o, g, n); });
    float *a = floats(1, m2), *b = floats(2, m2), *c = zeros<float>(m2);
    dim3 grid(m / 16, m / 16), block(16, 16);
    measured("matmul", c, m2, [=] { matmul<<<grid, block>>>(c, a, b, m); });
    measured("matmul_tiled", c, m2, [=] { matmul_tiled<<<grid, block>>>(c, a, b, m); });
    int *pixels = zeros<int>(n2);
    measured("mandelbrot", pixels, n2, [=] { mandelbrot<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(pixels, n, n, 200); });
}

static void run_vectors(long n) {
    float *x = floats(1, n), *sums = zeros<float>(n / 256);
    measured("reduce", sums, n / 256, [=] { reduce<<<blocks(n), 256>>>(sums, x, n); });
    int *bytes = integers(3, n, 256, 0), *counts = zeros<int>(256);
    measured("histogram", counts, 256, [=] { histogram<<<1024, 256>>>(counts, bytes, n); });
    float *s = floats(1, n, 5, 25), *k = floats(2, n, 1, 99), *t = floats(3, n, 0.25f, 9.75f);
    float *call = zeros<float>(n), *put = zeros<float>(n);
    measured("black_scholes", call, n,
             [=] { black_scholes<<<blocks(n), 256>>>(call, put, s, k, t, 0.02f, 0.3f, n); });
}

static void run_bodies(int n) {
    float4 *bodies = (float4 *)floats(1, 4L * n), *acceleration = zeros<float4>(n);
    measured("nbody", acceleration, n, [=] { nbody<<<blocks(n), 256>>>(acceleration, bodies, n); });
}

static void run_sparse(int n) {
    std::vector<int> all(n + 1L);
    for (long i = 0; i <= n; i++) all[i] = (int)(1 + 32 * i);
    int *starts = zeros<int>(n + 1L), *columns = integers(4, 32L * n, n, 1);
    check(cudaMemcpy(starts, all.data(), all.size() * sizeof(int), cudaMemcpyHostToDevice));
    float *values = floats(5, 32L * n), *x = floats(6, n), *y = zeros<float>(n);
    measured("spmv", y, (long)n, [=] { spmv<<<blocks(n), 256>>>(y, starts, columns, values, x, n); });
}

int main(int, char **arguments) {
    folder = arguments[1];
    float *one = zeros<float>(32);
    measured("launch", one, 32, [=] { launch<<<1, 32>>>(one); });
    run_saxpy(1L << 26);
    run_dense(8192, 2048);
    run_vectors(1L << 25);
    run_bodies(65536);
    run_sparse(1 << 20);
    return 0;
}
