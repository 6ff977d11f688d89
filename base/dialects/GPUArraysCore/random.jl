# Random numbers. On a device each element is drawn by an item of its own, from a sequence that follows from a seed, which the generator
# gives, and the item's number. On the processor the generator draws one element after the other.

# Of numbers drawn for arrays of devices: seeding it leaves the host's generator alone, and the other way round.
const RNG = Random.Xoshiro(0, 0, 0, 0)
function rng()
    RNG.s0 | RNG.s1 | RNG.s2 | RNG.s3 == 0x0000000000000000 && Base.seed!(RNG)
    return RNG
end

struct Uniform{X} <: Function
    x::X
end
struct UniformOf{T} <: Function end
@inline (u::Uniform)(g) = Base.random_value(g, u.x)
@inline (::UniformOf{T})(g) where {T} = Base.random_value(g, T)
struct DrawnBy{F,T} <: Function
    f::F
end
@inline (d::DrawnBy{F,T})(g) where {F,T} = d.f(g, T)
Adapt.adapt_structure(to, u::Uniform) = Uniform(Adapt.adapt(to, u.x))
uniform(x) = Uniform(x)
uniform(::Type{T}) where {T} = UniformOf{T}()

function draw(a, draws, seed::UInt64, n::Int)
    Base.seed!(Base.TaskLocalRNG(), seed)
    i = item()
    i <= n && @inbounds a[i] = draws(Base.TaskLocalRNG())
    return
end
# A launch of a kernel with random numbers draws a seed from the host's generator; these items are seeded, and the host's numbers go on
# as if nothing had been launched.
function drawn!(g, a, draws)
    seed = Base.next_bits(g)
    host = copy(Base.TaskLocalRNG())
    launch_each(owner(a), draw, length(a), (a, draws, seed, length(a)))
    copy!(Base.TaskLocalRNG(), host)
    return a
end
for R in (Random.AbstractRNG, Base.TaskLocalRNG), A in (DialectArray, WrappedDialectArray)
    for f in (:randn!, :randexp!)
        by = Symbol(chop(string(f)))
        @eval Base.$f(rng::$R, a::$A) =
            uses_kernels() ? drawn!(rng, a, DrawnBy{typeof(Base.$by),eltype(a)}(Base.$by)) : (Base.$f(rng, on_host(a)); a)
    end
    @eval Base.rand!(rng::$R, a::$A) = uses_kernels() ? drawn!(rng, a, uniform(eltype(a))) : (Base.rand!(rng, on_host(a)); a)
    @eval Base.rand!(rng::$R, a::$A, x) = uses_kernels() ? drawn!(rng, a, uniform(x)) : (Base.rand!(rng, on_host(a), x); a)
end
for f in (:rand!, :randn!, :randexp!)
    @eval Base.$f(a::AnyDialectArray) = Base.$f(rng(), a)
end
Base.rand!(a::AnyDialectArray, x) = Base.rand!(rng(), a, x)
