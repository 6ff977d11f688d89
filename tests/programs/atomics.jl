# Atomic operations: `Atomix`, `UnsafeAtomics` and CUDA's functions, on the host and in kernels, on numbers of every width and on
# small structs, with the orders that are written.
using CUDA, Test
using Atomix, UnsafeAtomics
using Atomix: @atomic, @atomicswap, @atomicreplace
const UA = UnsafeAtomics
const NUMBERS = (Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float16, Float32, Float64)

@testset "elements of arrays" begin
    a = ones(Int, 3)
    @test (@atomic a[1] += 1) == 2 && (@atomic a[1]) == 2
    @test (@atomicreplace a[begin+1] 1 => 42) == (old = 1, success = true)
    @test (@atomicreplace a[begin+1] 1 => 43) == (old = 42, success = false)
    pair = 42 => 44
    @test (@atomicreplace :acquire_release :monotonic a[2] pair).success && a[2] == 44
    @test (@inbounds @atomic :monotonic a[begin+1]) == 44
    @test (@atomicswap a[end] = 123) == 1 && a[3] == 123
    @test (@atomicswap :acquire a[end] = 5) == 123
    @test (@atomic a[1] max 7) == (2 => 7) && (@atomic min(a[1], 3)) == 3
    @test (@atomic :release a[1] = 9) == 9 && (@atomic :acquire_release a[1] -= 3) == 6
    b = [1.0 2.0; 3.0 4.0]
    @atomic b[end, begin] *= 2
    @test b == [1 2; 6 4]
    @test_throws BoundsError @atomic a[4] += 1
    ref = Atomix.IndexableRef(a, (2,))
    @test Atomix.modify!(ref, +, 1, Atomix.acquire) == (44 => 45) && Atomix.get(ref) == 45 && Atomix.swap!(ref, 0) == 45
end

@testset "pointers to $T" for T in NUMBERS
    xs = T[3, 5]
    p = pointer(xs)
    @test UA.load(p) === T(3)
    UA.store!(p, T(4), UA.release)
    @test UA.cas!(p, T(4), T(6)) === (old = T(4), success = true)
    @test UA.cas!(p, T(4), T(7), UA.acq_rel, UA.acquire) === (old = T(6), success = false)
    @test UA.modify!(p, +, T(1), UA.acq_rel) === (T(6) => T(7))
    @test UA.max!(p, T(9)) === T(7) && UA.min!(p, T(8), UA.monotonic, UA.device) === T(9)
    @test UA.xchg!(p, T(2), UA.acquire, UA.workgroup) === T(8) && UA.load(p, UA.acquire) === T(2)
    T <: Integer && @test UA.or!(p, T(5)) === T(2) && UA.nand!(p, T(3)) === T(7) && xs[1] === ~T(3)
    @test xs[2] === T(5)
end

function all_kinds!(a::AbstractArray{T}, c, flags) where {T}
    i = threadIdx().x
    CUDA.@atomic a[1] += one(T)
    CUDA.@atomic a[2] = max(a[2], T(i))
    CUDA.atomic_xchg!(pointer(a, 3), T(4))
    CUDA.atomic_cas!(pointer(a, 4), T(0), T(3))
    Atomix.@atomic a[5] *= T(1)
    UA.fmax!(pointer(a, 6), T(i), UA.acq_rel, UA.workgroup)
    Atomix.@atomic :release a[7] = T(7)
    (Atomix.@atomic :acquire a[8]) == T(0) && (Atomix.@atomicreplace a[8] T(0) => T(i))
    CUDA.atomic_inc!(pointer(a, 9), T(6))
    CUDA.atomic_dec!(pointer(a, 10), T(4))
    (Atomix.@atomicswap a[11] = T(i)) == T(99) && (a[1] = T(0))
    Atomix.@atomic c[1] += ComplexF32(1, 2)
    i % 2 == 0 && Atomix.@atomic flags[2] |= true
    UA.fence(UA.acq_rel)
    return
end
@testset "kernels on $T" for T in NUMBERS
    a, c, flags = CUDA.zeros(T, 12), CUDA.zeros(ComplexF32, 1), CuArray([false, false, false])
    @cuda threads = 64 all_kinds!(a, c, flags)
    b = Array(a)
    @test b[1:7] == [64, 64, 4, 3, 0, 64, 7] && b[8] in 1:64 && b[11] in 1:64 && b[12] == 0
    @test b[9:10] == [64 % 7, 1]
    @test Array(c) == [64 + 128im] && Array(flags) == [false, true, false]
end
