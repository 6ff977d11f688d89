# Definitions that stand between calls: host code that runs compiled gives way to each that changes it, whatever the form of the callee,
# also where definitions that change nothing have ended it again and again.
using Test
hot(f, x...) = (for _ in 1:1500 f(x...) end; f(x...))
latest(f, x...) = Base.invokelatest(f, x...)

step(x) = x + 1
twice(x) = step(x) + step(x)
@test hot(twice, 1) == 4
for k in 1:50
    @eval step(::Val{$k}) = $k
    @eval Base.show(io::IO, ::Val{$(-k)}) = print(io, $k)
    @test latest(twice, 1) == 4 && latest(twice, Val(k)) == 2k
end
step(x::Int) = 10x
@test twice(1) == 20
for k in 1:50
    @eval step(::Val{$(k + 50)}) = $k
    @test latest(twice, 1) == 20
    k % 10 == 0 && @test hot(twice, 1) == 20
end
step(x::Integer) = 0
@test twice(1) == 20 && twice(true) == 0
Base.delete_method(only(methods(step, (Int,))))
@test twice(1) == 0

# Callees that are types, objects, and known by a supertype alone.
abstract type Shape end
struct Square <: Shape
    side::Int
end
struct Scaled{T}
    by::T
end
build(T, x...) = T(x...)
apply(f, x) = f(x)
(s::Scaled)(x) = s.by * x
@test hot(build, Square, 2) === Square(2) && hot(apply, Scaled(3), 2) == 6
@test_throws MethodError build(Square, 1, 2)
(::Type{T})(x, y) where {T<:Shape} = T(x + y)
@test build(Square, 1, 2) === Square(3)
Square(x::Int8) = Square(-Int(x))
@test build(Square, Int8(2)) === Square(-2)
(s::Scaled{Int})(x::Int) = s.by + x
@test apply(Scaled(3), 2) == 5 && apply(Scaled(3.0), 2) == 6.0
