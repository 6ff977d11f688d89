# Folding: reductions of iterators and arrays, whole or along dimensions.

struct InitialValue end

# Small integers are summed in `Int`, so that sums do not wrap early.
add_sum(x, y) = x + y
add_sum(x::BitSignedSmall, y::BitSignedSmall) = Int(x) + Int(y)
add_sum(x::BitUnsignedSmall, y::BitUnsignedSmall) = UInt(x) + UInt(y)
add_sum(x::Bool, y::Bool) = Int(x) + Int(y)
# Of numbers without a concrete type inference knows that the result is a number.
add_sum(x::Real, y::Real)::Real = x + y
mul_prod(x, y) = x * y
mul_prod(x::BitSignedSmall, y::BitSignedSmall) = Int(x) * Int(y)
mul_prod(x::BitUnsignedSmall, y::BitUnsignedSmall) = UInt(x) * UInt(y)
mul_prod(x::Real, y::Real)::Real = x * y
first_of_fold(op, x) = x
first_of_fold(::typeof(add_sum), x::Union{BitSignedSmall, Bool}) = Int(x)
first_of_fold(::typeof(add_sum), x::BitUnsignedSmall) = UInt(x)
first_of_fold(::typeof(mul_prod), x::BitSignedSmall) = Int(x)
first_of_fold(::typeof(mul_prod), x::BitUnsignedSmall) = UInt(x)
first_of_fold(::typeof(+), x::Bool) = Int(x)
first_of_fold(::Union{typeof(*), typeof(mul_prod)}, x::AbstractChar) = string(x)
# How packages call these.
const _InitialValue = InitialValue
const reduce_first = first_of_fold
mapreduce_first(f, op, x) = first_of_fold(op, f(x))
mapreduce_empty(f, op, ::Type{T}) where {T} = reduce_empty_map(op, f, T)
mapreduce_empty(::typeof(identity), op, ::Type{T}) where {T} = reduce_empty(op, T)
mapreduce_empty_iter(f, op, itr, ::HasEltype) = mapreduce_empty(f, op, eltype(itr))
mapreduce_empty_iter(f, op, itr, ::EltypeUnknown) = empty_result_of(op, f, itr)
mapreduce_empty(f, op, T) = throw_empty_reduction()
reduce_empty(op, ::Type{T}) where {T} = throw_empty_reduction()
reduce_empty(op, ::Type{Union{}}) = throw_empty_reduction()
reduce_empty(::typeof(+), ::Type{Union{}}) = throw_empty_reduction()
reduce_empty(::typeof(*), ::Type{Union{}}) = throw_empty_reduction()
reduce_empty(::typeof(add_sum), ::Type{Union{}}) = throw_empty_reduction()
reduce_empty(::typeof(mul_prod), ::Type{Union{}}) = throw_empty_reduction()
reduce_empty(::typeof(+), ::Type{T}) where {T} = zero(T)
reduce_empty(::typeof(+), ::Type{Bool}) = 0
reduce_empty(::typeof(*), ::Type{T}) where {T} = one(T)
reduce_empty(::typeof(*), ::Type{<:AbstractChar}) = ""
reduce_empty(::typeof(&), ::Type{Bool}) = true
reduce_empty(::typeof(|), ::Type{Bool}) = false
reduce_empty(::typeof(add_sum), ::Type{T}) where {T} = zero_of_sum(T)
reduce_empty(::typeof(mul_prod), ::Type{T}) where {T} = one_of_prod(T)
zero_of_sum(::Type{T}) where {T <: Union{BitSignedSmall, Bool}} = 0
zero_of_sum(::Type{T}) where {T <: BitUnsignedSmall} = UInt(0)
zero_of_sum(::Type{T}) where {T} = zero(T)
one_of_prod(::Type{T}) where {T <: BitSignedSmall} = 1
one_of_prod(::Type{T}) where {T <: BitUnsignedSmall} = UInt(1)
one_of_prod(::Type{T}) where {T} = one(T)
@noinline throw_empty_reduction() =
    throw(ArgumentError("reducing over an empty collection is not allowed; consider supplying `init` to the reducer"))
empty_result_of(op, ::typeof(identity), itr) = IteratorEltype(itr) isa HasEltype ? reduce_empty(op, eltype(itr)) : throw_empty_reduction()
empty_result_of(op, f, itr) = IteratorEltype(itr) isa HasEltype ? reduce_empty_map(op, f, eltype(itr)) : empty_result_generator(op, itr)
reduce_empty_map(op, f, ::Type{T}) where {T} = throw_empty_reduction()
reduce_empty_map(op, ::typeof(identity), ::Type{T}) where {T} = reduce_empty(op, T)
reduce_empty_map(op, f::Union{typeof(abs), typeof(abs2)}, ::Type{T}) where {T} = abs(reduce_empty(op, T))
reduce_empty_map(::typeof(max), f::Union{typeof(abs), typeof(abs2)}, ::Type{T}) where {T <: Number} = f(zero(T))
empty_result_generator(op, itr) = throw_empty_reduction()
# A generator or a filter is as empty as what it is over, whose element type is known more often.
empty_result_of(op, f, g::Generator) = empty_result_of(op, g.f === identity ? f : f ∘ g.f, g.iter)
empty_result_of(op, ::typeof(identity), g::Generator) = empty_result_of(op, g.f, g.iter)

@inline function mapfoldl_impl(f, op, ::InitialValue, itr)
    y = iterate(itr)
    y === nothing && return empty_result_of(op, f, itr)
    v = first_of_fold(op, f(y[1]))
    y = iterate(itr, y[2])
    while y !== nothing
        v = op(v, f(y[1]))
        y = iterate(itr, y[2])
    end
    v
end
@inline function mapfoldl_impl(f, op, init, itr)
    v = init
    y = iterate(itr)
    while y !== nothing
        v = op(v, f(y[1]))
        y = iterate(itr, y[2])
    end
    v
end
@inline mapfoldl_impl(f, op, ::InitialValue, t::Tuple) =
    t === () ? empty_result_of(op, f, t) : length(t) > 32 ? invoke(mapfoldl_impl, Tuple{Any, Any, InitialValue, Any}, f, op, InitialValue(), t) :
    fold_tuple(f, op, first_of_fold(op, f(t[1])), tail(t)...)
@inline mapfoldl_impl(f, op, init, t::Tuple) =
    length(t) > 32 ? invoke(mapfoldl_impl, Tuple{Any, Any, Any, Any}, f, op, init, t) : fold_tuple(f, op, init, t...)
fold_tuple(f, op, v) = v
@inline fold_tuple(f, op, v, x, xs...) = fold_tuple(f, op, op(v, f(x)), xs...)

mapfoldl(f, op, itr; init = InitialValue()) = mapfoldl_impl(f, op, init, itr)
foldl(op, itr; init = InitialValue()) = mapfoldl_impl(identity, op, init, itr)
# An operation with its arguments exchanged: a fold from the right.
struct FlipArgs{F}
    f::F
end
@inline (op::FlipArgs)(x, y) = op.f(y, x)
first_of_fold(op::FlipArgs, x) = first_of_fold(op.f, x)
reduce_empty(op::FlipArgs, ::Type{T}) where {T} = reduce_empty(op.f, T)
reduce_empty(op::FlipArgs, ::Type{Union{}}) = reduce_empty(op.f, Union{})
reduce_empty_map(op::FlipArgs, f, ::Type{T}) where {T} = reduce_empty_map(op.f, f, T)
reduce_empty_map(op::FlipArgs, f::Union{typeof(abs), typeof(abs2)}, ::Type{T}) where {T} = reduce_empty_map(op.f, f, T)
reduce_empty_map(op::FlipArgs, ::typeof(identity), ::Type{T}) where {T} = reduce_empty(op.f, T)
mapfoldr(f, op, itr; init = InitialValue()) = mapfoldl_impl(f, FlipArgs(op), init, reverse_of(itr))
foldr(op, itr; init = InitialValue()) = mapfoldr(identity, op, itr; init = init)
reverse_of(itr) = Iterators.reverse(collect(itr))
reverse_of(t::Tuple) = reverse(t)
reverse_of(t::NamedTuple) = reverse(namedtuple_values(t))
reverse_of(a::AbstractVector) = Iterators.reverse(a)

mapreduce(f, op, itr; kw...) = mapfoldl(f, op, itr; kw...)
mapreduce(f, op, itr, itrs...; kw...) = reduce(op, Generator(f, itr, itrs...); kw...)
mapreduce(f, op, a::AbstractArray, bs::AbstractArray...; kw...) = reduce(op, map(f, a, bs...); kw...)
reduce(op, itr; kw...) = mapreduce(identity, op, itr; kw...)
mapreduce(f, op, a::AbstractArray; dims = :, init = InitialValue()) = mapreduce_dims(f, op, init, a, dims)
reduce(op, a::AbstractArray; kw...) = mapreduce(identity, op, a; kw...)

# Pairwise for linear arrays: the rounding error grows with the logarithm of the length.
mapreduce_dims(f, op, init, a::AbstractArray, ::Colon) = mapfoldl_impl(f, op, init, a)
function mapreduce_dims(f, op, ::InitialValue, a::AbstractArray, ::Colon)
    n = length(a)
    IndexStyle(a) === IndexLinear() && n > 0 || return mapfoldl_impl(f, op, InitialValue(), a)
    n == 1 ? first_of_fold(op, f(@inbounds a[firstindex(a)])) : mapreduce_pairwise(f, op, a, firstindex(a), lastindex(a))
end
# The steps of `mapreduce` under the names by which packages give methods to them.
_mapreduce(f, op, ::IndexStyle, a::AbstractArray) = mapreduce_dims(f, op, InitialValue(), a, :)
mapreduce_impl(f, op, a::AbstractArray, first::Integer, last::Integer) = mapreduce_impl(f, op, a, first, last, pairwise_blocksize(f, op))
mapreduce_impl(f, op, a::AbstractArray, first::Integer, last::Integer, ::Int) =
    first == last ? first_of_fold(op, f(@inbounds a[first])) : mapreduce_pairwise(f, op, a, first, last)
# Compiled for each function, although it calls none itself.
function mapreduce_pairwise(f::F, op::O, a, lo::Integer, hi::Integer) where {F, O}
    hi - lo < PAIRWISE_BLOCK && return mapreduce_block(f, op, a, lo, hi)
    mid = lo + ((hi - lo) >> 1)
    op(mapreduce_pairwise(f, op, a, lo, mid), mapreduce_pairwise(f, op, a, mid + 1, hi))
end
const PAIRWISE_BLOCK = 1024
pairwise_blocksize(f, op) = PAIRWISE_BLOCK
@inline function mapreduce_block(f, op, a, lo::Integer, hi::Integer)
    v = hi == lo ? first_of_fold(op, f(@inbounds a[lo])) : op(f(@inbounds a[lo]), f(@inbounds a[lo + 1]))
    # The last index may be the largest of its type.
    i = lo + 1
    while i < hi
        i += 1
        v = op(v, f(@inbounds a[i]))
    end
    v
end

sum(f, a; kw...) = mapreduce(f, add_sum, a; kw...)
sum(a; kw...) = sum(identity, a; kw...)
prod(f, a; kw...) = mapreduce(f, mul_prod, a; kw...)
prod(a; kw...) = prod(identity, a; kw...)
maximum(f, a; kw...) = mapreduce(f, max, a; kw...)
maximum(a; kw...) = mapreduce(identity, max, a; kw...)
minimum(f, a; kw...) = mapreduce(f, min, a; kw...)
minimum(a; kw...) = mapreduce(identity, min, a; kw...)
extrema(a; kw...) = extrema(identity, a; kw...)
extrema(f, a; kw...) = mapreduce(ExtremaMap(f), _extrema_rf, a; kw...)
struct ExtremaMap{F} <: Function
    f::F
end
ExtremaMap(::Type{T}) where {T} = ExtremaMap{Type{T}}(T)
@inline (e::ExtremaMap)(x) = (y = e.f(x); (y, y))
# A pair with NaN stays as it is, sign and all.
@inline function _extrema_rf(p::NTuple{2, T}, q::NTuple{2, T}) where {T <: IEEEFloat}
    isnan(p[1]) && return p
    isnan(q[1]) && return q
    (min(p[1], q[1]), max(p[2], q[2]))
end
@inline _extrema_rf(p::NTuple{2, Any}, q::NTuple{2, Any}) = (min(p[1], q[1]), max(p[2], q[2]))

all(itr) = all(identity, itr)
any(itr) = any(identity, itr)
function all(f, itr)
    anymissing = false
    for x in itr
        v = f(x)
        if v === missing
            anymissing = true
        elseif v
            continue
        else
            return false
        end
    end
    anymissing ? missing : true
end
function any(f, itr)
    anymissing = false
    for x in itr
        v = f(x)
        if v === missing
            anymissing = true
        elseif v
            return true
        end
    end
    anymissing ? missing : false
end
all(a::AbstractArray; dims = :) = dims isa Colon ? all_iter(identity, a) : mapreduce(identity, &, a; dims = dims)
any(a::AbstractArray; dims = :) = dims isa Colon ? any_iter(identity, a) : mapreduce(identity, |, a; dims = dims)
all(f::Function, a::AbstractArray; dims = :) = dims isa Colon ? all_iter(f, a) : mapreduce(f, &, a; dims = dims)
any(f::Function, a::AbstractArray; dims = :) = dims isa Colon ? any_iter(f, a) : mapreduce(f, |, a; dims = dims)
all_iter(f, a) = invoke(all, Tuple{Any, Any}, f, a)
any_iter(f, a) = invoke(any, Tuple{Any, Any}, f, a)

count(itr; init = 0) = count(identity, itr; init = init)
count(f, itr; init = 0) = count_from(f, itr, init)
function count_from(f, itr, init::T) where {T}
    n = init
    for x in itr
        n += convert(T, f(x)::Bool)
    end
    n
end
count(a::AbstractArray; dims = :, init = 0) = count(identity, a; dims, init)
count(f, a::AbstractArray; dims = :, init = 0) = count_array(f, a, dims, init)
count_array(f, a, ::Colon, init) = count_from(f, a, init)
count_array(f, a, dims, init) = mapreduce(x -> f(x)::Bool, (n, b) -> n + oftype(n, b), a; dims = dims, init = init)
