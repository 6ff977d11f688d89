# The code of an opaque closure may be a function expression, or be made by a macro.
using Test
using Base.Experimental: @opaque
f(x) = @opaque function (y)
    x + y
end
@test f(1)(2) == 3
g() = @opaque(@noinline x::Int -> x + 1)(1)
@test g() == 2
@test (@opaque Tuple{Int}->Int function (x)
    2x
end)(4) == 8
h() = @opaque function (a, b...)
    (a, b)
end
@test h()(1, 2, 3) == (1, (2, 3))
