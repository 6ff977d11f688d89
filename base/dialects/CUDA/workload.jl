# What most programs begin with, done when the library is loaded: calls resolved here are in the snapshot, and a program
# that makes them does not resolve them again. Nothing is compiled: a build compiles no kernels.
let n = 16, a = 3.0f0
    x, y = CUDA.ones(Float32, n), CUDA.fill(2.0f0, n)
    CUDA.zeros(Float32, n), CUDA.zeros(Float32, n, n), CuArray([1.0f0, 2.0f0]), CuArray([1 2; 3 4])
    macroexpand(CUDA, :(@cuda f(y, a, x)))
    macroexpand(CUDA, :(@cuda threads = 256 blocks = cld(n, 256) f(y, a, x)))
    macroexpand(CUDA, :(@cuda launch = false f(y, a, x)))
    macroexpand(CUDA, :(@sync @cuda threads = 256 f(y, a, x)))
    args = (y, a, x)
    converted = map(cudaconvert, args)
    map(cudaconvert, (y, x)), map(cudaconvert, (y, x, n)), map(Core.Typeof, converted)
    kernel = HostKernel{typeof(cudaconvert(identity)),Tuple{map(Core.Typeof, converted)...}}(identity, 0, THREADS_MAX)
    for (threads, blocks) in ((n, 2), ((n, 1), (2, 1)))
        try
            launched((kernel, converted, args), dims3(blocks), dims3(threads), 0)
        catch
        end
        try
            kernel(y, a, x; threads, blocks)
        catch
        end
    end
    all(Array(y) .== 2.0f0), Array(x) ≈ Array(y), sum(Array(x)), Array(y)[1], length(y), size(y)
end
