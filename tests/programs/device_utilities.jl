# What device code has for itself: assertions about what is known when it is compiled, and memory of an item.
using KernelAbstractions, Test
import Base.Device: alloca, as_ptr, @static_assert

@kernel function reverses!(out, @Const(input))
    i = @index(Global)
    @static_assert eltype(out) === Int32 "the elements are Int32"
    block = as_ptr(alloca(Int32, Val(4), Val(5)))
    for k in 1:4
        unsafe_store!(block, input[4 * (i - 1) + k], k)
    end
    for k in 1:4
        out[4 * (i - 1) + k] = unsafe_load(block, 5 - k)
    end
end

@testset "memory of an item" begin
    input = Int32.(1:32)
    out = zeros(Int32, 32)
    reverses!(CPU(), 4)(out, input; ndrange = 8)
    KernelAbstractions.synchronize(CPU())
    @test out == vec(reverse(reshape(input, 4, 8); dims = 1))
end

@kernel function has_none!(out)
    i = @index(Global)
    out[i] = UInt(as_ptr(alloca(Int32, Val(0))))
end

@testset "no memory" begin
    out = ones(UInt, 4)
    has_none!(CPU(), 4)(out; ndrange = 4)
    KernelAbstractions.synchronize(CPU())
    @test all(iszero, out)
end

message_of(f) = try
    f()
    ""
catch e
    sprint(showerror, e)
end

@kernel function refutes!(out, n)
    i = @index(Global)
    @static_assert n == 3 "the number is three"
    @static_assert eltype(out) === Float32 "the elements are Float32"
    out[i] = n
end

@testset "refused kernels" begin
    out = zeros(Int32, 32)
    @test contains(message_of(() -> reverses!(CPU(), 4)(zeros(Float64, 32), out; ndrange = 8)), "the elements are Int32")
    said = message_of(() -> refutes!(CPU(), 4)(out, 3; ndrange = 4))
    @test contains(said, "static assertion failed: the number is three")
    @test contains(said, "static assertion failed: the elements are Float32")
    @test contains(said, "device_utilities.jl")
end

# The host tests it where it stands.
positive(x) = (@static_assert x > 0 "it is positive"; x)

@testset "on the host" begin
    @test positive(3) == 3
    @test_throws AssertionError positive(-3)
    @test message_of(() -> positive(0)) == "AssertionError: it is positive"
    said = message_of(() -> eval(:(Base.Device.@static_assert true "no $literal")))
    @test contains(said, "the message is not a literal string")
    @test contains(message_of(() -> eval(:(Base.Device.@static_assert true 3))), "the message is not a literal string")
end
