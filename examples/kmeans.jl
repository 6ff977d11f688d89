# k-means: a kernel assigns points to the nearest centre and adds them up with atomics; broadcasts move the centres.
using CUDA, Random, Test

function assign!(labels, sums, counts, points, centres)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= size(points, 2)
        nearest, least = 1, typemax(Float32)
        for k in axes(centres, 2)
            d = 0.0f0
            for j in axes(points, 1)
                @inbounds d += (points[j, i] - centres[j, k])^2
            end
            if d < least
                nearest, least = k, d
            end
        end
        @inbounds labels[i] = nearest
        for j in axes(points, 1)
            CUDA.@atomic sums[j, nearest] += points[j, i]
        end
        CUDA.@atomic counts[nearest] += 1
    end
    return
end

function kmeans(points, centres; iterations = 30, tolerance = 1.0f-4)
    labels = CUDA.zeros(Int32, size(points, 2))
    sums, counts = similar(centres), CUDA.zeros(Int32, size(centres, 2))
    kernel = @cuda launch=false assign!(labels, sums, counts, points, centres)
    threads = min(256, launch_configuration(kernel.fun).threads)
    blocks = cld(size(points, 2), threads)
    for iteration in 1:iterations
        fill!(sums, 0)
        fill!(counts, 0)
        kernel(labels, sums, counts, points, centres; threads, blocks)
        moved = sums ./ max.(counts, 1)'
        step = maximum(abs.(moved .- centres))
        centres = moved
        step < tolerance && return centres, labels, counts, iteration
    end
    return centres, labels, counts, iterations
end

# Four clouds of points around known centres.
Random.seed!(2)
truth = Float32[-2 2 -2 2; -2 -2 2 2]
n = 20_000
origin = rand(1:4, n)
points = truth[:, origin] .+ 0.4f0 .* randn(Float32, 2, n)

centres, labels, counts, iterations = kmeans(CuArray(points), CuArray(points[:, [findfirst(==(k), origin) for k in 1:4]]))
found = Array(centres)
@test isapprox(found, truth; atol = 0.05)
@test sum(counts) == n
@test count(Array(labels) .!= origin) < n ÷ 1000
spread = sqrt(sum(abs2, points .- found[:, Array(labels)]) / 2n)
@test isapprox(spread, 0.4; rtol = 0.02)
println("k-means: ", Int.(Array(counts)), " points after ", iterations, " iterations, spread ", spread)
println("centres: ", round.(vec(found); digits = 4))
