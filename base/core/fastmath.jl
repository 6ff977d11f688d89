# Arithmetic that may be rearranged: module FastMath and `@fastmath`.

module FastMath

export @fastmath

import Core.Intrinsics: add_float_fast, sub_float_fast, mul_float_fast, div_float_fast, neg_float_fast, eq_float_fast,
    ne_float_fast, lt_float_fast, le_float_fast, min_float_fast, max_float_fast, sqrt_llvm_fast
const FloatTypes = Union{Float16, Float32, Float64}
const ComplexTypes = Union{Base.ComplexF16, Base.ComplexF32, Base.ComplexF64}

add_fast(x::T, y::T) where {T <: FloatTypes} = add_float_fast(x, y)
sub_fast(x::T, y::T) where {T <: FloatTypes} = sub_float_fast(x, y)
mul_fast(x::T, y::T) where {T <: FloatTypes} = mul_float_fast(x, y)
div_fast(x::T, y::T) where {T <: FloatTypes} = div_float_fast(x, y)
sub_fast(x::FloatTypes) = neg_float_fast(x)
eq_fast(x::T, y::T) where {T <: FloatTypes} = eq_float_fast(x, y)
ne_fast(x::T, y::T) where {T <: FloatTypes} = ne_float_fast(x, y)
lt_fast(x::T, y::T) where {T <: FloatTypes} = lt_float_fast(x, y)
le_fast(x::T, y::T) where {T <: FloatTypes} = le_float_fast(x, y)
min_fast(x::T, y::T) where {T <: FloatTypes} = min_float_fast(x, y)
max_fast(x::T, y::T) where {T <: FloatTypes} = max_float_fast(x, y)
sqrt_fast(x::FloatTypes) = sqrt_llvm_fast(x)
add_fast(x, y) = fast_promoted(add_fast, +, x, y)
sub_fast(x, y) = fast_promoted(sub_fast, -, x, y)
mul_fast(x, y) = fast_promoted(mul_fast, *, x, y)
div_fast(x, y) = fast_promoted(div_fast, /, x, y)
eq_fast(x, y) = x == y
ne_fast(x, y) = x != y
lt_fast(x, y) = x < y
le_fast(x, y) = x <= y
gt_fast(x, y) = lt_fast(y, x)
ge_fast(x, y) = le_fast(y, x)
min_fast(x, y) = min(x, y)
max_fast(x, y) = max(x, y)
sub_fast(x) = -x
add_fast(x) = +x
mul_fast(x) = x
sqrt_fast(x) = sqrt(x)
add_fast(x, y, z, ws...) = Base.fold_left(add_fast, add_fast(add_fast(x, y), z), ws...)
mul_fast(x, y, z, ws...) = Base.fold_left(mul_fast, mul_fast(mul_fast(x, y), z), ws...)
min_fast(x, y, z, ws...) = Base.fold_left(min_fast, min_fast(min_fast(x, y), z), ws...)
max_fast(x, y, z, ws...) = Base.fold_left(max_fast, max_fast(max_fast(x, y), z), ws...)
min_fast(x) = min(x)
max_fast(x) = max(x)
minmax_fast(x, y) = (min_fast(x, y), max_fast(x, y))
cmp_fast(x, y) = ifelse(x == y, 0, ifelse(x < y, -1, 1))
# Such arithmetic knows no infinity, NaN or subnormal number.
isfinite_fast(x) = true
isinf_fast(x) = false
isnan_fast(x) = false
issubnormal_fast(x) = false
@inline fast_promoted(fast, plain, x, y) = plain(x, y)
@inline fast_promoted(fast, plain, x::FloatTypes, y::FloatTypes) = fast(Base.promote(x, y)...)
@inline fast_promoted(fast, plain, x::FloatTypes, y::Base.BitInteger) = fast(Base.promote(x, y)...)
@inline fast_promoted(fast, plain, x::Base.BitInteger, y::FloatTypes) = fast(Base.promote(x, y)...)

# The rest has no faster form of its own yet: its name stands for the plain function.
const PLAIN_UNARY = (:abs, :abs2, :conj, :inv, :sign, :acos, :acosh, :angle, :asin, :asinh, :atan, :atanh, :cbrt, :cis, :cos,
    :cosh, :exp10, :exp2, :exp, :expm1, :log10, :log1p, :log2, :log, :sin, :sinh, :tan, :tanh)
const PLAIN_BINARY = (:rem, :hypot, :atan, :log)
for f in PLAIN_UNARY
    @eval @inline $(Symbol(f, :_fast))(x) = $f(x)
end
for f in PLAIN_BINARY
    @eval @inline $(Symbol(f, :_fast))(x, y) = $f(x, y)
end
@inline sincos_fast(x::Base.Number) = Base.sincos(x)
sincos_fast(x) = (sin_fast(x), cos_fast(x))
@inline pow_fast(x, y) = x^y
@inline pow_fast(x, p::Val) = Base.literal_pow(^, x, p)
maximum_fast(a; kws...) = Base.reduce(max_fast, a; kws...)
minimum_fast(a; kws...) = Base.reduce(min_fast, a; kws...)
maximum_fast(f, a; kws...) = Base.mapreduce(f, max_fast, a; kws...)
minimum_fast(f, a; kws...) = Base.mapreduce(f, min_fast, a; kws...)
maximum!_fast(r, a) = Base.maximum!(r, a)
minimum!_fast(r, a) = Base.minimum!(r, a)
maximum!_fast(f, r, a) = Base.maximum!(f, r, a)
minimum!_fast(f, r, a) = Base.minimum!(f, r, a)

fast_name(f::Symbol) = Base.get(fast_op, f, nothing)
const fast_op = Base.Dict{Symbol, Symbol}(p[1] => p[2] for p in ((:+, :add_fast), (:-, :sub_fast), (:*, :mul_fast), (:/, :div_fast), (:^, :pow_fast), (:(==), :eq_fast),
    (:(!=), :ne_fast), (:≠, :ne_fast), (:<, :lt_fast), (:(<=), :le_fast), (:≤, :le_fast), (:>, :gt_fast), (:(>=), :ge_fast),
    (:≥, :ge_fast), (:min, :min_fast), (:max, :max_fast), (:minmax, :minmax_fast), (:cmp, :cmp_fast), (:sqrt, :sqrt_fast),
    (:isfinite, :isfinite_fast), (:isinf, :isinf_fast), (:isnan, :isnan_fast), (:issubnormal, :issubnormal_fast),
    (:sincos, :sincos_fast), (:hypot, :hypot_fast), (:rem, :rem_fast), (:maximum, :maximum_fast), (:minimum, :minimum_fast),
    (:maximum!, :maximum!_fast), (:minimum!, :minimum!_fast), Base.map(f -> (f, Symbol(f, :_fast)), PLAIN_UNARY)...))
plain_of_update(head::Symbol) =
    head === :+= ? :+ : head === :-= ? :- : head === :*= ? :* : head === :/= ? :/ : head === :^= ? :^ : nothing
make_fast(x) = x
function make_fast(x::Symbol)
    n = fast_name(x)
    n === nothing ? x : :(Base.FastMath.$n)
end
function make_fast(x::Expr)
    x.head === :quote && return x
    if x.head === :call && x.args[1] === :^ && Base.length(x.args) >= 3 && x.args[3] isa Int
        return Expr(:call, :(Base.FastMath.pow_fast), make_fast(x.args[2]), Val(x.args[3]))
    end
    op = plain_of_update(x.head)
    # An element that is updated has its subscripts evaluated once: left as it is.
    if op !== nothing && x.args[1] isa Symbol
        target = x.args[1]
        return Expr(:(=), target, make_fast(Expr(:call, op, target, x.args[2])))
    end
    Expr(x.head, Base.mapany(make_fast, x.args)...)
end
"""
    @fastmath expression

Lets arithmetic in an expression be reordered and assume that there is no `NaN` and no infinity.
"""
macro fastmath(ex)
    Base.esc(make_fast(ex))
end

end

using .FastMath: @fastmath
