# Runs CUDA.jl's own test/core/device/intrinsics/cooperative_groups.jl, unmodified, from the checkout in KILN_CORPUS.
using CUDA, Test
using CUDA: i32

# What CUDA.jl's runner defines for its files.
const sanitize = false
testf(f, xs...) = Array(f(map(CuArray, xs)...)) ≈ f(xs...)
macro on_device(ex...)
    kernel = gensym(:kernel)
    esc(quote
        let
            function $kernel()
                $(ex[end])
                return
            end
            CUDA.@sync @cuda $(ex[1:(end - 1)]...) $kernel()
        end
    end)
end

include(joinpath(ENV["KILN_CORPUS"], "CUDA.jl", "test", "core", "device", "intrinsics", "cooperative_groups.jl"))
