# Asynchronous copies, barriers in memory and prefetches, by CUDA's names (MISSION L): a processor copies at once, and items wait for
# each other. `tests/device/async.jl` asks for the instructions of GPUs.
using CUDA, Test

@testset "copies of a group" begin
    # Two batches; the first is waited for while the second may go on.
    function staged(to, from, n)
        block = CG.this_thread_block()
        stage = CuStaticSharedArray(eltype(from), 256)
        CG.memcpy_async(block, pointer(stage), pointer(from), n * sizeof(eltype(from)))
        CG.memcpy_async(block, pointer(stage, n + 1), pointer(from, n + 1), n * sizeof(eltype(from)))
        CG.wait_prior(block, 1)
        i = threadIdx().x
        to[i] = stage[i]
        CG.wait(block)
        to[i+n] = stage[i+n]
        return
    end
    for T in (UInt8, Int16, Float32, Float64, ComplexF64), n in (32, 37)
        from, to = CuArray(rand(T, 2n)), CUDA.zeros(T, 2n)
        @cuda threads = n staged(to, from, n)
        @test Array(to) == Array(from)
    end
    # Bytes of another type, with what is known of their alignment.
    function aligned(to, from)
        block = CG.this_thread_block()
        stage = CuStaticSharedArray(Float32, 32)
        CG.memcpy_async(block, CUDA.align{16}(pointer(stage)), CUDA.align{16}(pointer(from)), 128)
        CG.wait(block)
        to[threadIdx().x] = stage[threadIdx().x]
        return
    end
    from, to = CuArray(reinterpret(UInt8, Float32.(1:32)) |> collect), CUDA.zeros(Float32, 32)
    @cuda threads = 32 aligned(to, from)
    @test Array(to) == 1:32
end

@testset "copies of items" begin
    # As many batches ahead as there are stages.
    function ahead(to, from, rounds)
        stages = CuStaticSharedArray(eltype(from), (32, 4))
        i = threadIdx().x
        for k in 1:min(3, rounds)
            CG.pipeline_memcpy_async(pointer(stages, i + 32 * ((k - 1) % 4)), pointer(from, i + 32 * (k - 1)))
            CG.pipeline_commit()
        end
        for k in 1:rounds
            k + 3 <= rounds && CG.pipeline_memcpy_async(pointer(stages, i + 32 * ((k + 2) % 4)), pointer(from, i + 32 * (k + 2)))
            CG.pipeline_commit()
            CG.pipeline_wait_prior(3)
            sync_threads()
            @inbounds to[33-i+32*(k-1)] = stages[i, (k-1)%4+1]
            sync_threads()
        end
        return
    end
    for T in (Int32, Float64, NTuple{4,Float32}, NTuple{2,Float32})
        value(i) = T <: Tuple ? T(Float32(i + k) for k in 1:fieldcount(T)) : T(i)
        from = CuArray([value(i) for i in 1:320])
        to = CuArray([value(0) for i in 1:320])
        @cuda threads = 32 ahead(to, from, 10)
        @test Array(to) == vec(reverse(reshape(Array(from), 32, 10), dims = 1))
    end
    narrow(a) = (s = CuStaticSharedArray(Int16, 1); CG.pipeline_memcpy_async(pointer(s), pointer(a)); return)
    @test_throws "asynchronous copies are of 4, 8 or 16 bytes" @cuda narrow(CuArray(Int16[1]))
end

@testset "barriers in memory" begin
    # The first warp fills what the second reads, in turns.
    function turns(out, n)
        slots, bars = CuStaticSharedArray(Int32, 32), CuStaticSharedArray(UInt64, 2)
        full, free = pointer(bars, 1), pointer(bars, 2)
        if threadIdx().x == 1
            CUDA.mbarrier_init(full, 64)
            CUDA.mbarrier_init(free, 64)
        end
        sync_threads()
        i, fills, sum = (threadIdx().x - 1) % 32 + 1, threadIdx().x <= 32, Int32(0)
        for round in 1:n
            fills && (@inbounds slots[i] = Int32(round * i))
            CUDA.mbarrier_wait(full, CUDA.mbarrier_arrive(full))
            fills || (sum += @inbounds slots[33-i])
            CUDA.mbarrier_wait(free, CUDA.mbarrier_arrive(free))
        end
        fills || (@inbounds out[i] = sum)
        return
    end
    out = CUDA.zeros(Int32, 32)
    @cuda threads = 64 turns(out, 10)
    @test Array(out) == [55 * (33 - i) for i in 1:32]

    # Items that only arrive, and one that leaves: later phases are of three.
    function leaves(out)
        bar = pointer(CuStaticSharedArray(UInt64, 1))
        i = threadIdx().x
        i == 1 && CUDA.mbarrier_init(bar, blockDim().x)
        sync_threads()
        if i == 4
            CUDA.mbarrier_arrive_and_drop(bar)
            return
        end
        CUDA.mbarrier_wait(bar, CUDA.mbarrier_arrive(bar))
        token = CUDA.mbarrier_arrive(bar)
        while !CUDA.mbarrier_test_wait(bar, token)
        end
        @inbounds out[i] = CUDA.mbarrier_pending_count(token)
        return
    end
    out = CUDA.zeros(UInt32, 3)
    @cuda threads = 4 leaves(out)
    @test sort(Array(out)) == 1:3

    # A barrier that copies arrive at: no item waits for batches.
    function delivered(to, from)
        stage, bar = CuStaticSharedArray(Float64, 64), pointer(CuStaticSharedArray(UInt64, 1))
        i = threadIdx().x
        i == 1 && CUDA.mbarrier_init(bar, 64)
        sync_threads()
        CUDA.prefetch_l1(pointer(from, i))
        CUDA.prefetch_l2(pointer(from, i))
        CG.pipeline_memcpy_async(pointer(stage, i), pointer(from, i))
        CG.pipeline_arrive_on(bar)
        CUDA.mbarrier_wait(bar, CUDA.mbarrier_arrive(bar))
        @inbounds to[i] = stage[65-i]
        sync_threads()
        i == 1 && CUDA.mbarrier_inval(bar)
        return
    end
    from, to = CuArray(rand(64)), CUDA.zeros(Float64, 64)
    @cuda threads = 64 delivered(to, from)
    @test Array(to) == reverse(Array(from))
end

@testset "copies of many bytes" begin
    # One item asks for rows in turns; all wait for the bytes, by the parity of the phase, and the sums go back in a batch.
    function rows!(sums, from, rounds)
        rows, total = CuStaticSharedArray(Float32, (64, 2)), CuStaticSharedArray(Float32, 64)
        bars = CuStaticSharedArray(UInt64, 2)
        i = threadIdx().x
        if i == 1
            CUDA.mbarrier_init(pointer(bars, 1), 1)
            CUDA.mbarrier_init(pointer(bars, 2), 1)
            CUDA.fence_proxy_async()
        end
        sync_threads()
        sum = 0.0f0
        for round in 0:rounds-1
            slot, parity = round & 1, (round >> 1) & 1
            if i == 1
                CUDA.mbarrier_arrive_expect_tx(pointer(bars, slot + 1), 256)
                CUDA.cp_async_bulk(pointer(rows, 64slot + 1), pointer(from, 64round + 1), 256, pointer(bars, slot + 1))
            end
            CUDA.mbarrier_wait_parity(pointer(bars, slot + 1), parity)
            sum += @inbounds rows[65-i, slot+1]
            sync_threads()
        end
        @inbounds total[i] = sum
        CUDA.fence_proxy_async()
        sync_threads()
        if i == 1
            CUDA.cp_async_bulk(pointer(sums), pointer(total), 256)
            CUDA.cp_async_bulk_commit_group()
            CUDA.cp_async_bulk_wait_group_read(Val(0))
            CUDA.cp_async_bulk_wait_group(Val(0))
        end
        return
    end
    from, sums = CuArray(Float32.(reshape(1:320, 64, 5))), CUDA.zeros(Float32, 64)
    @cuda threads = 64 rows!(sums, from, 5)
    @test Array(sums) == vec(sum(reverse(Array(from), dims = 1), dims = 2))

    # A phase ends when all have arrived and all bytes have come, in any order.
    function orders!(over, from)
        stage, bar = CuStaticSharedArray(UInt64, 2), pointer(CuStaticSharedArray(UInt64, 1))
        CUDA.prefetch_l2(pointer(from), 16)
        CUDA.mbarrier_init(bar, 2)
        CUDA.fence_proxy_async()
        is_over() = CUDA.mbarrier_test_wait_parity(bar, 0)
        over[1] = is_over()
        CUDA.cp_async_bulk(pointer(stage), pointer(from), 16, bar) # before it is expected
        over[2] = is_over()
        CUDA.mbarrier_arrive(bar)
        CUDA.mbarrier_expect_tx(bar, 32)
        token = CUDA.mbarrier_arrive(bar)
        over[3] = is_over()
        CUDA.cp_async_bulk(pointer(stage), pointer(from), 16, bar)
        CUDA.mbarrier_wait_parity(bar, 0)
        over[4] = is_over()
        over[5] = CUDA.mbarrier_test_wait(bar, token)
        over[6] = CUDA.mbarrier_test_wait_parity(bar, 1)
        over[7] = stage[1] + stage[2] == 30
        return
    end
    over = CuArray(fill(true, 7))
    @cuda orders!(over, CuArray(UInt64[10, 20]))
    @test Array(over) == [false, false, false, true, true, false, true]
    # Expected last of all.
    function expected_last!(over, from)
        stage, bar = CuStaticSharedArray(UInt64, 2), pointer(CuStaticSharedArray(UInt64, 1))
        CUDA.mbarrier_init(bar, 1)
        CUDA.fence_proxy_async()
        CUDA.cp_async_bulk(pointer(stage), pointer(from), 16, bar)
        token = CUDA.mbarrier_arrive(bar)
        over[1] = CUDA.mbarrier_test_wait(bar, token)
        CUDA.mbarrier_expect_tx(bar, 16)
        CUDA.mbarrier_wait(bar, token)
        over[2] = CUDA.mbarrier_test_wait_parity(bar, 2)
        return
    end
    over = CuArray([true, false])
    @cuda expected_last!(over, CuArray(UInt64[10, 20]))
    @test Array(over) == [false, true]
end
