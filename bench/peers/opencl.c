// Times the kernels of `kernels.cl` and `patterns.cl` on the first OpenCL device: `opencl SOURCE OPTIONS KERNEL REPS [OUT]`
// prints the milliseconds of each launch and appends the output to the file OUT. Buffers are the host's own memory.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include "data.h"

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_uint parameters;

static void check(cl_int status, const char *call) {
    if (status) {
        fprintf(stderr, "%s: OpenCL error %d\n", call, status);
        exit(1);
    }
}

static char *text_of(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(size + 1, 1);
    if (!text || fread(text, 1, size, file) != (size_t)size) fail("cannot read", path);
    fclose(file);
    return text;
}

static void open_kernel(const char *path, const char *options, const char *name) {
    cl_int status;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const char *text = text_of(path);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, options, NULL, NULL)) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fail("cannot build", log);
    }
    kernel = clCreateKernel(program, name, &status);
    check(status, name);
}

// The next parameter is this memory.
static void buffer(void *words, long count) {
    cl_int status;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 4 * count, words, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, parameters++, sizeof memory, &memory), "clSetKernelArg");
}

static void number(float value) { check(clSetKernelArg(kernel, parameters++, 4, &value), "clSetKernelArg"); }
static void integer(int value) { check(clSetKernelArg(kernel, parameters++, 4, &value), "clSetKernelArg"); }

static void enqueue(size_t x, size_t y, size_t group_x, size_t group_y) {
    size_t items[2] = {x, y}, group[2] = {group_x, group_y};
    check(clEnqueueNDRangeKernel(queue, kernel, y > 1 ? 2 : 1, NULL, items, group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static void launch(size_t x, size_t y, size_t group_x, size_t group_y) {
    enqueue(x, y, group_x, group_y);
    check(clFinish(queue), "clFinish");
}

static void kernels(const char *name, int reps, const char *path) {
    if (!strcmp(name, "triad")) {
        long n = 16 << 20;
        float *a = zeros(n);
        buffer(a, n), buffer(input(1, n), n), buffer(input(2, n), n), number(3);
        MEASURED(reps, launch(n, 1, 1024, 1));
        write_output(path, a, n);
    } else if (!strcmp(name, "nbody")) {
        long n = 4096;
        float *out[3];
        for (int at = 0; at < 3; at++) buffer(out[at] = zeros(n), n);
        for (int seed = 1; seed <= 4; seed++) buffer(input(seed, n), n);
        MEASURED(reps, launch(n, 1, 256, 1));
        for (int at = 0; at < 3; at++) write_output(path, out[at], n);
    } else if (!strcmp(name, "black_scholes")) {
        long n = 1 << 20;
        float *call = zeros(n), *put = zeros(n);
        buffer(call, n), buffer(put, n);
        buffer(scaled(1, n, 5, 25), n), buffer(scaled(2, n, 1, 99), n), buffer(scaled(3, n, .25f, 9.75f), n);
        number(.02f), number(.3f);
        MEASURED(reps, launch(n, 1, 256, 1));
        write_output(path, call, n), write_output(path, put, n);
    } else if (!strcmp(name, "matmul") || !strcmp(name, "matmul_tiled")) {
        long n = 512, tiled = strcmp(name, "matmul");
        float *C = zeros(n * n);
        buffer(C, n * n), buffer(input(1, n * n), n * n), buffer(input(2, n * n), n * n);
        MEASURED(reps, launch(n, n, tiled ? 16 : 64, tiled ? 16 : 4));
        write_output(path, C, n * n);
    } else if (!strcmp(name, "stencil")) {
        long n = 2048;
        float *o = zeros(n * n);
        buffer(o, n * n), buffer(input(1, n * n), n * n);
        MEASURED(reps, for (int r = 0; r < 10; r++) enqueue(n, n, 256, 1); check(clFinish(queue), "clFinish"));
        write_output(path, o, n * n);
    } else if (!strcmp(name, "reduce") || !strcmp(name, "warp_reduce")) {
        long n = 16 << 20;
        float *o = zeros(n / 256);
        buffer(o, n / 256), buffer(input(1, n), n);
        MEASURED(reps, launch(n, 1, 256, 1));
        write_output(path, o, n / 256);
    } else if (!strcmp(name, "mandelbrot")) {
        long n = 1024;
        int32_t *o = zeros(n * n);
        buffer(o, n * n), integer(200);
        MEASURED(reps, launch(n, n, 256, 1));
        write_output(path, o, n * n);
    } else {
        fail("no such kernel", name);
    }
}

static void spmv(int reps, const char *path) {
    long n = 1 << 18;
    int32_t *rows = zeros(n + 1);
    for (long i = 0; i < n; i++) rows[i + 1] = rows[i] + 8 + (int32_t)(16 * uniform(1, i));
    long count = rows[n];
    int32_t *columns = zeros(count);
    for (long k = 0; k < count; k++) columns[k] = (int32_t)(n * uniform(2, k));
    float *y = zeros(n);
    buffer(y, n), buffer(rows, n + 1), buffer(columns, count), buffer(input(3, count), count), buffer(input(4, n), n);
    MEASURED(reps, launch(n, 1, 256, 1));
    write_output(path, y, n);
}

static void patterns(const char *name, int reps, const char *path) {
    if (!strcmp(name, "scan") || !strcmp(name, "bitonic_sort")) {
        long n = strcmp(name, "scan") ? 1 << 20 : 4 << 20;
        float *o = zeros(n);
        buffer(o, n), buffer(input(1, n), n);
        MEASURED(reps, launch(strcmp(name, "scan") ? n / 2 : n, 1, 256, 1));
        write_output(path, o, n);
    } else if (!strcmp(name, "histogram")) {
        long n = 16 << 20;
        int32_t *bins = zeros(256);
        buffer(bins, 256), buffer(input(1, n), n), integer(n);
        MEASURED(reps, memset(bins, 0, 1024); launch(65536, 1, 256, 1));
        write_output(path, bins, 256);
    } else if (!strcmp(name, "convolution")) {
        long n = 2048;
        float *o = zeros(n * n);
        buffer(o, n * n), buffer(input(1, n * n), n * n), buffer(input(2, 25), 25);
        MEASURED(reps, launch(n, n, 256, 1));
        write_output(path, o, n * n);
    } else if (!strcmp(name, "transpose") || !strcmp(name, "transpose_tiled")) {
        long n = 4096;
        float *o = zeros(n * n);
        buffer(o, n * n), buffer(input(1, n * n), n * n);
        MEASURED(reps, launch(n, strcmp(name, "transpose") ? n / 4 : n, 32, 8));
        write_output(path, o, n * n);
    } else if (!strcmp(name, "spmv")) {
        spmv(reps, path);
    } else {
        kernels(name, reps, path);
    }
}

int main(int argc, char **argv) {
    if (argc < 5) fail("usage", "opencl SOURCE OPTIONS KERNEL REPS [OUT]");
    open_kernel(argv[1], argv[2], argv[3]);
    patterns(argv[3], atoi(argv[4]), argc > 5 ? argv[5] : NULL);
}
