# Tuples made and folded in kernels, of lengths beyond those that have methods of their own.
using CUDA, Test

function tuples!(a, ::Val{N}) where {N}
    t = ntuple(i -> Float32(i), Val(N))
    a[1] = sum(map(x -> x + 1.0f0, t))
    a[2] = t[N]
    return
end
for n in (0x1, 3, 4, 9, 16)
    a = CUDA.zeros(Float32, 2)
    @cuda tuples!(a, Val(Int(n)))
    @test Array(a) == [n * (n + 1) / 2 + n, n]
end
# The function is called in order.
calls = Int[]
@test ntuple(i -> (push!(calls, i); 2i), Val(5)) == (2, 4, 6, 8, 10)
@test calls == 1:5
@test_throws ArgumentError ntuple(identity, Val(-1))
