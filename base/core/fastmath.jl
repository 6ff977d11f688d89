# Arithmetic that may be rearranged: module FastMath and `@fastmath`.

module FastMath

export @fastmath

import Core.Intrinsics: add_float_fast, sub_float_fast, mul_float_fast, div_float_fast, neg_float_fast, eq_float_fast,
    ne_float_fast, lt_float_fast, le_float_fast, min_float_fast, max_float_fast, sqrt_llvm_fast
const FloatTypes = Union{Float16, Float32, Float64}

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
add_fast(x) = x
mul_fast(x) = x
sqrt_fast(x) = sqrt(x)
add_fast(x, y, z, ws...) = Base.fold_left(add_fast, add_fast(add_fast(x, y), z), ws...)
mul_fast(x, y, z, ws...) = Base.fold_left(mul_fast, mul_fast(mul_fast(x, y), z), ws...)
@inline fast_promoted(fast, plain, x, y) = plain(x, y)
@inline fast_promoted(fast, plain, x::FloatTypes, y::FloatTypes) = fast(Base.promote(x, y)...)
@inline fast_promoted(fast, plain, x::FloatTypes, y::Base.BitInteger) = fast(Base.promote(x, y)...)
@inline fast_promoted(fast, plain, x::Base.BitInteger, y::FloatTypes) = fast(Base.promote(x, y)...)

fast_name(f::Symbol) =
    f === :+ ? :add_fast : f === :- ? :sub_fast : f === :* ? :mul_fast : f === :/ ? :div_fast :
    f === :(==) ? :eq_fast : f === :(!=) ? :ne_fast : f === :≠ ? :ne_fast : f === :< ? :lt_fast :
    f === :(<=) ? :le_fast : f === :≤ ? :le_fast : f === :> ? :gt_fast : f === :(>=) ? :ge_fast : f === :≥ ? :ge_fast :
    f === :min ? :min_fast : f === :max ? :max_fast : f === :sqrt ? :sqrt_fast : nothing
update_name(head::Symbol) =
    head === :+= ? :add_fast : head === :-= ? :sub_fast : head === :*= ? :mul_fast : head === :/= ? :div_fast : nothing
make_fast(x) = x
function make_fast(x::Symbol)
    n = fast_name(x)
    n === nothing ? x : GlobalRef(FastMath, n)
end
function make_fast(x::Expr)
    x.head === :quote && return x
    if x.head === :call && x.args[1] isa Symbol
        n = fast_name(x.args[1])
        f = n === nothing ? x.args[1] : GlobalRef(FastMath, n)
        return Expr(:call, f, Base.mapany(make_fast, x.args[2:end])...)
    end
    n = update_name(x.head)
    if n !== nothing
        target = x.args[1]
        return Expr(:(=), target, Expr(:call, GlobalRef(FastMath, n), target, make_fast(x.args[2])))
    end
    Expr(x.head, Base.mapany(make_fast, x.args)...)
end
macro fastmath(ex)
    Base.esc(make_fast(ex))
end

end

using .FastMath: @fastmath
