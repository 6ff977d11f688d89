# Random numbers under their package's name; Base holds the implementation, as it exports `rand` and `randn`.
module Random

import Base: rand, randn, rand!, randn!, randexp, randexp!, seed!, default_rng, shuffle, shuffle!, randperm, randperm!,
    randcycle, randsubseq, randstring, AbstractRNG, Xoshiro, MersenneTwister, TaskLocalRNG, RandomDevice

export rand, randn, rand!, randn!, randexp, randexp!, shuffle, shuffle!, randperm, randperm!, randcycle, randsubseq,
    randstring, AbstractRNG, Xoshiro, MersenneTwister, TaskLocalRNG, RandomDevice, default_rng, bitrand

struct Sampler{T} end
struct SamplerType{T} end
const GLOBAL_RNG = TaskLocalRNG()
bitrand(dims::Integer...) = rand!(BitArray(undef, dims...))
bitrand(dims::Tuple{Vararg{Integer}}) = rand!(BitArray(undef, dims))
bitrand(rng::AbstractRNG, dims::Integer...) = rand!(rng, BitArray(undef, dims...))

end
