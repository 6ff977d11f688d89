# Broadcasts, maps and copies of device arrays are those of arrays of the host: by loops of the host, and by kernels.
using CUDA, Test
const GPUArraysCore = CUDA.GPUArraysCore
CUDA.allowscalar(false)

struct Mark
    x::Float32
    y::Int32
end
for by_kernels in (false, true)
    GPUArraysCore.BY_KERNELS[] = by_kernels
    @testset "broadcasts, by kernels: $by_kernels" begin
        h = Float32.(reshape(1:12, 3, 4)); a = CuArray(h)
        @test Array(a .+ 1) == h .+ 1
        @test Array(a .* 2 .+ sin.(a)) ≈ h .* 2 .+ sin.(h)
        @test Array(Float64.(a)) isa Matrix{Float64}
        @test Array(a .> 3) == (h .> 3)
        r = CuArray(Float32[1,2,3]); hr = Float32[1,2,3]
        @test Array(a .+ r) == h .+ hr
        @test Array(r .* (1:4)') == hr .* (1:4)'
        @test Array(a .+ (1,2,3)) == h .+ (1,2,3)
        @test Array(r .+ Ref(10)) == hr .+ 10
        @test Array(r .+ transpose(r)) == hr .+ transpose(hr)
        @test Array(getindex.(Ref(r), CuArray([3,1,2]))) == [3,1,2]
        @test Array(convert.(Int, r)) == [1,2,3]
        b = copy(a); b .= 0; @test Array(b) == zero(h) && Array(a) == h
        b[:, 2] .= 5
        @test Array(b)[:,2] == [5,5,5]
        view(b, 1:2:3, :) .= view(a, 1:2:3, :)
        hb = zero(h); hb[:,2] .= 5; hb[1:2:3,:] .= h[1:2:3,:]
        @test Array(b) == hb
        v = CuArray(collect(1:10)); view(v, 2:10) .= view(v, 1:9)
        @test Array(v) == [1;1:9]
        @test Array(PermutedDimsArray(a, (2,1)) .+ 0) == permutedims(h)
        @test Array(reshape(view(a, 1:2, :), 8) .+ 1) == vec(h[1:2,:]) .+ 1
        @test Array(map(x->Mark(x, 2), r)) == map(x->Mark(x,2), hr)
        @test Array(map(+, r, r)) == hr .+ hr
        @test Array(tuple.(r, 0x1)) == tuple.(hr, 0x1) && Array(getfield.(tuple.(r, r), 1)) == hr
        c = similar(r); map!(abs2, c, r); @test Array(c) == hr .^ 2
        @test Array(fill!(c, 7)) == [7,7,7]
        @test_throws "array of the host" r .+ [1, 2, 3]
        @test_throws DimensionMismatch r .+ CuArray([1,2])
        @test Array((r .> 1) .&& (r .< 3)) == [false,true,false]
        GPUArraysCore.uses_kernels() && @test_throws "not known" ifelse.(r .> 1, error.(r), 2)
        @test Array(a' .+ 1) == h' .+ 1
        @test Array(clamp.(r, 1.5f0, 2.5f0)) == clamp.(hr, 1.5f0, 2.5f0)
        @test Array(broadcast(x -> x + 1, r)) == hr .+ 1
        z = CUDA.fill(3.0f0); @test Array(z .+ r) == 3 .+ hr
        @test Array(copyto!(CUDA.zeros(4), 2, r, 1, 3)) == [0,1,2,3]
        @test Array(copyto!(view(CUDA.zeros(2,4), 1, 1:3), r)) == hr
        e = CUDA.zeros(0); @test Array(e .+ 1) == Float32[]
    end
end
