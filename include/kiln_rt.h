/* libkiln_rt: runs what `kiln build` makes. The header that `kiln build --emit header` writes includes this one.
 *
 *     #include "saxpy.h"
 *
 *     struct kiln_rt_failure failure;
 *     kiln_array_float32_1 y = {memory, {n}}, x = {other_memory, {n}};
 *     if (saxpy_launch(kiln_rt_cover(n, 256), y, 3.0f, x, &failure) != KILN_RT_OK) puts(failure.text);
 *
 * Launches wait for their items. Threads may launch at the same time, and share the workers. `docs/ahead-of-time.md` is a guide.
 */
#ifndef KILN_RT_H
#define KILN_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions return. */
enum {
    KILN_RT_OK = 0,         /* all items have run */
    KILN_RT_FAILED = 1,     /* an item threw an exception; the others have run */
    KILN_RT_ARGUMENTS = 2,  /* the arguments are invalid, and nothing ran */
    KILN_RT_VERSION = 3,    /* the library was built for another version of libkiln_rt, and nothing ran */
    KILN_RT_FILE = 4,       /* a bundle cannot be read, is damaged, or its code cannot be loaded */
    KILN_RT_MISSING = 5,    /* a bundle has no such kernel for the target */
    KILN_RT_SYSTEM = 6      /* the system gives no threads, and nothing ran */
};

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 kiln_int128;
__extension__ typedef unsigned __int128 kiln_uint128;
#endif

/* The version of the structures of this header. */
#define KILN_RT_INTERFACE 1

/* A kernel or a function of a library: its header declares one for each. */
struct kiln_rt_kernel {
    uint32_t version;
    uint32_t kind;
    uint32_t args_bytes;
    uint32_t result_bytes;
    uint32_t shared_bytes;
    uint32_t frame_bytes;
    uint32_t lanes;
    uint32_t reserved;
    uint64_t heap_bytes;
    const void *entry;
    const uint8_t *description;
    uint64_t description_bytes;
};

/* The size of a launch. */
struct kiln_rt_size {
    int64_t groups[3];              /* groups in each dimension */
    int64_t items[3];               /* items of a group in each dimension */
    int64_t range[3];               /* for kernels of KernelAbstractions: the items that have work; 0: all */
    uint64_t dynamic_shared_bytes;  /* dynamic shared memory of a group */
};

/* Why a call did not return KILN_RT_OK. */
struct kiln_rt_failure {
    int32_t status;     /* what the call returned */
    uint32_t site;      /* the number of the place in the kernel, from 1; 0 if no item failed */
    int64_t group[3];   /* the group of the item, from 0; -1 if no item failed, and for functions */
    int64_t item[3];    /* the item in its group, from 0; likewise */
    char text[1024];    /* for people: UTF-8, ends with a NUL */
};

/* So many groups of so many items. */
static inline struct kiln_rt_size kiln_rt_size_1d(int64_t groups, int64_t items) {
    struct kiln_rt_size size = {{groups, 1, 1}, {items, 1, 1}, {0, 0, 0}, 0};
    return size;
}

/* Groups of so many items, in two dimensions. */
static inline struct kiln_rt_size kiln_rt_size_2d(int64_t groups_x, int64_t groups_y, int64_t items_x, int64_t items_y) {
    struct kiln_rt_size size = {{groups_x, groups_y, 1}, {items_x, items_y, 1}, {0, 0, 0}, 0};
    return size;
}

/* Groups of so many items that have `count` together, or a few more: the kernel checks that an item has work. */
static inline struct kiln_rt_size kiln_rt_cover(int64_t count, int64_t items) {
    struct kiln_rt_size size = {{items > 0 ? (count + items - 1) / items : 0, 1, 1}, {items, 1, 1}, {count, 1, 1}, 0};
    return size;
}

/* Runs a kernel. `args` is the block of its arguments; the typed functions of a library's header lay it out. `failure` may be
 * null, and is written if KILN_RT_OK is not returned. */
int kiln_rt_launch(const struct kiln_rt_kernel *kernel, const struct kiln_rt_size *size, const void *args,
                   struct kiln_rt_failure *failure);

/* Calls a function; its result goes to `result`, which has room for whole words of 8 bytes and is aligned to them. */
int kiln_rt_call(const struct kiln_rt_kernel *function, const void *args, void *result, struct kiln_rt_failure *failure);

/* Sets the number of threads that run groups, before the first launch: KILN_RT_ARGUMENTS is returned after it. 0, the default,
 * is one for each core. */
int kiln_rt_set_threads(uint32_t threads);

/* Sets the seed of the random numbers that kernels and functions draw: the same launches and calls in the same order then draw the
 * same ones. Without it they differ from process to process. */
int kiln_rt_set_seed(uint64_t seed);

/* A bundle: one file with kernels for several targets (`kiln build --emit bundle`). Its code for processors is trusted like an
 * executable; the file may be damaged, and is refused then. */
struct kiln_bundle;

/* Code for a device: what its driver loads, and how it is launched, as JSON (docs/artifacts.md). No NUL ends it. */
struct kiln_artifact {
    const uint8_t *contents;
    uint64_t bytes;
    const char *description;
    uint64_t description_bytes;
};

/* Opens a bundle, and loads its best code for this processor, if it has any. */
int kiln_bundle_open(const char *path, struct kiln_bundle **bundle, struct kiln_rt_failure *failure);

/* Finds a kernel or a function for this processor by its name in C: NAME_launch_with and NAME_call_with of the header take it. */
int kiln_bundle_kernel(const struct kiln_bundle *bundle, const char *name, const struct kiln_rt_kernel **kernel,
                       struct kiln_rt_failure *failure);

/* Finds the code of a kernel for a device: "sm_90", "spirv64". */
int kiln_bundle_artifact(const struct kiln_bundle *bundle, const char *name, const char *target,
                         struct kiln_artifact *artifact, struct kiln_rt_failure *failure);

/* Closes a bundle; its kernels must not run any more. NULL closes nothing. */
int kiln_bundle_close(struct kiln_bundle *bundle);

#ifdef __cplusplus
}
#endif

#endif
