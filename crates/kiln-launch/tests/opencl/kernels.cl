// What the tests run. `kernels.spvasm` is made of it, so that the tests need no compiler:
//   clang-22 -c -x cl -cl-std=CL2.0 -O2 --target=spirv64v1.2-unknown-unknown kernels.cl -o kernels.spv
//   spirv-dis --no-header kernels.spv -o kernels.spvasm

// An array as compiled kernels get it: by value, with an address in it.
typedef struct {
    ulong data;
    long dims[1];
    long length;
} array;

typedef struct {
    int site;
    int reserved;
    long group_id[3];
    long local_id[3];
    uchar operands[448];
} record;

kernel void saxpy(array y, float a, array x) {
    size_t i = get_global_id(0);
    if (i < y.length)
        ((global float *)y.data)[i] += a * ((global float *)x.data)[i];
}

// A pointer as it is.
kernel void scale(global float *y, float a) {
    y[get_global_id(0)] *= a;
}

// Sums a group's items through local memory: a tree of barriers.
kernel void sums(array out, array x, local float *scratch) {
    size_t lane = get_local_id(0), size = get_local_size(0);
    scratch[lane] = ((global float *)x.data)[get_global_id(0)];
    for (size_t width = size / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width)
            scratch[lane] += scratch[lane + width];
    }
    if (lane == 0)
        ((global float *)out.data)[get_group_id(0)] = scratch[0];
}

// Fails at site 7 where an element is negative, and leaves its index and the element; the others are rooted.
kernel void roots(global record *state, array x) {
    size_t i = get_global_id(0);
    global float *at = (global float *)x.data + i;
    if (*at < 0) {
        // The function of OpenCL 1.2: in modules of OpenCL C, Intel's driver has no other.
        if (atomic_cmpxchg(&state->site, 0, 7) == 0) {
            for (int d = 0; d < 3; d++) {
                state->group_id[d] = get_group_id(d);
                state->local_id[d] = get_local_id(d);
            }
            *(global long *)&state->operands[0] = i;
            *(global float *)&state->operands[8] = *at;
        }
        return;
    }
    *at = sqrt(*at);
}

// Takes time that a clock can tell.
kernel void spin(global uint *out, uint rounds) {
    uint x = get_global_id(0);
    for (uint i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    out[get_global_id(0)] = x;
}

// More static local memory than nothing.
kernel void keeps(global uint *out) {
    local uint kept[1024];
    kept[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = kept[get_local_size(0) - 1 - get_local_id(0)];
}

// Follows its pointer if there is one.
kernel void maybe(global uint *out) {
    if (out)
        *out = 1;
}
