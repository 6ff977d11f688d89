// What the tests run. `kernels.ptx` is made of it, so that the tests need no compiler:
//   clang-22 -O2 -S --target=nvptx64-nvidia-cuda -march=sm_75 -Xclang -target-feature -Xclang +ptx80 kernels.c

typedef struct { float *data; unsigned long length; } array;
typedef struct { int site, reserved; long group_id[3], local_id[3]; unsigned char operands[448]; } record;
#define KERNEL __attribute__((nvptx_kernel))
KERNEL void saxpy(array y, float a, array x) {
    unsigned long i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
    if (i < y.length) y.data[i] = __builtin_fmaf(a, x.data[i], y.data[i]);
}
KERNEL void roots(record *state, array x) {
    unsigned long i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
    if (x.data[i] < 0) {
        int none = 0;
        if (__atomic_compare_exchange_n(&state->site, &none, 7, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            state->group_id[0] = __nvvm_read_ptx_sreg_ctaid_x(); state->group_id[1] = 0; state->group_id[2] = 0;
            state->local_id[0] = __nvvm_read_ptx_sreg_tid_x(); state->local_id[1] = 0; state->local_id[2] = 0;
            *(long *)&state->operands[0] = i;
        }
        return;
    }
    x.data[i] = __nvvm_sqrt_rn_f(x.data[i]);
}
