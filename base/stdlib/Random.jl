# Random numbers under their package's name; Base holds the implementation, as it exports `rand` and `randn`.
module Random

import Base: rand, randn, rand!, randn!, randexp, randexp!, seed!, default_rng, shuffle, shuffle!, randperm, randperm!,
    randcycle, randsubseq, randstring, AbstractRNG, Xoshiro, TaskLocalRNG, RandomDevice, Sampler, SamplerType, SamplerTrivial, gentype

export rand, randn, rand!, randn!, randexp, randexp!, shuffle, shuffle!, randperm, randperm!, randcycle, randsubseq,
    randstring, AbstractRNG, Xoshiro, MersenneTwister, TaskLocalRNG, RandomDevice, default_rng, bitrand

# A generator of its own type; its numbers are not those of Julia's, and those of no version have to be.
mutable struct MersenneTwister <: AbstractRNG
    generator::Xoshiro
    MersenneTwister(generator::Xoshiro) = new(generator)
    MersenneTwister(seed = nothing) = seed!(new(Xoshiro(0, 0, 0, 0)), seed)
end
seed!(rng::MersenneTwister, seed::Union{Integer, AbstractArray}) = (seed!(rng.generator, seed); rng)
seed!(rng::MersenneTwister) = (seed!(rng.generator); rng)
rand(rng::MersenneTwister, ::Type{UInt64}) = rand(rng.generator, UInt64)
Base.next_bits(rng::MersenneTwister) = Base.next_bits(rng.generator)
Base.copy(rng::MersenneTwister) = MersenneTwister(copy(rng.generator))
Base.:(==)(a::MersenneTwister, b::MersenneTwister) = a.generator == b.generator
Base.show(io::IO, ::MersenneTwister) = print(io, "MersenneTwister()")
# The type of number that floats are made of. Generators of packages say theirs.
rng_native_52(::AbstractRNG) = UInt64
const GLOBAL_RNG = TaskLocalRNG()
bitrand(dims::Integer...) = rand!(BitArray(undef, dims...))
bitrand(dims::Tuple{Vararg{Integer}}) = rand!(BitArray(undef, dims))
bitrand(rng::AbstractRNG, dims::Integer...) = rand!(rng, BitArray(undef, dims...))

end
