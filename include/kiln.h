/* Calling what `kiln compile -t native` (or x86-64-v3, znver4, ...) makes from C.
 *
 * A kernel (a function that returns nothing) runs a range of the groups of a launch, counted from 0, x fastest. Several
 * threads may run ranges of one launch at once, each with a context of its own that has the launch's record.
 *
 *     KILN_KERNEL(saxpy);                               // the name given by --name, or the mangled one
 *     struct kiln_record record = KILN_RECORD;
 *     struct kiln_context context = kiln_launch(groups, items, &record);
 *     saxpy(&context, &args, 0, groups);                // `args`: see below
 *     if (record.site) ...                              // an item has failed
 *
 * A function that returns a value takes where to put it, and returns 0, or the number of the place where it failed:
 *
 *     KILN_FUNCTION(dot);
 *     uint32_t failed = dot(&context, &args, &result);
 *
 * `args` is a block of all arguments, laid out as C lays out a struct of them, beginning with the function object if that has
 * a size (a closure). `kiln compile --json` tells the offset and size of each, and under "abi" whether the entry is
 * "groups", "function", or "item": a kernel with barriers in functions it calls or in a warp, which has to be run for each
 * item of a group on a stack of its own, and which this header does not help with. A kernel with other barriers is a
 * "groups" entry; "frame_bytes" is what it keeps of an item in context.frames.
 *
 * Objects need the C library, its libm, and the compiler's own library. They hold position-independent code.
 */
#ifndef KILN_H
#define KILN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of what a failing item says of itself. */
#define KILN_OPERAND_BYTES 448

/* Calls that a failing item was in and that are remembered (-g2). */
#define KILN_FRAMES 15

/* The first failure of a launch; KILN_RECORD before it. Aligned to 64 bytes. */
struct kiln_record {
    uint32_t site;              /* 0: none, else the number of the place, from 1 */
    uint32_t launch;            /* for random numbers: another number, not 0, for each launch that draws them */
    int64_t group_id[3];        /* who failed, from 0 */
    int64_t local_id[3];
    uint8_t operands[KILN_OPERAND_BYTES];
    uint64_t seed;              /* what random numbers follow from */
    uint32_t frame_count;       /* -g2: the calls that the item was in, as numbers of places, the innermost first */
    uint32_t frames[KILN_FRAMES];
} __attribute__((aligned(64)));

/* A record of no failure: the numbers of an item that there is not. */
#define KILN_RECORD {.group_id = {-1, -1, -1}, .local_id = {-1, -1, -1}}

/* Memory for the objects that a kernel makes: taken from the start on, and given back by who launched it. */
struct kiln_heap {
    uint64_t used;              /* 0 before the launch */
    uint64_t bytes;
    uint8_t *base;              /* aligned to 16 bytes */
};

/* What a running group sees. */
struct kiln_context {
    int64_t num_groups[3];      /* groups in each dimension, at least 1 */
    int64_t local_size[3];      /* items of a group in each dimension, at least 1 */
    int64_t group_id[3];        /* set by the entry */
    void *shared;               /* static shared memory of a group, aligned to 64 bytes, if the kernel has any */
    void *dynamic_shared;       /* dynamic shared memory of a group, aligned to 64 bytes, if the kernel uses it */
    struct kiln_record *record;
    void (*barrier)(struct kiln_context *);                             /* "item" entries only */
    void *scheduler;
    uint64_t (*warp_barrier)(struct kiln_context *, uint64_t mask, uint32_t place, uint32_t flags); /* likewise */
    /* Called when an item prints, with the operands of what it prints. Must be there for kernels that print. */
    void (*report)(struct kiln_context *, uint32_t site, const uint8_t *operands, uint64_t bytes);
    const void *reports;
    const void *stack_limit;    /* a function that calls itself fails below this address; null: there is no limit */
    struct kiln_heap *heap;     /* the same for all groups of a launch, if the kernel makes objects */
    int64_t dynamic_shared_bytes; /* the size of dynamic_shared */
    void *frames;               /* "frame_bytes" for each item of a group, aligned to 64 bytes; one for each thread */
};

#define KILN_KERNEL(name) \
    void name(struct kiln_context *context, const void *args, int64_t first, int64_t last)
#define KILN_FUNCTION(name) \
    uint32_t name(struct kiln_context *context, const void *args, void *result)

/* The context of a launch in one dimension, for a kernel without shared memory that neither prints nor makes objects. */
static inline struct kiln_context kiln_launch(int64_t groups, int64_t items, struct kiln_record *record) {
    struct kiln_context context = {{groups, 1, 1}, {items, 1, 1}, {0, 0, 0}, 0, 0, record, 0, 0, 0, 0, 0, 0, 0, 0};
    return context;
}

#ifdef __cplusplus
}
#endif

#endif
