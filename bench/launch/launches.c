/* The time of a launch from C, of what `kiln compile` makes of `bench/launch/kernels.jl`: the entry is called with a context made for
 * each launch. Prints `c kernel nanoseconds` a line, the least of several batches; the argument is the number of launches. */
#include "kiln.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BATCHES 100

struct array {
    float *data;
    int64_t dims[1];
    int64_t length;
};
struct args {
    struct array y;
    float a;
    struct array x;
};

KILN_KERNEL(empty);
KILN_KERNEL(saxpy);
typedef void (*entry)(struct kiln_context *, const void *, int64_t, int64_t);

static double now(void) {
    struct timespec it;
    clock_gettime(CLOCK_MONOTONIC, &it);
    return 1e9 * it.tv_sec + it.tv_nsec;
}

static void time_launches(const char *name, entry kernel, const struct args *args, long count) {
    double best = 1e30;
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = now();
        for (long i = 0; i < count; i++) {
            struct kiln_record record = KILN_RECORD;
            struct kiln_context context = kiln_launch(1, 256, &record);
            kernel(&context, args, 0, 1);
            if (record.site)
                exit(1);
        }
        double took = (now() - start) / count;
        best = took < best ? took : best;
    }
    printf("c %s %.0f\n", name, best);
}

int main(int argc, char **argv) {
    static float y[256], x[256];
    long count = (argc > 1 ? atol(argv[1]) : 100000) / BATCHES;
    struct args args = {{y, {256}, 256}, 2.0f, {x, {256}, 256}};
    time_launches("empty", empty, &args, count);
    time_launches("saxpy", saxpy, &args, count);
    return 0;
}
