/* Launches what was built of program.jl, and checks every result. */
#include "kernels.h"
#include <math.h>
#include <stdio.h>

#define CHECK(it) do { if (!(it)) { printf("line %d: %s: %s\n", __LINE__, #it, failure.text); return 1; } } while (0)

static struct kiln_rt_failure failure;

static int saxpy_works(void) {
    enum { N = 10000 };
    static float y[N], x[N];
    for (int i = 0; i < N; i++) { y[i] = 1; x[i] = (float)i; }
    kiln_array_float32_1 vy = {y, {N}}, vx = {x, {N}};
    CHECK(saxpy_launch(kiln_rt_cover(N, 256), vy, 2.0f, vx, &failure) == KILN_RT_OK);
    for (int i = 0; i < N; i++) CHECK(y[i] == 1 + 2.0f * (float)i);
    return 0;
}

static int reduction_works(void) {
    enum { N = 5000, ITEMS = 128, GROUPS = (N + ITEMS - 1) / ITEMS };
    static double x[N], sums[GROUPS];
    for (int i = 0; i < N; i++) x[i] = i;
    kiln_array_float64_1 vx = {x, {N}}, out = {sums, {GROUPS}};
    struct kiln_rt_size size = kiln_rt_size_1d(GROUPS, ITEMS);
    size.dynamic_shared_bytes = ITEMS * sizeof(double);
    CHECK(sum_groups_launch(size, out, vx, &failure) == KILN_RT_OK);
    double total = 0;
    for (int i = 0; i < GROUPS; i++) total += sums[i];
    CHECK(total == (double)N * (N - 1) / 2);
    return 0;
}

static int matmul_works(void) {
    enum { M = 20, K = 30, N = 25 };
    static float a[K][M], b[N][K], c[N][M]; /* the first dimension is contiguous */
    for (int i = 0; i < M; i++) for (int k = 0; k < K; k++) a[k][i] = (float)(i - k);
    for (int k = 0; k < K; k++) for (int j = 0; j < N; j++) b[j][k] = (float)(k + 2 * j);
    kiln_array_float32_2 va = {a[0], {M, K}}, vb = {b[0], {K, N}}, vc = {c[0], {M, N}};
    CHECK(matmul_launch(kiln_rt_size_2d(3, 4, 8, 8), vc, va, vb, &failure) == KILN_RT_OK);
    for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) {
        float total = 0;
        for (int k = 0; k < K; k++) total += a[k][i] * b[j][k];
        CHECK(c[j][i] == total);
    }
    return 0;
}

static int other_kernels_work(void) {
    static int64_t y[5][7];
    kiln_array_int64_2 vy = {y[0], {7, 5}};
    struct kiln_rt_size size = kiln_rt_size_2d(2, 2, 4, 4);
    size.range[0] = 7; size.range[1] = 5; size.range[2] = 1;
    CHECK(fill_index_launch(size, vy, &failure) == KILN_RT_OK);
    for (int i = 0; i < 7; i++) for (int j = 0; j < 5; j++) CHECK(y[j][i] == 10 * (i + 1) + j + 1);

    static int32_t lanes[32];
    for (int i = 0; i < 32; i++) lanes[i] = i;
    kiln_array_int32_1 vl = {lanes, {32}};
    CHECK(rotate_launch(kiln_rt_size_1d(1, 32), vl, &failure) == KILN_RT_OK);
    for (int i = 0; i < 32; i++) CHECK(lanes[i] == (i + 1) % 32);
    return 0;
}

static int functions_work(void) {
    double result = 0;
    CHECK(root_call(16, 2, &result, &failure) == KILN_RT_OK && result == 2);
    CHECK(root_call(16, 0, &result, 0) == KILN_RT_FAILED && result == 2);
    CHECK(root_call(16, 0, &result, &failure) == KILN_RT_FAILED);
    printf("%s\n", failure.text);
    struct polar_z z = {{3, 4}};
    struct polar_result p;
    CHECK(polar_call(z, true, &p, &failure) == KILN_RT_OK);
    CHECK(p.radius == 10 && fabs(p.angle - atan2(4, 3)) < 1e-15);
    struct radius_p q = {2.5f, 0};
    float r = 0;
    CHECK(radius_call(q, &r, &failure) == KILN_RT_OK && r == 2.5f);
    int8_t n = 0;
    CHECK(answer_call(&n, &failure) == KILN_RT_OK && n == 42);
    return 0;
}

static int failures_are_told(void) {
    static float y[300], x[200];
    kiln_array_float32_1 vy = {y, {300}}, vx = {x, {200}};
    for (int i = 0; i < 200; i++) x[i] = 1;
    CHECK(saxpy_launch(kiln_rt_size_1d(3, 100), vy, 1, vx, &failure) == KILN_RT_FAILED);
    CHECK(failure.status == KILN_RT_FAILED && failure.site > 0);
    CHECK(failure.group[0] == 2 && failure.item[0] == 0 && failure.item[1] == 0);
    printf("%s\n", failure.text);
    for (int i = 0; i < 300; i++) CHECK(y[i] == (i < 200 ? 1 : 0)); /* the others have run */

    struct kiln_rt_size size = kiln_rt_size_1d(1, -1);
    CHECK(saxpy_launch(size, vy, 1, vx, &failure) == KILN_RT_ARGUMENTS && failure.site == 0);
    size = kiln_rt_size_1d(INT64_C(1) << 40, 1);
    CHECK(saxpy_launch(size, vy, 1, vx, &failure) == KILN_RT_ARGUMENTS && failure.group[0] == -1);
    size = kiln_rt_size_1d(1, 1);
    size.dynamic_shared_bytes = UINT64_MAX;
    CHECK(saxpy_launch(size, vy, 1, vx, &failure) == KILN_RT_ARGUMENTS);
    CHECK(saxpy_launch(kiln_rt_size_1d(0, 1), vy, 1, vx, &failure) == KILN_RT_OK); /* no items */
    struct kiln_rt_kernel later = saxpy;
    later.version++;
    CHECK(saxpy_launch_with(&later, kiln_rt_size_1d(1, 1), vy, 1, vx, &failure) == KILN_RT_VERSION);
    uint64_t none[8] = {0};
    CHECK(kiln_rt_call(&saxpy, none, none, &failure) == KILN_RT_ARGUMENTS);
    CHECK(kiln_rt_launch(&root, &size, none, &failure) == KILN_RT_ARGUMENTS);
    return 0;
}

int main(void) {
    if (kiln_rt_set_threads(2) != KILN_RT_OK) return 2;
    if (saxpy_works() || reduction_works() || matmul_works() || other_kernels_work()) return 1;
    if (functions_work() || failures_are_told()) return 1;
    if (kiln_rt_set_threads(1) != KILN_RT_ARGUMENTS) return 3; /* too late */
    puts("ok");
    return 0;
}
