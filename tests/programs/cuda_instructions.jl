# Functions that GPUs have instructions for, by CUDA's names (MISSION L): what the processor computes is what the instructions are
# documented to do. `tests/device/instructions.jl` asks for the instructions.
using CUDA, Test

# `f(i)` for each item of a block.
function collect_items(f, T; items = 32)
    out = CuArray(zeros(T, items))
    kernel(out, f) = (i = Int(threadIdx().x); @inbounds out[i] = f(i); return)
    @cuda threads = items kernel(out, f)
    return Array(out)
end

@testset "shuffles" begin
    @test collect_items(i -> shfl_down_sync(FULL_MASK, i, 4), Int) == [5:32; 29:32]
    @test collect_items(i -> shfl_up_sync(FULL_MASK, i, 4), Int) == [1:4; 1:28]
    @test collect_items(i -> shfl_xor_sync(FULL_MASK, i, 5), Int) == [((i - 1) ⊻ 5) + 1 for i in 1:32]
    @test collect_items(i -> shfl_down_sync(FULL_MASK, i, 3, 8), Int) == [(i - 1) % 8 < 5 ? i + 3 : i for i in 1:32]
    @test collect_items(i -> shfl_up_sync(FULL_MASK, i, 3, 8), Int) == [(i - 1) % 8 >= 3 ? i - 3 : i for i in 1:32]
    # From a segment after one's own nothing is read, from one before it is.
    crossed(i, from = ((i - 1) ⊻ 12) + 1) = (from - 1) ÷ 8 <= (i - 1) ÷ 8 ? from : i
    @test collect_items(i -> shfl_xor_sync(FULL_MASK, i, 12, 8), Int) == crossed.(1:32)
    @test collect_items(i -> shfl_down_sync(FULL_MASK, i, 40), Int) == 1:32
    # Values of several words, and lanes that take no part.
    @test collect_items(i -> shfl_down_sync(FULL_MASK, (i, 2.0i), 1)[2], Float64) == [4:2:64; 64]
    @test collect_items(i -> i <= 16 ? shfl_down_sync(0x0000ffff, i, 1) : 0, Int) == [2:16; 16; zeros(Int, 16)]
end

@testset "votes" begin
    @test collect_items(i -> vote_all_sync(FULL_MASK, i > 0), Bool) == trues(32)
    @test collect_items(i -> vote_all_sync(FULL_MASK, i > 1), Bool) == falses(32)
    @test collect_items(i -> vote_any_sync(FULL_MASK, i == 7), Bool) == trues(32)
    @test collect_items(i -> vote_any_sync(FULL_MASK, i == 77), Bool) == falses(32)
    @test collect_items(i -> vote_uni_sync(FULL_MASK, i > 0) & vote_uni_sync(FULL_MASK, i < 0) & !vote_uni_sync(FULL_MASK, i == 3), Bool) == trues(32)
    @test collect_items(i -> vote_ballot_sync(FULL_MASK, isodd(i)), UInt32) == fill(0x55555555, 32)
end

@testset "lanes with the same value" begin
    @test collect_items(i -> CUDA.match_any_sync(FULL_MASK, Int32(i % 4)), UInt32) == [0x88888888 >> (3 - (i - 1) % 4) for i in 1:32]
    @test collect_items(i -> CUDA.match_any_sync(FULL_MASK, Float64(i ÷ 17)), UInt32) == [fill(0x0000ffff, 16); fill(0xffff0000, 16)]
    @test collect_items(i -> CUDA.match_all_sync(FULL_MASK, Int64(5)), UInt32) == fill(0xffffffff, 32)
    @test collect_items(i -> CUDA.match_all_sync(FULL_MASK, UInt32(i ÷ 32)), UInt32) == zeros(UInt32, 32)
    @test collect_items(i -> i <= 8 ? CUDA.match_any_sync(0x000000ff, Int32(1)) : 0x00000000, UInt32) == [fill(0x000000ff, 8); zeros(UInt32, 24)]
end

@testset "reductions" begin
    x(i) = Int32(7i % 19 - 9)
    xs = x.(1:32)
    for (f, op) in ((CUDA.reduce_add_sync, +), (CUDA.reduce_min_sync, min), (CUDA.reduce_max_sync, max), (CUDA.reduce_and_sync, &),
        (CUDA.reduce_or_sync, |), (CUDA.reduce_xor_sync, xor))
        @test collect_items(i -> f(FULL_MASK, x(i)), Int32) == fill(reduce(op, xs), 32)
        @test collect_items(i -> f(FULL_MASK, x(i) % UInt32), UInt32) == fill(reduce(op, xs .% UInt32), 32)
        @test collect_items(i -> isodd(i) ? f(0x55555555, x(i)) : Int32(0), Int32)[1] == reduce(op, xs[1:2:end])
    end
    # Without an instruction anywhere: of other types.
    @test collect_items(i -> CUDA.reduce_max_sync(FULL_MASK, Float32(x(i))), Float32) == fill(Float32(maximum(xs)), 32)
end

@testset "barriers that count" begin
    @test collect_items(i -> sync_threads_count(i > 40), Int32; items = 100) == fill(60, 100)
    @test collect_items(i -> sync_threads_and(i > 0), Bool; items = 100) == trues(100)
    @test collect_items(i -> sync_threads_and(i > 1), Bool; items = 100) == falses(100)
    @test collect_items(i -> sync_threads_or(i == 77), Bool; items = 100) == trues(100)
    @test collect_items(i -> sync_threads_or(i == 0), Bool; items = 100) == falses(100)
end

@testset "bytes and words" begin
    a, b = Int32(0x01fe7f80 % Int32), Int32(0x02ff7f80 % Int32)
    bytes(x) = reinterpret(Int8, [x])
    unsigned_bytes(x) = reinterpret(UInt8, [x])
    @test collect_items(i -> CUDA.dp4a(a, b, Int32(i)), Int32)[3] == 3 + sum(Int32.(bytes(a)) .* Int32.(bytes(b)))
    @test collect_items(i -> CUDA.dp4a(a % UInt32, b % UInt32, UInt32(i)), UInt32)[3] == 3 + sum(Int32.(unsigned_bytes(a)) .* Int32.(unsigned_bytes(b)))
    @test collect_items(i -> CUDA.dp4a(a, b % UInt32, Int32(0)), Int32)[1] == sum(Int32.(bytes(a)) .* Int32.(unsigned_bytes(b)))
    @test collect_items(i -> CUDA.byte_perm(0x33221100, 0x77665544, 0x00007531), Int32)[1] % UInt32 == 0x77553311
    @test collect_items(i -> CUDA.byte_perm(0x000080ff, 0x00000000, 0x0000ba98), Int32)[1] % UInt32 == 0x0000ffff
    @test collect_items(i -> CUDA.mul64hi(typemax(UInt64), UInt64(i)), UInt64) == 0:31
    @test collect_items(i -> CUDA.mul64hi(Int64(-1), Int64(i)), Int64) == fill(-1, 32)
    @test collect_items(i -> CUDA.rsqrt(Float32(i)), Float32) ≈ 1 ./ sqrt.(1:32)
    @test isnan(collect_items(i -> CUDA.rsqrt(-Float32(i)), Float32)[1]) && collect_items(i -> CUDA.rsqrt(4.0), Float64)[1] === 0.5
end

@testset "counters" begin
    # 100 items count to 6, and from 6 to 0: what is left are remainders of 7.
    counts(out) = (CUDA.atomic_inc!(pointer(out), out[3]); CUDA.atomic_dec!(pointer(out, 2), out[3]); return)
    for T in (UInt32, Int32)
        out = CuArray(T[0, 0, 6])
        @cuda threads = 100 counts(out)
        @test Array(out) == [100 % 7, 7 - 100 % 7, 6]
    end
    function halves(out, x)
        CUDA.@atomic out[1] += x
        CUDA.atomic_add!(pointer(out, 2), x)
        return
    end
    out = CuArray(zeros(Float16, 2))
    @cuda threads = 64 halves(out, Float16(0.5))
    @test Array(out) == [32, 32]
end

@testset "caches" begin
    function copies(y, x)
        i = threadIdx().x
        p, q = pointer(x, i), pointer(y, i)
        CUDA.stcs(q, CUDA.ldcs(p) + CUDA.ldca(p) + CUDA.ldcg(p) + CUDA.ldlu(p) + CUDA.ldcv(p))
        CUDA.stwb(q, CUDA.ldcg(q))
        CUDA.stcg(q, CUDA.ldcv(q))
        CUDA.stwt(q, CUDA.ldcv(q))
        return
    end
    for T in (Int32, Float32, Float64, UInt8)
        x, y = CuArray(T.(1:32)), CuArray(zeros(T, 32))
        @cuda threads = 32 copies(y, x)
        @test Array(y) == T.(5 .* (1:32))
    end
end

@testset "approximate functions" begin
    for f in (x -> @fastmath(sin(x)), x -> @fastmath(cos(x)), x -> @fastmath(tan(x)), x -> @fastmath(exp(x)), x -> @fastmath(exp2(x)),
        x -> @fastmath(exp10(x)), x -> @fastmath(log(x)), x -> @fastmath(log2(x)), x -> @fastmath(log10(x)), x -> @fastmath(tanh(x)),
        x -> @fastmath(x^1.5f0))

        xs = Float32.((1:32) ./ 32)
        @test isapprox(collect_items(i -> f(i / 32.0f0), Float32), f.(Float64.(xs)); rtol = 1e-3, atol = 1e-6)
    end
end
