# Recursion without end is an error that can be caught, however the code runs.
using Test, KernelAbstractions

endless(x) = endless(x + 1) + 1
growing(x...) = growing(x..., 1)

@testset "interpreted" begin
    @test_throws StackOverflowError endless(1)
    @test_throws StackOverflowError growing(1)
    @test try endless(1) catch; :went_on end === :went_on
end

depth(n) = n == 0 ? 0 : depth(n - 1) + 1
even(n) = n == 0 ? true : odd(n - 1)
odd(n) = n == 0 ? false : even(n - 1)
forever(n) = n == -1 ? 0 : forever(n)

# Runs often enough to be compiled; its code is there by then, so that the interpreter does not run on.
@testset "compiled" begin
    foreach(f -> precompile(f, (Int,)), (depth, even, odd, forever))
    for _ in 1:100_000
        depth(3)
        even(3)
        forever(-1)
    end
    @test depth(100_000) == 100_000
    @test even(100_000)
    @test_throws StackOverflowError depth(-1)
    @test_throws StackOverflowError even(-1)
    @test_throws StackOverflowError forever(1)
    @test depth(5) == 5
end

@kernel function deep!(a, n)
    i = @index(Global)
    a[i] = depth(n)
end
@kernel function deep_with_barrier!(a, n)
    i = @index(Global)
    @synchronize
    a[i] = depth(n)
    @synchronize
    a[i] += 1
end

@testset "in kernels" begin
    a = zeros(Int, 64)
    deep!(CPU(), 16)(a, 200; ndrange = 64)
    @test all(==(200), a)
    deep_with_barrier!(CPU(), 16)(a, 200; ndrange = 64)
    @test all(==(201), a)
    @test_throws StackOverflowError deep!(CPU(), 16)(a, -1; ndrange = 64)
    @test_throws StackOverflowError deep_with_barrier!(CPU(), 16)(a, -1; ndrange = 64)
end
