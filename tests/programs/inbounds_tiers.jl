# An `@inbounds` counts one call deep, in interpreted code as in compiled code: the `@boundscheck` blocks of a callee that
# compiled code inlines do not run.
using Test

@inline inlined_check() = (n = 0; @boundscheck n += 1; n)
@noinline called_check() = (n = 0; @boundscheck n += 1; n)
small_check() = (n = 0; @boundscheck n += 1; n)
Base.@propagate_inbounds passes_on() = 10inlined_check()
@inline keeps() = 10inlined_check()

under_inlined() = @inbounds inlined_check()
under_called() = @inbounds called_check()
under_small() = @inbounds return small_check()
under_passes_on() = @inbounds passes_on()
under_keeps() = @inbounds keeps()
after_region() = (a = @inbounds(inlined_check()); 10a + inlined_check())
splatted(args) = @inbounds inlined_check(args...)

struct Checked
    n::Int
end
@inline Base.getindex(c::Checked, i::Int) = (@boundscheck 1 <= i <= c.n || throw(BoundsError(c, i)); i)
unchecked(c, i) = @inbounds c[i]
checked(c, i) = c[i]

function answers()
    (under_inlined(), under_called(), under_small(), under_passes_on(), under_keeps(), after_region(), splatted(()),
        inlined_check(), unchecked(Checked(3), 7))
end

@testset "interpreted" begin
    @test answers() == (0, 1, 0, 0, 10, 1, 0, 1, 7)
    @test_throws BoundsError checked(Checked(3), 7)
end

function repeated(n)
    same = 0
    for _ in 1:n
        same += answers() == (0, 1, 0, 0, 10, 1, 0, 1, 7)
    end
    same
end
@testset "compiled" begin
    @test repeated(5000) == 5000
end

# A statement of a program has nothing inlined into it.
@test (@inbounds inlined_check()) == 1

# What a broadcast knows of its own axes says nothing of the indices its function is given.
@testset "broadcast" begin
    M = [1 2; 3 4]
    @test_throws BoundsError getindex.((M,), [2, 1], [1, 3])
    @test_throws BoundsError broadcast((i, j) -> M[i, j], 1:3, 1:3)
    @test getindex.((M,), [2, 1], [1, 2]) == [3, 2]
end
