# Random numbers: the generator xoshiro256++, uniform and normal numbers, choices, permutations.

abstract type AbstractRNG end
# `s0` to `s3` are the generator's state; `s4` is the state from which streams of tasks are split off.
mutable struct Xoshiro <: AbstractRNG
    s0::UInt64
    s1::UInt64
    s2::UInt64
    s3::UInt64
    s4::UInt64
    Xoshiro(s0::Integer, s1::Integer, s2::Integer, s3::Integer, s4::Integer) =
        new(s0 % UInt64, s1 % UInt64, s2 % UInt64, s3 % UInt64, s4 % UInt64)
    Xoshiro(s0::UInt64, s1::UInt64, s2::UInt64, s3::UInt64, s4::UInt64) = new(s0, s1, s2, s3, s4)
end
Xoshiro(s0::Integer, s1::Integer, s2::Integer, s3::Integer) =
    Xoshiro(s0, s1, s2, s3, split_state(s0 % UInt64, s1 % UInt64, s2 % UInt64, s3 % UInt64))
split_state(s0::UInt64, s1::UInt64, s2::UInt64, s3::UInt64) = s0 + 3 * s1 + 5 * s2 + 7 * s3
Xoshiro(seed::Integer) = seed!(Xoshiro(0, 0, 0, 0), seed)
Xoshiro() = Xoshiro(Host.random_seed())
struct TaskLocalRNG <: AbstractRNG end
struct RandomDevice <: AbstractRNG end

# The state comes from the seed through splitmix64, which gives no state of zeros.
function seed!(rng::Xoshiro, seed::Integer)
    z = seed % UInt64
    rng.s0, z = splitmix(z)
    rng.s1, z = splitmix(z)
    rng.s2, z = splitmix(z)
    rng.s3, z = splitmix(z)
    rng.s4 = split_state(rng.s0, rng.s1, rng.s2, rng.s3)
    rng
end
function splitmix(z::UInt64)
    z += 0x9e37_79b9_7f4a_7c15
    x = (z ⊻ (z >> 30)) * 0xbf58_476d_1ce4_e5b9
    x = (x ⊻ (x >> 27)) * 0x94d0_49bb_1331_11eb
    (x ⊻ (x >> 31), z)
end
seed!(rng::Xoshiro) = seed!(rng, Host.random_seed())
seed!(rng::Xoshiro, seeds::AbstractArray) = seed!(rng, foldl((h, s) -> h * 0x9e37_79b9_7f4a_7c15 + (s % UInt64), seeds; init = UInt64(1)))
copy(rng::Xoshiro) = Xoshiro(rng.s0, rng.s1, rng.s2, rng.s3, rng.s4)
function copy!(dest::Xoshiro, src::Xoshiro)
    dest.s0, dest.s1, dest.s2, dest.s3, dest.s4 = src.s0, src.s1, src.s2, src.s3, src.s4
    dest
end
==(a::Xoshiro, b::Xoshiro) = a.s0 == b.s0 && a.s1 == b.s1 && a.s2 == b.s2 && a.s3 == b.s3 && a.s4 == b.s4
hash(rng::Union{Xoshiro, TaskLocalRNG}, h::UInt) = (r = own_state(rng); hash((r.s0, r.s1, r.s2, r.s3, r.s4), h))
show(io::IO, rng::Xoshiro) = (print(io, "Xoshiro"); show(io, (rng.s0, rng.s1, rng.s2, rng.s3, rng.s4)))
show(io::IO, ::TaskLocalRNG) = print(io, "TaskLocalRNG()")

# A task's stream serves every call in it that names no generator. A new task's is split off from that of the task that makes
# it, which goes on as if it had made none: Julia's algorithm, so that equal states give the streams that Julia's tasks get. A
# linear congruential generator, `s4`, counts the tasks, and one of four variants of PCG-RXS-M-XS mixes it into each word of
# the state. The state of zeros is that of a stream that nothing has drawn from: the system seeds it at its first number.
is_unseeded(r::Xoshiro) = (r.s0 | r.s1 | r.s2 | r.s3) == 0x0000000000000000
function split_stream!(from::Xoshiro)
    is_unseeded(from) && return Xoshiro(from.s0, from.s1, from.s2, from.s3, from.s4)
    x = from.s4
    from.s4 = x * 0xd134_2543_de82_ef95 + 0x0000000000000001
    Xoshiro(
        mixed_word(from.s0, x ⊻ 0x214c_146c_88e4_7cb7, 0xaef1_7502_108e_f2d9),
        mixed_word(from.s1, x ⊻ 0xa66d_8cc2_1285_aafa, 0xf340_26ee_b867_66af),
        mixed_word(from.s2, x ⊻ 0x68c7_ef2d_7b1a_54d4, 0x38fd_70ad_58dd_9fbb),
        mixed_word(from.s3, x ⊻ 0xb053_a7d7_aa23_8c61, 0x6677_f9b9_3ab0_c04d),
        from.s4)
end
function mixed_word(c::UInt64, w::UInt64, multiplier::UInt64)
    c += w * (2 * c + 0x0000000000000001)
    c = c ⊻ (c >> ((c >> 59) + 0x0000000000000005))
    c *= multiplier
    c ⊻ (c >> 43)
end
# The generator of the task that runs.
function task_stream()
    r = SCHEDULER.running.stream
    is_unseeded(r) && seed!(r)
    r
end
own_state(rng::Xoshiro) = rng
own_state(::TaskLocalRNG) = task_stream()
copy!(dest::TaskLocalRNG, src::Union{Xoshiro, TaskLocalRNG}) = (copy!(SCHEDULER.running.stream, own_state(src)); dest)
copy!(dest::Xoshiro, src::TaskLocalRNG) = copy!(dest, task_stream())
==(a::Union{Xoshiro, TaskLocalRNG}, b::Union{Xoshiro, TaskLocalRNG}) = own_state(a) == own_state(b)
default_rng() = TaskLocalRNG()
default_rng(tid::Integer) = TaskLocalRNG()
seed!(::TaskLocalRNG, seed...) = (seed!(SCHEDULER.running.stream, seed...); TaskLocalRNG())
seed!(seed::Union{Integer, AbstractArray}) = seed!(TaskLocalRNG(), seed)
seed!() = seed!(TaskLocalRNG())
seed!(rng::AbstractRNG, ::Nothing) = seed!(rng)
seed!(rng::TaskLocalRNG, ::Nothing) = seed!(rng)
copy(::TaskLocalRNG) = copy(task_stream())

@inline rotate_left(x::UInt64, k) = (x << k) | (x >> (64 - k))
@inline function next_bits(rng::Xoshiro)
    s0, s1, s2, s3 = rng.s0, rng.s1, rng.s2, rng.s3
    bits = rotate_left(s0 + s3, 23) + s0
    t = s1 << 17
    s2 = s2 ⊻ s0
    s3 = s3 ⊻ s1
    rng.s1 = s1 ⊻ s2
    rng.s0 = s0 ⊻ s3
    rng.s2 = s2 ⊻ t
    rng.s3 = rotate_left(s3, 45)
    bits
end
@inline next_bits(::TaskLocalRNG) = next_bits(task_stream())
next_bits(::RandomDevice) = Host.random_seed()
# Other generators are asked for numbers of 64 bits.
next_bits(rng::AbstractRNG) = rand(rng, UInt64)

# One value of a type.
random_value(rng, ::Type{Float64}) = Float64(next_bits(rng) >> 11) * 1.1102230246251565e-16
random_value(rng, ::Type{Float32}) = Float32(next_bits(rng) >> 40) * 5.9604645f-8
random_value(rng, ::Type{Float16}) = Float16(Float32(next_bits(rng) >> 53) * 4.8828125f-4)
random_value(rng, ::Type{Bool}) = next_bits(rng) >> 63 != 0x0000000000000000
random_value(rng, ::Type{T}) where {T <: Union{Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64}} = next_bits(rng) % T
random_value(rng, ::Type{UInt128}) = (UInt128(next_bits(rng)) << 64) | UInt128(next_bits(rng))
random_value(rng, ::Type{Int128}) = random_value(rng, UInt128) % Int128
random_value(rng, ::Type{Complex{T}}) where {T} = Complex(random_value(rng, T), random_value(rng, T))
random_value(rng, ::Type{Complex}) = random_value(rng, ComplexF64)
random_value(rng, ::Type{T}) where {T <: Tuple} = ntuple(i -> random_value(rng, fieldtype(T, i)), fieldcount(T))::T
function random_value(rng, ::Type{Char})
    u = random_below(rng, 0x000000000010f800)
    Char((u < 0xd800 ? u : u + 0x800) % UInt32)
end

# A whole number below `n`, every one as likely: the high half of a product, drawn again in the part of the low half
# where some numbers would come once more often than others.
@inline function random_below(rng, n::UInt64)
    p = UInt128(next_bits(rng)) * UInt128(n)
    low = p % UInt64
    if low < n
        edge = (-n) % n
        while low < edge
            p = UInt128(next_bits(rng)) * UInt128(n)
            low = p % UInt64
        end
    end
    (p >> 64) % UInt64
end
@noinline throw_empty_choice() = throw(ArgumentError("collection must be non-empty"))
# One element of a collection.
function random_value(rng, r::AbstractUnitRange{T}) where {T <: Union{Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Bool}}
    isempty(r) && throw_empty_choice()
    n = (last(r) % UInt64) - (first(r) % UInt64) + 0x0000000000000001
    k = n == 0x0000000000000000 ? next_bits(rng) : random_below(rng, n)
    ((first(r) % UInt64) + k) % T
end
function random_value(rng, a::Union{AbstractArray, Tuple})
    isempty(a) && throw_empty_choice()
    a[firstindex(a) + (random_below(rng, length(a) % UInt64) % Int)]
end
random_value(rng, c::CartesianIndices) = (isempty(c) && throw_empty_choice(); c[1 + random_below(rng, length(c) % UInt64) % Int])
random_value(rng, p::Pair) = random_value(rng, Bool) ? p.first : p.second
random_value(rng, s::AbstractString) = random_value(rng, collect(s))
random_value(rng, d::Union{AbstractDict, AbstractSet}) = random_value(rng, collect(d))
# Types and objects of programs: by the method of `rand` that the program has for their sampler.
abstract type Sampler{E} end
struct SamplerType{T} <: Sampler{T} end
struct SamplerTrivial{T, E} <: Sampler{E}
    self::T
end
SamplerTrivial(x, ::Type{E} = gentype(typeof(x))) where {E} = SamplerTrivial{typeof(x), E}(x)
# The type of the values that `rand` of an object gives; packages add methods.
gentype(::Type{X}) where {X} = eltype(X)
gentype(x) = gentype(typeof(x))
gentype(::Type{<:Sampler{E}}) where {E} = E
getindex(s::SamplerTrivial) = s.self
random_value(rng, ::Type{T}) where {T} = rand(rng, SamplerType{T}())
random_value(rng, x) = rand(rng, SamplerTrivial(x))
rand(::AbstractRNG, ::SamplerType{T}) where {T} = throw_no_sampler(T)
rand(::AbstractRNG, s::SamplerTrivial) = throw_no_sampler(s[])
@noinline throw_no_sampler(x) = throw(ArgumentError(string("Sampler for this object is not defined: ", x)))
choice_eltype(::Type{T}) where {T} = T
choice_eltype(x) = eltype(x)
choice_eltype(t::Tuple) = promote_types_of_tuple(t)
promote_types_of_tuple(t::Tuple) = mapreduce(typeof, typejoin, t)

rand() = random_value(TaskLocalRNG(), Float64)
rand(x) = random_value(TaskLocalRNG(), x)
rand(rng::AbstractRNG) = random_value(rng, Float64)
rand(rng::AbstractRNG, x) = random_value(rng, x)
rand(rng::AbstractRNG, ::Type{T}) where {T} = random_value(rng, T)
rand(n::Integer, ns::Integer...) = random_array(TaskLocalRNG(), Float64, (n, ns...))
rand(rng::AbstractRNG, n::Integer, ns::Integer...) = random_array(rng, Float64, (n, ns...))
rand(x, n::Integer, ns::Integer...) = random_array(TaskLocalRNG(), x, (n, ns...))
rand(x, dims::Tuple{Vararg{Integer}}) = random_array(TaskLocalRNG(), x, dims)
rand(rng::AbstractRNG, x, n::Integer, ns::Integer...) = random_array(rng, x, (n, ns...))
rand(rng::AbstractRNG, x, dims::Tuple{Vararg{Integer}}) = random_array(rng, x, dims)
rand(rng::AbstractRNG, dims::Tuple{Vararg{Integer}}) = random_array(rng, Float64, dims)
random_array(rng, x, dims) = rand!(rng, Array{choice_eltype(x), length(dims)}(undef, map(Int, dims)), x)
rand!(a::AbstractArray) = rand!(TaskLocalRNG(), a)
rand!(a::AbstractArray, x) = rand!(TaskLocalRNG(), a, x)
rand!(rng::AbstractRNG, b::BitArray) = (rand!(rng, b.chunks); clear_tail!(b); b)
rand!(rng::AbstractRNG, a::AbstractArray{T}) where {T} = rand!(rng, a, T)
# The task's generator is looked up, and seeded, once for a whole array: its loop can then be compiled.
rand!(::TaskLocalRNG, a::AbstractArray, x) = rand!(task_stream(), a, x)
function rand!(rng::AbstractRNG, a::AbstractArray, x)
    for i in eachindex(a)
        a[i] = random_value(rng, x)
    end
    a
end

# Normal numbers by the polar method: a point in the unit circle, its distance stretched.
function random_normal(rng, ::Type{T}) where {T <: AbstractFloat}
    while true
        u = 2.0 * random_value(rng, Float64) - 1.0
        v = 2.0 * random_value(rng, Float64) - 1.0
        s = u * u + v * v
        0.0 < s < 1.0 && return T(u * sqrt(-2.0 * log(s) / s))
    end
end
random_normal(rng, ::Type{Complex{T}}) where {T} =
    Complex(random_normal(rng, T) * T(0.7071067811865476), random_normal(rng, T) * T(0.7071067811865476))
random_exponential(rng, ::Type{T}) where {T} = T(-log1p(-random_value(rng, Float64)))
for (f, f!, one) in ((:randn, :randn!, :random_normal), (:randexp, :randexp!, :random_exponential))
    @eval begin
        $f() = $one(TaskLocalRNG(), Float64)
        # Packages give `randn(rng, T)` methods for types of their own.
        $f(::Type{T}) where {T} = $f(TaskLocalRNG(), T)
        $f(rng::AbstractRNG) = $one(rng, Float64)
        $f(rng::AbstractRNG, ::Type{T}) where {T} = $one(rng, T)
        $f(n::Integer, ns::Integer...) = $f!(Array{Float64}(undef, Int(n), map(Int, ns)...))
        $f(dims::Tuple{Vararg{Integer}}) = $f!(Array{Float64}(undef, map(Int, dims)))
        $f(rng::AbstractRNG, n::Integer, ns::Integer...) = $f!(rng, Array{Float64}(undef, Int(n), map(Int, ns)...))
        $f(rng::AbstractRNG, dims::Tuple{Vararg{Integer}}) = $f!(rng, Array{Float64}(undef, map(Int, dims)))
        $f(::Type{T}, n::Integer, ns::Integer...) where {T} = $f!(Array{T}(undef, Int(n), map(Int, ns)...))
        $f(::Type{T}, dims::Tuple{Vararg{Integer}}) where {T} = $f!(Array{T}(undef, map(Int, dims)))
        $f(rng::AbstractRNG, ::Type{T}, n::Integer, ns::Integer...) where {T} = $f!(rng, Array{T}(undef, Int(n), map(Int, ns)...))
        $f(rng::AbstractRNG, ::Type{T}, dims::Tuple{Vararg{Integer}}) where {T} = $f!(rng, Array{T}(undef, map(Int, dims)))
        $f!(a::AbstractArray) = $f!(TaskLocalRNG(), a)
        function $f!(rng::AbstractRNG, a::AbstractArray{T}) where {T}
            rng isa TaskLocalRNG && return $f!(task_stream(), a)
            for i in eachindex(a)
                a[i] = $f(rng, T)
            end
            a
        end
    end
end

# Order at random.
shuffle!(a::AbstractArray) = shuffle!(TaskLocalRNG(), a)
function shuffle!(rng::AbstractRNG, a::AbstractArray)
    for i in length(a):-1:2
        j = 1 + (random_below(rng, i % UInt64) % Int)
        a[i], a[j] = a[j], a[i]
    end
    a
end
shuffle(a::AbstractArray) = shuffle!(TaskLocalRNG(), collect(a))
shuffle(rng::AbstractRNG, a::AbstractArray) = shuffle!(rng, collect(a))
randperm(n::Integer) = randperm(TaskLocalRNG(), n)
randperm(rng::AbstractRNG, n::Integer) = shuffle!(rng, collect(Base.OneTo(n)))
randperm!(a::AbstractArray) = randperm!(TaskLocalRNG(), a)
randperm!(rng::AbstractRNG, a::AbstractArray) = shuffle!(rng, copyto!(a, 1:length(a)))
randcycle(n::Integer) = randcycle(TaskLocalRNG(), n)
function randcycle(rng::AbstractRNG, n::Integer)
    order = randperm(rng, n)
    cycle = similar(order)
    for i in 1:n
        cycle[order[i]] = order[i == n ? 1 : i + 1]
    end
    cycle
end
function randsubseq(rng::AbstractRNG, a::AbstractArray, p::Real)
    out = eltype(a)[]
    for x in a
        random_value(rng, Float64) < p && push!(out, x)
    end
    out
end
randsubseq(a::AbstractArray, p::Real) = randsubseq(TaskLocalRNG(), a, p)
function randstring(rng::AbstractRNG, chars, n::Integer)
    io = IOBuffer()
    for _ in 1:n
        print(io, random_value(rng, chars))
    end
    String(take!(io))
end
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
randstring(rng::AbstractRNG, n::Integer = 8) = randstring(rng, ALPHANUMERIC, n)
randstring(n::Integer = 8) = randstring(TaskLocalRNG(), ALPHANUMERIC, n)
randstring(chars, n::Integer = 8) = randstring(TaskLocalRNG(), chars, n)
