# Running folds, places, parts and shapes of device arrays are those of arrays of the host: by its loops, and by kernels.
using CUDA, Test
const GPUArraysCore = CUDA.GPUArraysCore
CUDA.allowscalar(false)
eq(x, y) = (x = Array(x); typeof(x) == typeof(Array(y)) && isequal(x, y))

for by_kernels in (false, true)
    GPUArraysCore.BY_KERNELS[] = by_kernels
    @testset "scans" begin
        for n in (1, 3, 64, 65, 256, 257, 5000, 70000)
            h = rand(-3:3, n); a = CuArray(h)
            @test eq(cumsum(a), cumsum(h)) && eq(accumulate(max, a), accumulate(max, h))
            @test eq(accumulate(+, a; init = 5), accumulate(+, h; init = 5))
            @test eq(accumulate((x, y) -> y, a), accumulate((x, y) -> y, h))
            @test eq(findall(>(0), a), findall(>(0), h)) && eq(findall(a .== 1), findall(h .== 1))
            @test findfirst(==(2), a) == findfirst(==(2), h) && findlast(==(2), a) == findlast(==(2), h)
            @test eq(cumprod(CuArray(fill(1, n))), fill(1, n))
        end
        h = rand(-3:3, 5, 300, 2); a = CuArray(h)
        for dims in 1:4
            @test eq(cumsum(a; dims), cumsum(h; dims)) && eq(accumulate(min, a; dims), accumulate(min, h; dims))
        end
        @test eq(findall(>(1), a), findall(>(1), h))
        @test eq(accumulate(+, a), accumulate(+, h))
        out = similar(a); cumsum!(out, a; dims = 2); @test eq(out, cumsum(h; dims = 2))
        @test findfirst(==(9), a) === nothing
    end
    @testset "parts" begin
        h = rand(1:100, 6, 7, 3); a = CuArray(h); v = collect(1:20); d = CuArray(v)
        @test eq(d[2:5], v[2:5]) && eq(d[[3, 1, 3]], v[[3, 1, 3]]) && eq(d[CuArray([3, 1])], [3, 1]) && eq(d[:], v)
        @test eq(a[:, 1, 2], h[:, 1, 2]) && eq(a[2, :, :], h[2, :, :]) && eq(a[1:2, [1, 3], 2:3], h[1:2, [1, 3], 2:3])
        @test eq(d[d .> 10], v[v .> 10]) && eq(d[v .> 10], v[v .> 10]) && eq(a[a .> 50], h[h .> 50])
        @test eq(a[:, CuArray([true, false, true, false, false, true, true]), 1], h[:, [true, false, true, false, false, true, true], 1])
        @test eq(a[20:-3:2], h[20:-3:2])
        @test eq(a[:, :, 1][CartesianIndex.(1:2, 2:3)], h[:, :, 1][CartesianIndex.(1:2, 2:3)])
        d[2:3] = [7, 8]; v[2:3] = [7, 8]; @test eq(d, v)
        d[d .> 15] .= 0; v[v .> 15] .= 0; @test eq(d, v)
        a[:, 2, :] = CuArray(ones(Int, 6, 3)); h[:, 2, :] = ones(Int, 6, 3); @test eq(a, h)
        a[1, :, 1] .= 3; h[1, :, 1] .= 3; @test eq(a, h)
        d[CuArray([1, 2])] .+= 1; v[[1, 2]] .+= 1; @test eq(d, v)
        @test eq(view(a, :, 2:3, 1)[1:2, :], h[1:2, 2:3, 1]) && eq(a[:, :, 1]'[1:2, :], h[:, :, 1]'[1:2, :])
        @test_throws BoundsError d[18:21]
        @test_throws BoundsError d[[0, 1]]
        @test_throws DimensionMismatch d[1:3] = [1, 2]
        @test_throws "disallowed" d[1]
        @test_throws BoundsError d[[true, false]]
        @test eq(Array(view(d, d .> 3)), v[v .> 3])
    end
    @testset "shapes" begin
        h = rand(1:100, 4, 5, 2); a = CuArray(h); m, hm = a[:, :, 1], h[:, :, 1]; v = hm[:, 1]; d = CuArray(v)
        @test eq(reverse(a), reverse(h)) && eq(reverse(a; dims = 2), reverse(h; dims = 2)) && eq(reverse(d), reverse(v)) && eq(reverse(d, 2, 3), reverse(v, 2, 3))
        @test eq(reverse!(copy(d)), reverse(v)) && eq(reverse!(copy(a); dims = 1), reverse(h; dims = 1))
        @test eq(permutedims(a, (3, 1, 2)), permutedims(h, (3, 1, 2))) && eq(permutedims(m), permutedims(hm)) && eq(permutedims(d), permutedims(v))
        @test eq(repeat(d, 3), repeat(v, 3)) && eq(repeat(m, 2, 3), repeat(hm, 2, 3)) && eq(repeat(m; inner = (2, 1), outer = (1, 2)), repeat(hm; inner = (2, 1), outer = (1, 2)))
        @test eq(repeat(d, 1, 2, 3), repeat(v, 1, 2, 3)) && eq(repeat(d; inner = 2), repeat(v; inner = 2))
        @test eq(circshift(d, 1), circshift(v, 1)) && eq(circshift(m, (1, -2)), circshift(hm, (1, -2))) && eq(circshift(d, -5), circshift(v, -5))
        @test eq(vcat(d, d), vcat(v, v)) && eq(hcat(d, d, m), hcat(v, v, hm)) && eq(cat(m, m; dims = 3), cat(hm, hm; dims = 3)) && eq([m; m], [hm; hm]) && eq([m m], [hm hm])
        @test eq(cat(m, d; dims = (1, 2)), cat(hm, v; dims = (1, 2))) && eq(vcat(d, 1), vcat(v, 1)) && eq([m m; m m], [hm hm; hm hm])
        @test eq(hcat(d, view(m, :, 2)), hcat(v, hm[:, 2])) && eq(vcat(d', d'), vcat(v', v'))
        @test_throws DimensionMismatch vcat(m, a[:, 1:2, 1])
        @test eq(reduce(vcat, [d, d]), vcat(v, v)) && eq(reduce(hcat, [d, d]), hcat(v, v))
        @test eq(selectdim(a, 2, 3) .+ 0, selectdim(h, 2, 3) .+ 0)
        @test eq(dropdims(sum(a; dims = 1); dims = 1), dropdims(sum(h; dims = 1); dims = 1))
        @test eq(diff(d), diff(v))
        @test eq(collect(PermutedDimsArray(a, (2, 1, 3))), permutedims(h, (2, 1, 3)))
    end
end
