# Comparison in general, extrema of two, and functions that make or combine functions.

isequal(x, y) = (x == y)::Bool
isequal(x::AbstractFloat, y::AbstractFloat) = ((isnan(x) & isnan(y)) | ((signbit(x) == signbit(y)) & (x == y)))::Bool
isequal(x::Real, y::AbstractFloat) = ((isnan(x) & isnan(y)) | ((signbit(x) == signbit(y)) & (x == y)))::Bool
isequal(x::AbstractFloat, y::Real) = ((isnan(x) & isnan(y)) | ((signbit(x) == signbit(y)) & (x == y)))::Bool
isequal(::Missing, ::Missing) = true
isequal(::Missing, y) = false
isequal(x, ::Missing) = false
isequal(a::Some, b::Some) = isequal(a.value, b.value)::Bool
isequal(::Some, ::Nothing) = false
isequal(::Nothing, ::Some) = false
==(::Missing, ::Missing) = missing
==(::Missing, y) = missing
==(x, ::Missing) = missing
!(::Missing) = missing

isless(x::Real, y::Real) = x < y
isless(x::AbstractFloat, y::AbstractFloat) = (!isnan(x) & (isnan(y) | signless(x, y))) | (x < y)
isless(x::Real, y::AbstractFloat) = (!isnan(x) & (isnan(y) | signless(x, y))) | (x < y)
isless(x::AbstractFloat, y::Real) = (!isnan(x) & (isnan(y) | signless(x, y))) | (x < y)
isless(::Missing, ::Missing) = false
isless(::Missing, y) = false
isless(x, ::Missing) = true
signless(x, y) = signbit(x) & !signbit(y)

<(x, y) = isless(x, y)
>(x, y) = y < x
<=(x, y) = (x < y) | (x == y)
>=(x, y) = y <= x
const (≤) = (<=)
const (≥) = (>=)
isunordered(x) = false
isunordered(x::AbstractFloat) = isnan(x)
isunordered(x::Missing) = true

function cmp(x, y)
    isless(x, y) && return -1
    isequal(x, y) ? 0 : 1
end
function cmp(x::Integer, y::Integer)
    x < y && return -1
    x == y ? 0 : 1
end

# By an order that is given.
function cmp(lt, x, y)
    lt(x, y) && return -1
    Int(lt(y, x))
end

max(x::Real) = x
min(x::Real) = x
minmax(x::Real) = (x, x)
max(x, y) = ifelse(isless(y, x), x, y)
min(x, y) = ifelse(isless(y, x), y, x)
minmax(x, y) = isless(y, x) ? (y, x) : (x, y)
max(a, b, c, xs...) = fold_left(max, max(max(a, b), c), xs...)
min(a, b, c, xs...) = fold_left(min, min(min(a, b), c), xs...)
function clamp(x::X, lo::L, hi::H) where {X, L, H}
    T = promote_type(X, L, H)
    x > hi ? convert(T, hi) : x < lo ? convert(T, lo) : convert(T, x)
end
clamp(x::Integer, r::AbstractUnitRange{<:Integer}) = clamp(x, first(r), last(r))
clamp(x, ::Type{T}) where {T <: Integer} =
    x > typemax(T) ? typemax(T) : x < typemin(T) ? typemin(T) : x isa Integer ? x % T : unsafe_trunc(T, x)
extrema(x::Number) = (x, x)

# `op` applied from the left to `a` and the rest.
fold_left(op, a) = a
@inline fold_left(op, a, b) = op(a, b)
@inline fold_left(op, a, b, cs...) = fold_left(op, op(a, b), cs...)
# Past 31 a loop: recursion would make a method instance for each length that is left.
function fold_left(op, a, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17, b18, b19, b20, b21, b22,
    b23, b24, b25, b26, b27, b28, b29, b30, b31, b32, cs...)
    y = fold_left(op, a, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16)
    y = fold_left(op, y, b17, b18, b19, b20, b21, b22, b23, b24, b25, b26, b27, b28, b29, b30, b31, b32)
    for c in cs
        y = op(y, c)
    end
    y
end
const afoldl = fold_left

+(x::Number) = x
*(x::Number) = x
(&)(x::Integer) = x
(|)(x::Integer) = x
xor(x::Integer) = x
function xor end
const (⊻) = xor
nand(x, y) = ~(x & y)
nor(x, y) = ~(x | y)
const (⊼) = nand
const (⊽) = nor
@inline +(a, b, c, xs...) = fold_left(+, (a + b) + c, xs...)
@inline *(a, b, c, xs...) = fold_left(*, (a * b) * c, xs...)
@inline (&)(a, b, c, xs...) = fold_left(&, (a & b) & c, xs...)
@inline (|)(a, b, c, xs...) = fold_left(|, (a | b) | c, xs...)
@inline xor(a, b, c, xs...) = fold_left(xor, xor(xor(a, b), c), xs...)

\(x, y) = adjoint(adjoint(y) / adjoint(x))
\(x::Number, y::Number) = y / x

# Partial application.
# A function with its argument number `N` given.
struct Fix{N, F, T} <: Function
    f::F
    x::T
    Fix{N}(f::F, x) where {N, F} = (check_fixed(N); new{N, F, Typeof(x)}(f, x))
    Fix{N}(f::Type{F}, x) where {N, F} = (check_fixed(N); new{N, Type{F}, Typeof(x)}(f, x))
end
check_fixed(N) = N isa Int ? (N >= 1 || throw_fixed_low(N)) : throw_fixed_type(N)
@noinline throw_fixed_low(N) = throw(ArgumentError(string("expected `N` in `Fix{N}` to be integer greater than 0, but got ", N)))
@noinline throw_fixed_type(N) = throw(ArgumentError(string("expected type parameter in `Fix` to be `Int`, but got `", N, "::", typeof(N), "`")))
@noinline throw_fixed_few(N, M) = throw(ArgumentError(string("expected at least ", N - 1, " arguments to `Fix{", N, "}`, but got ", M)))
const Fix1{F, T} = Fix{1, F, T}
const Fix2{F, T} = Fix{2, F, T}
(f::Fix{1})(y) = f.f(f.x, y)
(f::Fix{1})(ys...; kws...) = f.f(f.x, ys...; kws...)
(f::Fix{2})(y) = f.f(y, f.x)
(f::Fix{2})(y, zs...; kws...) = f.f(y, f.x, zs...; kws...)
(f::Fix{N})(ys...; kws...) where {N} = length(ys) < N - 1 ? throw_fixed_few(N, length(ys)) : f.f(ys[1:(N - 1)]..., f.x, ys[N:end]...; kws...)

isequal(x) = Fix2(isequal, x)
==(x) = Fix2(==, x)
!=(x) = Fix2(!=, x)
>=(x) = Fix2(>=, x)
<=(x) = Fix2(<=, x)
>(x) = Fix2(>, x)
<(x) = Fix2(<, x)
isless(x) = Fix2(isless, x)
in(x) = Fix2(in, x)
∈(x) = Fix2(in, x)

"""
    ComposedFunction(outer, inner)

The function that calls `outer` with the result of `inner`; `outer ∘ inner` makes it.
"""
struct ComposedFunction{O, I} <: Function
    outer::O
    inner::I
    ComposedFunction{O, I}(outer, inner) where {O, I} = new{O, I}(outer, inner)
    ComposedFunction(outer, inner) = new{Typeof(outer), Typeof(inner)}(outer, inner)
end
(c::ComposedFunction)(args...) = call_composed(unwrap_composed(c), args...)
Core.kwcall(kw::NamedTuple, c::ComposedFunction, args...) = call_composed_kw(unwrap_composed(c), kw, args...)
# The functions of a composition, the last to be called first: a chain of calls over ever fewer of them ends in sight.
@assume_effects :foldable unwrap_composed(c::ComposedFunction) = (unwrap_composed(c.outer)..., unwrap_composed(c.inner)...)
unwrap_composed(f) = (f,)
@inline call_composed(fs::Tuple, args...) = getfield(fs, 1)(call_composed(tail(fs), args...))
@inline call_composed(fs::Tuple{Any}, args...) = getfield(fs, 1)(args...)
@inline call_composed_kw(fs::Tuple, kw, args...) = getfield(fs, 1)(call_composed_kw(tail(fs), kw, args...))
@inline call_composed_kw(fs::Tuple{Any}, kw, args...) = kwcall(kw, getfield(fs, 1), args...)
∘(f) = f
∘(f, g) = ComposedFunction(f, g)
∘(f, g, h...) = ∘(f ∘ g, h...)
!(f::Function) = ComposedFunction(!, f)
!(f::ComposedFunction{typeof(!)}) = f.inner
|>(x, f) = f(x)

"""
    Returns(value)

The function that returns a value whatever its arguments are.
"""
struct Returns{V} <: Function
    value::V
    Returns{V}(value) where {V} = new{V}(value)
    Returns(value) = new{Typeof(value)}(value)
end
(r::Returns)(args...; kws...) = r.value

struct Splat{F} <: Function
    f::F
    Splat(f) = new{Typeof(f)}(f)
end
(s::Splat)(args) = s.f(args...)
splat(f) = Splat(f)

# Membership; `in` itself is defined for collections with iteration.
∋(itr, x) = in(x, itr)
∋(x) = Fix2(∋, x)
∉(x, itr) = !in(x, itr)
∉(x) = Fix2(∉, x)
∌(itr, x) = !in(x, itr)
∌(x) = Fix2(∌, x)
