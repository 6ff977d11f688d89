# What a kernel asserts at compile time is not proven: each place is told, also one in a function that was inlined. MISSION R6
using KernelAbstractions
import Base.Device: @static_assert

@inline function checked(x)
    @static_assert x isa Float32 "the element is a Float32"
    return x
end

@kernel function copies!(out, @Const(input))
    i = @index(Global)
    @static_assert eltype(out) === Float32 "the output is of Float32"
    out[i] = checked(input[i])
end

copies!(CPU(), 4)(zeros(8), zeros(8); ndrange = 8)
