using CUDA # MISSION D5
using Base.Device: deferred, deferred_call
f(x, y::Integer) = 1
f(x::Integer, y) = 2
function kernel!(y)
    pointer = deferred(f, 1, 2)
    y[1] = deferred_call(pointer, Int, 1, 2)
    return
end
@cuda kernel!(CUDA.zeros(Int, 1))
