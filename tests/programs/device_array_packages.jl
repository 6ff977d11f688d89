# Arrays of packages beside kiln's own: the types that they are made of, and the functions of Base and LinearAlgebra for which they
# define methods, which are the ones that operations on their arrays go through.
using CUDA, Adapt, KernelAbstractions, LinearAlgebra, Random, Serialization, Statistics, Test
using GPUArraysCore

# Elements in an array of the host, which nothing may touch one by one.
struct Kept{T,N} <: AbstractGPUArray{T,N}
    data::Array{T,N}
end
const CALLS = Symbol[]
called(f) = (push!(CALLS, f); nothing)
calls(f) = (empty!(CALLS); f(); copy(CALLS))
Base.size(a::Kept) = size(a.data)
Base.getindex(a::Kept, i::Int) = (assertscalar("getindex"); a.data[i])
Base.setindex!(a::Kept, x, i::Int) = (assertscalar("setindex!"); a.data[i] = x; a)
Base.similar(a::Kept, ::Type{T}, dims::Dims) where {T} = Kept(Array{T}(undef, dims))
Base.copy(a::Kept) = Kept(copy(a.data))
Adapt.adapt_storage(::Type{Array}, a::Kept) = a.data
const AnyKept{T,N} = Union{Kept{T,N},WrappedArray{T,N,Kept,Kept{T,N}}}
host(a) = adapt(Array, a)
Base.mapreduce(f, op, a::AnyGPUArray{<:Any,N}; kw...) where {N} = (called(:mapreduce); mapreduce(f, op, host(a); kw...))
Base.mapreducedim!(f, op, out::AnyKept, a::AbstractArray) = (called(:mapreducedim); Base.mapreducedim!(f, op, host(out), host(a)); out)
Base.map!(f, out::AnyKept, a::AbstractArray) = (called(:map); map!(f, host(out), host(a)); out)
Base._unsafe_getindex!(out::Kept, a::AbstractArray, I...) = (called(:getindex); Base._unsafe_getindex!(out.data, host(a), I...); out)
Base._unsafe_setindex!(::IndexStyle, a::AnyKept, x, I...) = (called(:setindex); Base._unsafe_setindex!(IndexLinear(), host(a), x, I...); a)
Base._RepeatInnerOuter.repeat_inner(a::AnyKept{<:Any,N}, n::NTuple{N}) where {N} = (called(:inner); Kept(repeat(host(a); inner = n)))
Base._RepeatInnerOuter.repeat_outer(a::AnyKept{<:Any,N}, n::NTuple{N}) where {N} = (called(:outer); Kept(repeat(host(a); outer = n)))
Base.PermutedDimsArrays._copy!(p::PermutedDimsArray{T,N,<:Any,<:Any,<:Kept}, a) where {T,N} =
    (called(:permute); Base.PermutedDimsArrays._copy!(host(p), host(a)); p)
for f in (:generic_matmatmul!, :generic_matvecmul!)
    turned = f === :generic_matmatmul! ? (:ta, :tb) : (:ta,)
    factors = f === :generic_matmatmul! ? :(LinearAlgebra.wrap(host(a), ta), LinearAlgebra.wrap(host(b), tb)) :
        :(LinearAlgebra.wrap(host(a), ta), host(b))
    @eval LinearAlgebra.$f(c::Kept, $(turned...), a::Kept, b::Kept, alpha::Number, beta::Number) =
        (called(:mul); mul!(c.data, $factors..., alpha, beta); c)
end
for (f, call) in ((:generic_trimatmul!, :(f(t(a)) * host(b))), (:generic_mattrimul!, :(host(a) * f(t(b)))),
                  (:generic_trimatdiv!, :(f(t(a)) \ host(b))), (:generic_mattridiv!, :(host(a) / f(t(b)))))
    @eval function LinearAlgebra.$f(c::Kept, uplo, unit, f::Function, a::Kept, b::Kept)
        called($(QuoteNode(f)))
        t(x) = LinearAlgebra.triangle_of(host(x), uplo, unit)
        copyto!(c.data, $call)
        return c
    end
end
Serialization.serialize(s::AbstractSerializer, a::Kept) = (Serialization.serialize_type(s, typeof(a)); serialize(s, a.data))
Serialization.deserialize(s::AbstractSerializer, ::Type{T}) where {T<:Kept} = T(deserialize(s))

a, m = Kept([1.0, 2, 3]), Kept([4.0 1; 2 3])
@testset "types" begin
    @test Kept{Int,2} <: AnyGPUArray{Int,2} <: AnyGPUArray && !(Kept{Int,1} <: AnyGPUArray{<:Any,2})
    @test m' isa AnyGPUMatrix{Float64} && view(m, :, 1) isa AnyGPUVector && !(view([1 2], :, 1) isa AnyGPUArray)
    @test UpperTriangular(m) isa WrappedGPUArray{Float64,2} && reshape(view(m, :, :), 4) isa WrappedGPUArray{Float64,1}
    @test CuArray([1 2]) isa AnyGPUArray{Int,2} && view(CuArray([1 2]), 1, [1]) isa AnyGPUArray{Int,1}
    @test Adapt.parent_type(typeof(m')) == Kept{Float64,2} && Adapt.unwrap_type(typeof(view(m', 1:2, 1))) == Kept{Float64,2}
    @test adapt(Array, UpperTriangular(m)) == [4 1; 0 3] && adapt(Array)(Symmetric(m, :L)) == [4 2; 2 3]
    @test adapt(Array, Tridiagonal(Kept([1]), Kept([2, 3]), Kept([4]))) == [2 4; 1 3] && adapt(Array, Diagonal(a)).diag === a.data
    @test_throws "Scalar indexing is disallowed" a[1]
    @test GPUArraysCore.@allowscalar(a[1]) == 1
end
@testset "operations end in methods of packages" begin
    @test calls(() -> @test (sum(a), maximum(-, a), extrema(a), reduce(*, a)) == (6, -1, (1, 3), 6)) == fill(:mapreduce, 4)
    @test calls(() -> @test sum(m; dims = 1) == [6 4] && prod(m'; dims = 2, init = 2.0) == reshape([16, 6], 2, 1)) == fill(:mapreduce, 2)
    @test calls(() -> @test maximum!(Kept(zeros(2)), m).data == [4, 3]) == [:map, :mapreducedim]
    @test calls(() -> @test host(m[:, [2]]) == [1; 3;;] && host(a[a.data .> 1]) == [2, 3]) == fill(:getindex, 2)
    @test calls(() -> (b = copy(a); b[2:3] = [7, 8]; view(b, 1:1)[:] = [9]; @test b.data == [9, 7, 8])) == fill(:setindex, 2)
    @test calls(() -> @test host(repeat(a; inner = 2, outer = 3)) == repeat(a.data; inner = 2, outer = 3)) == [:inner, :outer]
    @test calls(() -> @test host(permutedims(m)) == m.data' && host(permutedims(m, (2, 1))) == m.data') == fill(:permute, 2)
    @test calls(() -> @test host(m * m) == m.data^2 && host(m' * Kept([1.0, 2])) == m.data' * [1, 2]) == fill(:mul, 2)
    c = Kept(ones(2, 2))
    mul!(c, m', Symmetric(m), 2, 3)
    @test c.data == 2 * m.data' * Symmetric(m.data) .+ 3
    for T in (UpperTriangular, LowerTriangular, UnitUpperTriangular, UnitLowerTriangular), f in (identity, transpose, adjoint)
        t, h = f(T(m)), f(T(m.data))
        @test calls(() -> @test host(t * m) ≈ h * m.data && host(t * Kept([1.0, 2])) ≈ h * [1, 2]) == fill(:generic_trimatmul!, 2)
        @test calls(() -> @test host(m * t) ≈ m.data * h) == [:generic_mattrimul!]
        @test calls(() -> @test host(t \ m) ≈ h \ m.data && host(ldiv!(t, copy(m))) ≈ h \ m.data) == fill(:generic_trimatdiv!, 2)
        @test calls(() -> @test host(m / t) ≈ m.data / h && host(rdiv!(copy(m), t)) ≈ m.data / h) == fill(:generic_mattridiv!, 2)
    end
    io = IOBuffer()
    serialize(io, [a, a])
    @test all(x -> x isa Kept && x.data == a.data, deserialize(seekstart(io)))
end
# A back end whose kernels run on the processor, with arrays in its memory.
struct OnHost <: KernelAbstractions.GPU end
struct ToHost end
Adapt.adapt_storage(::ToHost, a::Kept) = adapt(KernelAbstractions.POCL.KernelAdaptor([pointer(a.data)]), a.data)
KernelAbstractions.get_backend(::Kept) = OnHost()
function (k::KernelAbstractions.Kernel{OnHost,W,N,F})(args...; ndrange = nothing, workgroupsize = nothing) where {W,N,F}
    range, size, space, check = KernelAbstractions.launch_config(k, ndrange, workgroupsize)
    @test length(KernelAbstractions.blocks(space)) == cld(range[1], size[1]) && length(KernelAbstractions.workitems(space)) == size[1]
    @test (check isa KernelAbstractions.NDIteration.NoDynamicCheck) == (range[1] % size[1] == 0)
    processor = KernelAbstractions.Kernel{CPU,W,N,F}(CPU(), k.f)
    processor(map(x -> adapt(ToHost(), x), args)...; ndrange = range, workgroupsize = size)
end
@kernel function scaled!(out, @Const(x), s)
    i = @index(Global)
    @inbounds out[i] = s * x[i]
end
@testset "back ends of packages" begin
    out = Kept(zeros(3))
    scaled!(get_backend(out))(out, a, 2; ndrange = 3)
    scaled!(get_backend(out), 2)(out, Kept(copy(out.data)), 3; ndrange = 3)
    @test out.data == [6, 12, 18]
end
@testset "dialects' arrays, by kernels: $by_kernels" for by_kernels in (false, true)
    CUDA.GPUArraysCore.BY_KERNELS[] = by_kernels
    h = Float32[1 2 3; 4 5 6; 7 8 9]
    c = CuArray(h)
    # Contiguous elements are an array, also where only the lengths of ranges say so.
    @test view(c, 1:1, 1:1) isa CuArray && view(c, 1:3, 2:3) isa CuArray && view(c, 2:3, 2) isa CuArray && view(c, 2, 2:2) isa CuArray
    @test !(view(c, 1:2, 1:2) isa CuArray) && !(view(c, 2, 2:3) isa CuArray)
    @test Array(view(c, 1:3, 2:3)) == h[:, 2:3] && Array(view(c, 1:2, 2:3)) == h[1:2, 2:3] && Array(view(c, 2, 2:3)) == h[2, 2:3]
    # Indices are where the array is.
    @test parentindices(view(c, [1, 3], :))[1] isa CuArray && Array(view(c, [3, 1], :) .+ 1) == h[[3, 1], :] .+ 1
    @test Array(c[[], :]) == h[Int[], :]
    # Through three wrappers.
    q = view(c, 1:2:3, :)
    q[:] = fill(0.0f0, 6)
    @test Array(c) == [0 0 0; 4 5 6; 0 0 0]
    # Of no dimension.
    z = CuArray(fill(2.0f0))
    @test z .+ 1 === 3.0f0 && z / 2 isa CuArray{Float32,0} && Array(z / 2)[] == 1
    @test CuArray{Int,1}() isa CuVector{Int} && size(CuArray{Int,2}(undef, (Int32(2), 3))) == (2, 3)
end
@testset "statistics and linear algebra of the host" begin
    x = [1.0 2; 3 5; 6 1]
    @test cov(x) ≈ [cov(x[:, i], x[:, j]) for i in 1:2, j in 1:2] && cor(x)[1, 2] ≈ cor(x[:, 1], x[:, 2]) && cor(x; dims = 2)[1, 3] ≈ -1
    @test diag(x) == [1, 5] && diag(x, -1) == [3, 1] && kron([1, 2], [1 2]) == [1 2; 2 4] && Matrix{Int}(I, (2, 3)) == [1 0 0; 0 1 0]
    @test opnorm(zeros(0, 0), 1) == 0 && istriu([1 0; 2 3]') && std(i for i in 1:3) == 1
    @test Base.promote_op(tuple, Int, Float64) == Tuple{Int,Float64}
end
