/* Runs a kernel of AIR on this processor: a thread for each item of a group, one group after the other. The functions of AIR do
   here what Metal's language says of them. What is run is described by a file of 64-bit words. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 32
#define NAMED(name) __asm__(name)

/* Items that wait for each other; those that have returned are not waited for. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t change;
    int alive, here;
    unsigned turn;
};
static struct meeting of_group, of_lanes[64];
static uint64_t slots[64 * LANES];
static uint8_t present[64 * LANES];
static _Thread_local int item_number;
static _Thread_local unsigned attempts;

static void begin(struct meeting *it, int alive) {
    pthread_mutex_init(&it->lock, NULL);
    pthread_cond_init(&it->change, NULL);
    it->alive = alive, it->here = 0, it->turn = 0;
}
static void open_if_all(struct meeting *it) {
    if (it->here > 0 && it->here == it->alive) {
        it->here = 0, it->turn++;
        pthread_cond_broadcast(&it->change);
    }
}
static void meet(struct meeting *it) {
    pthread_mutex_lock(&it->lock);
    unsigned turn = it->turn;
    it->here++;
    open_if_all(it);
    while (turn == it->turn) pthread_cond_wait(&it->change, &it->lock);
    pthread_mutex_unlock(&it->lock);
}
static void leave(struct meeting *it) {
    pthread_mutex_lock(&it->lock);
    it->alive--;
    open_if_all(it);
    pthread_mutex_unlock(&it->lock);
}

void wg_barrier(uint32_t flags, uint32_t scope) NAMED("air.wg.barrier");
void wg_barrier(uint32_t flags, uint32_t scope) { meet(&of_group); }
void lanes_barrier(uint32_t flags, uint32_t scope) NAMED("air.simdgroup.barrier");
void lanes_barrier(uint32_t flags, uint32_t scope) { meet(&of_lanes[item_number / LANES]); }
void fence(uint32_t flags, uint32_t order, uint32_t scope) NAMED("air.atomic.fence");
void fence(uint32_t flags, uint32_t order, uint32_t scope) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* The value of the lane `source`, which all lanes that are there give. */
static uint64_t exchange(uint64_t value, int source, int is_inside) {
    struct meeting *lanes = &of_lanes[item_number / LANES];
    slots[item_number] = value;
    meet(lanes);
    uint64_t result = is_inside ? slots[item_number / LANES * LANES + (source & (LANES - 1))] : value;
    meet(lanes);
    return result;
}
#define LANE (item_number % LANES)
#define SHUFFLES(suffix, T)                                                                                                \
    T shuffle_##T(T v, uint16_t lane) NAMED("air.simd_shuffle." suffix);                                                   \
    T shuffle_##T(T v, uint16_t lane) { uint64_t b = 0; memcpy(&b, &v, sizeof v); b = exchange(b, lane, 1); memcpy(&v, &b, sizeof v); return v; } \
    T xor_##T(T v, uint16_t mask) NAMED("air.simd_shuffle_xor." suffix);                                                   \
    T xor_##T(T v, uint16_t mask) { return shuffle_##T(v, LANE ^ mask); }                                                  \
    T down_##T(T v, uint16_t d) NAMED("air.simd_shuffle_down." suffix);                                                    \
    T down_##T(T v, uint16_t d) { return shuffle_##T(v, LANE + d < LANES ? LANE + d : LANE); }                             \
    T up_##T(T v, uint16_t d) NAMED("air.simd_shuffle_up." suffix);                                                        \
    T up_##T(T v, uint16_t d) { return shuffle_##T(v, LANE >= d ? LANE - d : LANE); }
SHUFFLES("f32", float)
SHUFFLES("s.i32", int32_t)
SHUFFLES("u.i32", uint32_t)
SHUFFLES("s.i16", int16_t)
SHUFFLES("u.i16", uint16_t)
SHUFFLES("s.i8", int8_t)
SHUFFLES("u.i8", uint8_t)

uint64_t ballot(uint8_t predicate) NAMED("air.simd_ballot.i64");
uint64_t ballot(uint8_t predicate) {
    struct meeting *lanes = &of_lanes[item_number / LANES];
    int first = item_number / LANES * LANES;
    slots[item_number] = predicate & 1, present[item_number] = 1;
    meet(lanes);
    uint64_t votes = 0;
    for (int lane = 0; lane < LANES; lane++) votes |= (present[first + lane] ? slots[first + lane] & 1 : 0) << lane;
    meet(lanes);
    present[item_number] = 0;
    return votes;
}
uint8_t all_of(uint64_t votes) NAMED("air.simd_vote_all.i64");
uint8_t all_of(uint64_t votes) { return votes == ballot(1); }
uint8_t any_of(uint64_t votes) NAMED("air.simd_vote_any.i64");
uint8_t any_of(uint64_t votes) { return votes != 0; }

/* Atomic operations have no order: the host's have more. An exchange under a condition fails now and then for no reason. */
#define RELAXED uint32_t order, uint32_t scope, uint8_t is_volatile
#define FETCH(memory, op, sign, T, expression)                                                                             \
    T memory##_##op##_##sign(T *p, T v, RELAXED) NAMED("air.atomic." #memory "." #op "." #sign ".i32");                    \
    T memory##_##op##_##sign(T *p, T v, RELAXED) {                                                                         \
        T old = __atomic_load_n(p, __ATOMIC_SEQ_CST), new;                                                                 \
        do { new = (expression); } while (!__atomic_compare_exchange_n(p, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return old;                                                                                                        \
    }
#define FETCHES(memory)                                                                                                    \
    FETCH(memory, add, u, uint32_t, old + v) FETCH(memory, sub, u, uint32_t, old - v) FETCH(memory, and, u, uint32_t, old & v) \
    FETCH(memory, add, s, int32_t, old + v) FETCH(memory, sub, s, int32_t, old - v) FETCH(memory, and, s, int32_t, old & v) \
    FETCH(memory, or, u, uint32_t, old | v) FETCH(memory, xor, u, uint32_t, old ^ v)                                       \
    FETCH(memory, or, s, int32_t, old | v) FETCH(memory, xor, s, int32_t, old ^ v)                                         \
    FETCH(memory, min, u, uint32_t, old < v ? old : v) FETCH(memory, max, u, uint32_t, old > v ? old : v)                  \
    FETCH(memory, min, s, int32_t, old < v ? old : v) FETCH(memory, max, s, int32_t, old > v ? old : v)
#define ACCESSES(memory)                                                                                                   \
    uint32_t memory##_load(uint32_t *p, RELAXED) NAMED("air.atomic." #memory ".load.i32");                                 \
    uint32_t memory##_load(uint32_t *p, RELAXED) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }                          \
    void memory##_store(uint32_t *p, uint32_t v, RELAXED) NAMED("air.atomic." #memory ".store.i32");                       \
    void memory##_store(uint32_t *p, uint32_t v, RELAXED) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }                    \
    uint32_t memory##_swap(uint32_t *p, uint32_t v, RELAXED) NAMED("air.atomic." #memory ".xchg.i32");                     \
    uint32_t memory##_swap(uint32_t *p, uint32_t v, RELAXED) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }       \
    uint8_t memory##_weak(uint32_t *p, uint32_t *e, uint32_t v, uint32_t failure, RELAXED) NAMED("air.atomic." #memory ".cmpxchg.weak.i32"); \
    uint8_t memory##_weak(uint32_t *p, uint32_t *e, uint32_t v, uint32_t failure, RELAXED) {                               \
        if (++attempts % 3 == 0) { *e = __atomic_load_n(p, __ATOMIC_SEQ_CST); return 0; }                                  \
        return __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                \
    }
FETCHES(global) FETCHES(local) ACCESSES(global) ACCESSES(local)
#define FLOAT(op, sign)                                                                                                    \
    float float_##op(float *p, float v, RELAXED) NAMED("air.atomic.global." #op ".f32");                                   \
    float float_##op(float *p, float v, RELAXED) {                                                                         \
        uint32_t old = __atomic_load_n((uint32_t *)p, __ATOMIC_SEQ_CST), new;                                              \
        float f, g;                                                                                                        \
        do { memcpy(&f, &old, 4); g = f sign v; memcpy(&new, &g, 4); }                                                     \
        while (!__atomic_compare_exchange_n((uint32_t *)p, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));             \
        return f;                                                                                                          \
    }
FLOAT(add, +) FLOAT(sub, -)

#define MATH(name, f)                                                                                                      \
    float precise_##name(float x) NAMED("air." #name ".f32");                                                              \
    float precise_##name(float x) { return f(x); }                                                                         \
    float fast_##name(float x) NAMED("air.fast_" #name ".f32");                                                            \
    float fast_##name(float x) { return f(x); }
#define MATH2(name, f)                                                                                                     \
    float precise_##name(float x, float y) NAMED("air." #name ".f32");                                                     \
    float precise_##name(float x, float y) { return f(x, y); }                                                             \
    float fast_##name(float x, float y) NAMED("air.fast_" #name ".f32");                                                   \
    float fast_##name(float x, float y) { return f(x, y); }
static float exp10_of(float x) { return (float)pow(10.0, x); }
static float sinpi_of(float x) { return (float)sin(M_PI * fmod(x, 2.0)); }
static float cospi_of(float x) { return (float)cos(M_PI * fmod(x, 2.0)); }
static float tanpi_of(float x) { return (float)tan(M_PI * fmod(x, 1.0)); }
static float rsqrt_of(float x) { return 1.0f / sqrtf(x); }
MATH(sqrt, sqrtf) MATH(rsqrt, rsqrt_of) MATH(sin, sinf) MATH(cos, cosf) MATH(tan, tanf) MATH(asin, asinf) MATH(acos, acosf)
MATH(atan, atanf) MATH(sinh, sinhf) MATH(cosh, coshf) MATH(tanh, tanhf) MATH(asinh, asinhf) MATH(acosh, acoshf)
MATH(atanh, atanhf) MATH(sinpi, sinpi_of) MATH(cospi, cospi_of) MATH(tanpi, tanpi_of) MATH(exp, expf) MATH(exp2, exp2f)
MATH(exp10, exp10_of) MATH(log, logf) MATH(log2, log2f) MATH(log10, log10f) MATH(fabs, fabsf) MATH(floor, floorf)
MATH(ceil, ceilf) MATH(trunc, truncf) MATH(rint, rintf) MATH(round, roundf)
MATH2(pow, powf) MATH2(atan2, atan2f) MATH2(fmin, fminf) MATH2(fmax, fmaxf)
float fused(float x, float y, float z) NAMED("air.fma.f32");
float fused(float x, float y, float z) { return fmaf(x, y, z); }
float sine_and_cosine(float x, float *c) NAMED("air.sincos.f32");
float sine_and_cosine(float x, float *c) { *c = cosf(x); return sinf(x); }

#define INTEGER(bits)                                                                                                      \
    uint##bits##_t clz##bits(uint##bits##_t x, uint8_t p) NAMED("air.clz.i" #bits);                                        \
    uint##bits##_t clz##bits(uint##bits##_t x, uint8_t p) { return x ? __builtin_clzll(x) - (64 - bits) : bits; }          \
    uint##bits##_t ctz##bits(uint##bits##_t x, uint8_t p) NAMED("air.ctz.i" #bits);                                        \
    uint##bits##_t ctz##bits(uint##bits##_t x, uint8_t p) { return x ? __builtin_ctzll(x) : bits; }                        \
    uint##bits##_t ones##bits(uint##bits##_t x) NAMED("air.popcount.i" #bits);                                             \
    uint##bits##_t ones##bits(uint##bits##_t x) { return __builtin_popcountll(x); }                                        \
    uint##bits##_t turned##bits(uint##bits##_t x) NAMED("air.reverse_bits.i" #bits);                                       \
    uint##bits##_t turned##bits(uint##bits##_t x) { uint##bits##_t r = 0; for (int i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i); return r; } \
    int##bits##_t abs##bits(int##bits##_t x) NAMED("air.abs.s.i" #bits);                                                   \
    int##bits##_t abs##bits(int##bits##_t x) { return x < 0 ? 0 - (uint##bits##_t)x : x; }                                 \
    int##bits##_t least##bits(int##bits##_t x, int##bits##_t y) NAMED("air.min.s.i" #bits);                                \
    int##bits##_t least##bits(int##bits##_t x, int##bits##_t y) { return x < y ? x : y; }                                  \
    int##bits##_t most##bits(int##bits##_t x, int##bits##_t y) NAMED("air.max.s.i" #bits);                                 \
    int##bits##_t most##bits(int##bits##_t x, int##bits##_t y) { return x > y ? x : y; }                                   \
    uint##bits##_t uleast##bits(uint##bits##_t x, uint##bits##_t y) NAMED("air.min.u.i" #bits);                            \
    uint##bits##_t uleast##bits(uint##bits##_t x, uint##bits##_t y) { return x < y ? x : y; }                              \
    uint##bits##_t umost##bits(uint##bits##_t x, uint##bits##_t y) NAMED("air.max.u.i" #bits);                             \
    uint##bits##_t umost##bits(uint##bits##_t x, uint##bits##_t y) { return x > y ? x : y; }
INTEGER(8) INTEGER(16) INTEGER(32) INTEGER(64)

/* The kernel: addresses of its buffers in the order of its parameters, and what items ask, three numbers each, as `inputs` in the
   test's Rust file lists them. */
void kernel(void **buffers, uint32_t *items) NAMED("kiln.launch");

static void *buffers[64];
static uint64_t groups[3], items[3], group[3];

static void *item(void *number) {
    item_number = (int)(intptr_t)number;
    uint64_t at[3] = {item_number % items[0], item_number / items[0] % items[1], item_number / items[0] / items[1]};
    uint32_t asked[11][3];
    int count = (int)(items[0] * items[1] * items[2]);
    for (int d = 0; d < 3; d++) {
        asked[0][d] = at[d], asked[1][d] = group[d], asked[2][d] = items[d], asked[3][d] = groups[d];
        asked[4][d] = group[d] * items[d] + at[d], asked[5][d] = groups[d] * items[d];
        asked[6][d] = item_number, asked[7][d] = item_number % LANES, asked[8][d] = item_number / LANES;
        asked[9][d] = LANES, asked[10][d] = (count + LANES - 1) / LANES;
    }
    kernel(buffers, &asked[0][0]);
    leave(&of_lanes[item_number / LANES]);
    leave(&of_group);
    return NULL;
}

static void run_group(void) {
    int count = (int)(items[0] * items[1] * items[2]);
    pthread_t threads[1024];
    begin(&of_group, count);
    for (int first = 0; first < count; first += LANES) begin(&of_lanes[first / LANES], count - first < LANES ? count - first : LANES);
    memset(present, 0, sizeof present);
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, item, (void *)(intptr_t)i);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static uint64_t word(FILE *in) {
    uint64_t it;
    if (fread(&it, 8, 1, in) != 1) exit(2);
    return it;
}

/* Kinds of parameters in the file. */
enum { VALUE, ARRAY, STATE, SHARED };

int main(int argc, char **argv) {
    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
    if (!in || !out) return 2;
    for (int d = 0; d < 3; d++) groups[d] = word(in);
    for (int d = 0; d < 3; d++) items[d] = word(in);
    uint64_t count = word(in), sizes[64] = {0};
    void *contents[64] = {0};
    for (uint64_t p = 0; p < count; p++) {
        uint64_t kind = word(in), dims = word(in), size;
        uint64_t header[10];
        for (uint64_t d = 0; d < dims; d++) header[1 + d] = word(in);
        header[1 + dims] = word(in); /* the elements */
        size = word(in);
        char *memory = aligned_alloc(64, (size + 63 + 1) / 64 * 64 + 64);
        if (size > 0 && fread(memory, size, 1, in) != 1) return 2;
        contents[p] = memory, sizes[p] = size, buffers[p] = memory;
        if (kind == ARRAY) {
            header[0] = (uint64_t)memory;
            buffers[p] = malloc(sizeof header);
            memcpy(buffers[p], header, sizeof header);
        } else if (kind == STATE) {
            *(void **)(memory + 600) = aligned_alloc(64, 1 << 16), *(uint64_t *)(memory + 608) = 1 << 16;
        } else if (kind == VALUE) {
            sizes[p] = 0;
        } else if (kind == SHARED) {
            sizes[p] = 0;
        }
    }
    for (group[2] = 0; group[2] < groups[2]; group[2]++)
        for (group[1] = 0; group[1] < groups[1]; group[1]++)
            for (group[0] = 0; group[0] < groups[0]; group[0]++) run_group();
    for (uint64_t p = 0; p < count; p++)
        if (sizes[p] > 0) fwrite(contents[p], sizes[p], 1, out);
    return fclose(out);
}
