# Folding: reductions of iterators and arrays, whole or along dimensions.

struct InitialValue end

# Small integers are summed in `Int`, so that sums do not wrap early.
add_sum(x, y) = x + y
add_sum(x::BitSignedSmall, y::BitSignedSmall) = Int(x) + Int(y)
add_sum(x::BitUnsignedSmall, y::BitUnsignedSmall) = UInt(x) + UInt(y)
add_sum(x::Bool, y::Bool) = Int(x) + Int(y)
mul_prod(x, y) = x * y
mul_prod(x::BitSignedSmall, y::BitSignedSmall) = Int(x) * Int(y)
mul_prod(x::BitUnsignedSmall, y::BitUnsignedSmall) = UInt(x) * UInt(y)
first_of_fold(op, x) = x
first_of_fold(::typeof(add_sum), x::Union{BitSignedSmall, Bool}) = Int(x)
first_of_fold(::typeof(add_sum), x::BitUnsignedSmall) = UInt(x)
first_of_fold(::typeof(mul_prod), x::Union{BitSignedSmall, Bool}) = Int(x)
first_of_fold(::typeof(mul_prod), x::BitUnsignedSmall) = UInt(x)
reduce_empty(op, ::Type{T}) where {T} = throw_empty_reduction()
reduce_empty(::typeof(+), ::Type{T}) where {T} = zero(T)
reduce_empty(::typeof(*), ::Type{T}) where {T} = one(T)
reduce_empty(::typeof(*), ::Type{<:AbstractChar}) = ""
reduce_empty(::typeof(&), ::Type{Bool}) = true
reduce_empty(::typeof(|), ::Type{Bool}) = false
reduce_empty(::typeof(add_sum), ::Type{T}) where {T} = zero_of_sum(T)
reduce_empty(::typeof(mul_prod), ::Type{T}) where {T} = one_of_prod(T)
zero_of_sum(::Type{T}) where {T <: Union{BitSignedSmall, Bool}} = 0
zero_of_sum(::Type{T}) where {T <: BitUnsignedSmall} = UInt(0)
zero_of_sum(::Type{T}) where {T} = zero(T)
one_of_prod(::Type{T}) where {T <: Union{BitSignedSmall, Bool}} = 1
one_of_prod(::Type{T}) where {T <: BitUnsignedSmall} = UInt(1)
one_of_prod(::Type{T}) where {T} = one(T)
@noinline throw_empty_reduction() =
    throw(ArgumentError("reducing over an empty collection is not allowed; consider supplying `init` to the reducer"))
empty_result_of(op, ::typeof(identity), itr) = IteratorEltype(itr) isa HasEltype ? reduce_empty(op, eltype(itr)) : throw_empty_reduction()
empty_result_of(op, f, itr) = IteratorEltype(itr) isa HasEltype ? reduce_empty_map(op, f, eltype(itr)) : empty_result_generator(op, itr)
reduce_empty_map(op, f, ::Type{T}) where {T} = throw_empty_reduction()
reduce_empty_map(op::Union{typeof(add_sum), typeof(mul_prod)}, f::Union{typeof(abs), typeof(abs2)}, ::Type{T}) where {T} =
    reduce_empty(op, T)
reduce_empty_map(op::Union{typeof(add_sum), typeof(mul_prod)}, f, ::Type{T}) where {T} = reduce_empty_op(op, promote_op(f, T))
reduce_empty_op(op, T) = T === Union{} || T === Any ? throw_empty_reduction() : reduce_empty(op, T)
empty_result_generator(op, itr) = throw_empty_reduction()

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
@inline mapfoldl_impl(f, op, ::InitialValue, t::Tuple{Any, Vararg{Any}}) = fold_tuple(f, op, first_of_fold(op, f(t[1])), tail(t)...)
@inline mapfoldl_impl(f, op, init, t::Tuple) = fold_tuple(f, op, init, t...)
mapfoldl_impl(f, op, ::InitialValue, t::Tuple{}) = empty_result_of(op, f, t)
fold_tuple(f, op, v) = v
@inline fold_tuple(f, op, v, x, xs...) = fold_tuple(f, op, op(v, f(x)), xs...)

mapfoldl(f, op, itr; init = InitialValue()) = mapfoldl_impl(f, op, init, itr)
foldl(op, itr; init = InitialValue()) = mapfoldl_impl(identity, op, init, itr)
mapfoldr(f, op, itr; init = InitialValue()) = mapfoldl_impl(f, (x, y) -> op(y, x), init, reverse_of(itr))
foldr(op, itr; init = InitialValue()) = mapfoldr(identity, op, itr; init = init)
reverse_of(itr) = Iterators.reverse(collect(itr))
reverse_of(t::Tuple) = reverse(t)
reverse_of(a::AbstractVector) = Iterators.reverse(a)

mapreduce(f, op, itr; kw...) = mapfoldl(f, op, itr; kw...)
mapreduce(f, op, itr, itrs...; kw...) = reduce(op, Generator(f, itr, itrs...); kw...)
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
function mapreduce_pairwise(f, op, a, lo::Int, hi::Int)
    hi - lo < PAIRWISE_BLOCK && return mapreduce_block(f, op, a, lo, hi)
    mid = lo + ((hi - lo) >> 1)
    op(mapreduce_pairwise(f, op, a, lo, mid), mapreduce_pairwise(f, op, a, mid + 1, hi))
end
const PAIRWISE_BLOCK = 1024
@inline function mapreduce_block(f, op, a, lo::Int, hi::Int)
    v = hi == lo ? first_of_fold(op, f(@inbounds a[lo])) : op(f(@inbounds a[lo]), f(@inbounds a[lo + 1]))
    i = lo + 2
    while i <= hi
        v = op(v, f(@inbounds a[i]))
        i += 1
    end
    v
end

# Along dimensions.
function mapreduce_dims(f, op, init, a::AbstractArray{T, N}, dims) where {T, N}
    ds = dims_tuple(dims)
    for d in ds
        d isa Integer && d >= 1 || throw(ArgumentError(string("region dimension(s) must be ≥ 1, got ", d)))
    end
    shape = ntuple(k -> k in ds ? 1 : size(a, k), N)
    if isempty(a)
        x = init isa InitialValue ? empty_result_of(op, f, a) : init
        return fill!(similar(a, typeof(x), shape), x)
    end
    out = nothing
    for J in CartesianIndices(shape)
        ranges = ntuple(k -> k in ds ? axes(a, k) : (J[k]:J[k]), N)
        v = mapfoldl_impl(I -> f(@inbounds a[I]), op, init, CartesianIndices(ranges))
        if out === nothing
            out = similar(a, reduced_eltype(f, op, T, typeof(v)), shape)
        end
        out[J] = v
    end
    out
end
dims_tuple(d::Integer) = (d,)
dims_tuple(d) = Tuple(d)
reduced_eltype(f, op, T, S) = S
function mapreducedim!(f, op, out::AbstractArray, a::AbstractArray)
    for I in CartesianIndices(a)
        J = CartesianIndex(map((i, n) -> n == 1 ? 1 : i, I.I, ntuple(k -> size(out, k), ndims(a))))
        out[J] = op(out[J], f(a[I]))
    end
    out
end

sum(f, a; kw...) = mapreduce(f, add_sum, a; kw...)
sum(a; kw...) = sum(identity, a; kw...)
sum(a::AbstractArray; dims = :, init = InitialValue()) = mapreduce_dims(identity, add_sum, init, a, dims)
sum(f, a::AbstractArray; dims = :, init = InitialValue()) = mapreduce_dims(f, add_sum, init, a, dims)
prod(f, a; kw...) = mapreduce(f, mul_prod, a; kw...)
prod(a; kw...) = prod(identity, a; kw...)
prod(a::AbstractArray; dims = :, init = InitialValue()) = mapreduce_dims(identity, mul_prod, init, a, dims)
prod(f, a::AbstractArray; dims = :, init = InitialValue()) = mapreduce_dims(f, mul_prod, init, a, dims)
maximum(f, a; kw...) = mapreduce(f, max, a; kw...)
maximum(a; kw...) = mapreduce(identity, max, a; kw...)
minimum(f, a; kw...) = mapreduce(f, min, a; kw...)
minimum(a; kw...) = mapreduce(identity, min, a; kw...)
extrema(a; kw...) = extrema(identity, a; kw...)
extrema(f, a; dims = :, init = InitialValue()) = extrema_of(f, a, dims)
extrema_of(f, a, ::Colon) = mapfoldl(x -> (y = f(x); (y, y)), (p, q) -> (min(p[1], q[1]), max(p[2], q[2])), a)
extrema_of(f, a, dims) = mapreduce(x -> (y = f(x); (y, y)), (p, q) -> (min(p[1], q[1]), max(p[2], q[2])), a; dims = dims)
sum!(out::AbstractArray, a::AbstractArray) = mapreducedim!(identity, +, fill!(out, zero(eltype(out))), a)
prod!(out::AbstractArray, a::AbstractArray) = mapreducedim!(identity, *, fill!(out, one(eltype(out))), a)
maximum!(out::AbstractArray, a::AbstractArray) = copyto!(out, maximum(a; dims = kept_dims(out, a)))
minimum!(out::AbstractArray, a::AbstractArray) = copyto!(out, minimum(a; dims = kept_dims(out, a)))
kept_dims(out, a) = filter(k -> size(out, k) == 1, ntuple(identity, ndims(a)))

all(itr) = all(identity, itr)
any(itr) = any(identity, itr)
function all(f, itr)
    anymissing = false
    for x in itr
        v = f(x)
        if v === missing
            anymissing = true
        elseif !v
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
function count(f, itr; init = 0)
    n = init
    for x in itr
        n += f(x)::Bool
    end
    n
end
count(a::AbstractArray; dims = :, init = 0) = count_array(identity, a, dims, init)
count(f, a::AbstractArray; dims = :, init = 0) = count_array(f, a, dims, init)
count_array(f, a, ::Colon, init) = invoke(count, Tuple{Any, Any}, f, a) + init
count_array(f, a, dims, init) = mapreduce(x -> Int(f(x)::Bool), +, a; dims = dims)

# Where things are.
findmax(a; dims = :) = find_extremum(identity, a, isgreater_nan, dims)
findmin(a; dims = :) = find_extremum(identity, a, isless_nan, dims)
findmax(f, a; dims = :) = find_extremum(f, a, isgreater_nan, dims)
findmin(f, a; dims = :) = find_extremum(f, a, isless_nan, dims)
isgreater_nan(x, y) = isnan_any(x) ? !isnan_any(y) : !isnan_any(y) && isless(y, x)
isless_nan(x, y) = isnan_any(x) ? !isnan_any(y) : !isnan_any(y) && isless(x, y)
isnan_any(x) = false
isnan_any(x::AbstractFloat) = isnan(x)
function find_extremum(f, a, better, ::Colon)
    y = iterate(pairs(a))
    y === nothing && throw(ArgumentError("collection must be non-empty"))
    k, x = y[1]
    best = f(x)
    y = iterate(pairs(a), y[2])
    while y !== nothing
        j, x = y[1]
        v = f(x)
        if better(v, best)
            best = v
            k = j
        end
        y = iterate(pairs(a), y[2])
    end
    (best, k)
end
find_extremum(f, a, better, dims) = find_extremum_dims(f, a, better, dims)
function find_extremum_dims(f, a::AbstractArray{T, N}, better, dims) where {T, N}
    ds = dims_tuple(dims)
    shape = ntuple(k -> k in ds ? 1 : size(a, k), N)
    vals = similar(a, typeof(f(first(a))), shape)
    keys_out = similar(a, eltype(keys(a)), shape)
    for J in CartesianIndices(shape)
        ranges = ntuple(k -> k in ds ? axes(a, k) : (J[k]:J[k]), N)
        best = nothing
        at = nothing
        for I in CartesianIndices(ranges)
            v = f(a[I])
            if at === nothing || better(v, best)
                best = v
                at = I
            end
        end
        vals[J] = best
        keys_out[J] = N == 1 ? at[1] : at
    end
    (vals, keys_out)
end
argmax(a; dims = :) = findmax(a; dims = dims)[2]
argmin(a; dims = :) = findmin(a; dims = dims)[2]
argmax(f, itr) = mapfoldl(x -> (f(x), x), (p, q) -> isless(p[1], q[1]) ? q : p, itr)[2]
argmin(f, itr) = mapfoldl(x -> (f(x), x), (p, q) -> isless(q[1], p[1]) ? q : p, itr)[2]
function findfirst(f::Function, a)
    for (k, x) in pairs(a)
        f(x) && return k
    end
    nothing
end
findfirst(a::AbstractArray) = findfirst(identity, a)
findfirst(a) = findfirst(identity, a)
function findlast(f::Function, a::Union{AbstractArray, Tuple})
    for k in Iterators.reverse(collect(keys(a)))
        f(a[k]) && return k
    end
    nothing
end
findlast(a) = findlast(identity, a)
function findnext(f::Function, a, start)
    i = start
    while i <= last(keys(a))
        f(a[i]) && return i
        i += 1
    end
    nothing
end
findnext(a, start) = findnext(identity, a, start)
function findprev(f::Function, a, start)
    i = start
    while i >= first(keys(a))
        f(a[i]) && return i
        i -= 1
    end
    nothing
end
findprev(a, start) = findprev(identity, a, start)
function findall(f::Function, a::AbstractArray)
    out = Vector{eltype(keys(a))}()
    for k in keys(a)
        f(a[k]) && push!(out, k)
    end
    out
end
findall(f::Function, a) = collect(Iterators.map(first, Iterators.filter(p -> f(p[2]), pairs(a))))
findall(a) = findall(identity, a)
findall(a::AbstractArray) = findall(identity, a)
indexin(a, b) = [findfirst(==(x), b) for x in a]

# Running folds.
cumsum(a::AbstractVector; dims = 1) = accumulate(add_sum, a)
cumsum(a::AbstractArray; dims) = accumulate(add_sum, a; dims = dims)
cumsum(itr) = accumulate(add_sum, collect(itr))
cumprod(a::AbstractVector; dims = 1) = accumulate(mul_prod, a)
cumprod(a::AbstractArray; dims) = accumulate(mul_prod, a; dims = dims)
cumsum!(out, a; dims = 1) = accumulate!(add_sum, out, a; dims = dims)
cumprod!(out, a; dims = 1) = accumulate!(mul_prod, out, a; dims = dims)
function accumulate(op, a::AbstractArray; dims = nothing, init = InitialValue())
    isempty(a) && return similar(a)
    dims === nothing && ndims(a) > 1 && return reshape(accumulate(op, vec(a); init = init), size(a))
    T = accumulated_eltype(op, first(a), init)
    accumulate!(op, similar(a, T), a; dims = dims, init = init)
end
accumulated_eltype(op, x, ::InitialValue) = typeof(op(first_of_fold(op, x), x))
accumulated_eltype(op, x, init) = typeof(op(init, x))
accumulate(op, itr; kw...) = accumulate(op, collect(itr); kw...)
function accumulate!(op, out, a::AbstractArray; dims = nothing, init = InitialValue())
    isempty(a) && return out
    if ndims(a) == 1
        v = init isa InitialValue ? first_of_fold(op, a[1]) : op(init, a[1])
        out[1] = v
        for i in 2:length(a)
            v = op(v, a[i])
            out[i] = v
        end
        return out
    end
    d = dims === nothing ? 1 : Int(dims)
    for I in CartesianIndices(a)
        out[I] = I[d] == 1 ? (init isa InitialValue ? first_of_fold(op, a[I]) : op(init, a[I])) :
            op(out[CartesianIndex(setindex(I.I, I[d] - 1, d))], a[I])
    end
    out
end
function diff(a::AbstractVector)
    [a[i + 1] - a[i] for i in 1:(length(a) - 1)]
end
function diff(a::AbstractArray; dims::Integer)
    n = size(a, dims)
    selectdim(a, dims, 2:n) .- selectdim(a, dims, 1:(n - 1))
end
