# Places that are read and written, names that expansions and scopes have, views with ends behind splats.
using Test

# A dotted update reads what an index gives, and writes through a view.
x = [1, 2]
x[[1, 1]] .+= 1
@test x == [2, 2]
struct Wrapped
    data
end
Base.dotgetproperty(::Wrapped, ::Symbol) = zeros(Int, 2)
@test (Wrapped([1, 2]).data .+= 1) == [2, 3]
calls = Ref(0)
whole() = (calls[] += 1; x)
whole()[1:1] .+= 5
@test x == [7, 2] && calls[] == 1

# `begin` and `end` behind a splat.
A = reshape(1:24, 2, 3, 4)
u = (1, 2:3)
@test A[u..., begin+1:end] == @view A[u..., begin+1:end]
@test A[(1,)..., 2, end] == @view(A[(1,)..., 2, end])[]
@test_throws ErrorException @eval @view(x[1]) = 2

# All methods of a local function make one function, whatever scope each is written in.
let f(x::Real) = :real
    f(x::Integer) = @invoke f(x::Real)
    @test f(1) === :real && f(1.5) === :real
end

# A function in the body of a type that is no constructor is local to it; what stands in `toplevel` is not local.
helper() = 0
struct HasHelper
    x::Int
    helper() = 1
    HasHelper() = new(helper())
end
@test helper() == 0 && HasHelper().x == 1
@test eval(Expr(:let, Expr(:block), Expr(:block, Expr(:toplevel, :(defined_inside(x) = 2x)), 1))) == 1
@test defined_inside(3) == 6
let
    const global made(x)::Int = x + 0.0
end
@test made(2) === 2

# A keyword's type may name what the positional arguments decide: a wrong value is a `TypeError`.
same(a::T; b::T = a) where {T} = T
@test_throws TypeError same(1.5; b = 2)
@test first(methods(Core.kwcall, (NamedTuple, typeof(same), Vararg))).name === :same

# Named tuples keep the declared types of their fields.
t = NamedTuple{(:a, :b), Tuple{Any, Union{Nothing, Int}}}((1, nothing))
@test typeof(merge(t, (c = 1,))) == @NamedTuple{a::Any, b::Union{Nothing, Int}, c::Int}
@test typeof(t[(:b,)]) == @NamedTuple{b::Union{Nothing, Int}}
@test typeof(Base.structdiff(t, (b = 1,))) == @NamedTuple{a::Any}
@test repr(t[(:b,)]) == "@NamedTuple{b::Union{Nothing, Int64}}((nothing,))"
@test typeof(pairs((a = 1,))) == @Kwargs{a::Int}
@test fieldtype(NamedTuple{(:a, :b), Union{}}, :b) === Union{}
@test_throws BoundsError fieldtype(NamedTuple{(:a, :b), Union{}}, 3)

# Marks of arguments in a body.
function marked(a, b, c)
    @nospecialize a b
    c
end
@test first(methods(marked)).nospecialize == 3

# Intrinsics take only what they are defined for.
@test_throws ErrorException Core.Intrinsics.zext_int(Int8, 0x00)
@test_throws ErrorException Core.Intrinsics.trunc_int(Int8, 0x00)
@test_throws ErrorException Core.Intrinsics.add_float(1, 2)
