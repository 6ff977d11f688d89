# MISSION O7: `@consistent_overlay` says that a method does what the one does that it hides, so that constant calls are
# evaluated by that one, also where the overlay needs a device.
using CUDA, Test

launch(kernel, args...) = (y = CUDA.zeros(Float64, 4); @cuda(kernel(y, args...)); Array(y))

# Only a device can run these overlays. They break their promise, so that one sees which ran.
twice(x) = x + x
shift(x::Number) = x + 1.0
Base.Experimental.@consistent_overlay CUDA.method_table twice(x::Float64) = 1000.0 + threadIdx().x
Base.Experimental.@consistent_overlay CUDA.method_table Base.@assume_effects :foldable shift(x::Float64) =
    1000.0 + threadIdx().x
Base.@assume_effects :foldable around(x) = (s = 0.0; for i in 1:3; s += shift(x); end; s)

folded(y) = (y[1] = twice(21.0); y[2] = around(1.0); y[3] = shift(twice(1.0)); nothing)
@test launch(folded) == [42, 6, 3, 0]
@test twice(21.0) == 42 && shift(1.0) == 2

# What is not constant goes to the overlay.
unfolded(y) = (y[1] = twice(y[1]); nothing)
@test launch(unfolded)[1] == 1001

# A plain overlay is never taken for what it hides.
plain(x) = x + x
Base.Experimental.@overlay CUDA.method_table Base.@assume_effects :foldable plain(x::Float64) = 1000.0 + threadIdx().x
unknown(y) = (y[1] = plain(21.0); nothing)
@test launch(unknown)[1] == 1001

# Constants are folded anew when the original changes, or another method becomes the original, or what it calls changes.
twice(x) = 2x + 1
@test launch(folded) == [43, 6, 4, 0]
@noinline part(x) = 10x
shift(x::Real) = part(x)
@test launch(folded) == [43, 30, 30, 0]
@noinline part(x) = 100x
@test launch(folded) == [43, 300, 300, 0]

# An overlay without an original is run itself.
nowhere_else(x::Int) = 0
Base.Experimental.@consistent_overlay CUDA.method_table nowhere_else(x::Float64) = x + 5
alone(y) = (y[1] = nowhere_else(1.0); nothing)
@test launch(alone) == [6, 0, 0, 0]

# A promise that is taken back is no promise.
Base.@assume_effects :total !:consistent taken_back(x) = Base.Device.in_kernel() ? x + threadIdx().x : x
returned(y) = (y[1] = taken_back(1.0); nothing)
@test launch(returned)[1] == 2
