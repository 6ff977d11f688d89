# Exchanges between the lanes of a warp.
using CUDA, Test
function exchanged!(y, z)
    t = threadIdx().x
    v = Int(t)
    for bits in (1, 2, 4, 8, 16)
        v = max(v, shfl_xor_sync(0xffffffff, v, bits))
    end
    y[t] = v
    z[t] = count_ones(vote_ballot_sync(0xffffffff, isodd(t)))
    return
end
y, z = CUDA.zeros(Int, 64), CUDA.zeros(Int, 64)
@cuda threads=64 exchanged!(y, z)
@test Array(y) == [fill(32, 32); fill(64, 32)] && all(==(16), Array(z))
