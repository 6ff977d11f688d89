# Products, and other linear algebra that needs no solver. Groups multiply matrices tile by tile in their memory.

const TILE = 16
function product_by_tiles(c, a, b, alpha, beta, ::Of{T}, m::Int, n::Int, k::Int, fresh::Bool) where {T}
    left = Device.shared_array(eltype(a), Val((TILE, TILE)), Val(:left))
    right = Device.shared_array(eltype(b), Val((TILE, TILE)), Val(:right))
    l, g, rows = Device.local_id(1), Device.group_id(1), cld(m, TILE)
    q = div(l, TILE)
    r = l - q * TILE
    tile = div(g, rows)
    row, column = (g - tile * rows) * TILE + r + 1, tile * TILE + q + 1
    sum = zero(T)
    before = 0
    while before < k
        @inbounds left[r + 1, q + 1] = row <= m && before + q + 1 <= k ? a[row, before + q + 1] : zero(eltype(a))
        @inbounds right[r + 1, q + 1] = before + r + 1 <= k && column <= n ? b[before + r + 1, column] : zero(eltype(b))
        Device.barrier()
        for i in 1:TILE
            sum = @inbounds Base.add_product(sum, left[r + 1, i], right[i, q + 1])
        end
        Device.barrier()
        before += TILE
    end
    if row <= m && column <= n
        @inbounds c[row, column] = fresh ? alpha * sum : alpha * sum + beta * c[row, column]
    end
    return
end
# Products of narrow numbers are formed as numbers of the result.
function sum_type(c, ::Type{T}) where {T}
    W = promote_type(T, eltype(c))
    return T <: Number && isconcretetype(W) ? W : T
end
struct TimesAs{T} <: Function end
@inline (::TimesAs{T})(x, y) where {T} = Base.add_product(zero(T), x, y)
function Base.matmul!(c::AnyDialectArray, a::AnyDialectArray, b::AnyDialectArray, alpha, beta)
    uses_kernels() || return (Base.matmul!(on_host(c), on_host(a), on_host(b), alpha, beta); c)
    size(a, 2) == size(b, 1) || Base.throw_matmul(a, b)
    m, n, k = size(a, 1), size(b, 2), size(a, 2)
    size(c) == (m, n) || throw(DimensionMismatch(string("the product of ", size(a), " and ", size(b), " does not fit into ", size(c))))
    m * n == 0 && return c
    T = sum_type(c, check_plain_type(Base.product_eltype(a, b), *, (eltype(a), eltype(b))))
    launch(owner(c), product_by_tiles, cld(m, TILE) * cld(n, TILE),
        (c, unaliased(nothing, a), unaliased(nothing, b), alpha, beta, Of{T}(), m, n, k, iszero(beta)))
    return c
end
function Base.matvec!(c::AnyDialectArray, a::AnyDialectArray, x::AnyDialectArray, alpha, beta)
    uses_kernels() || return (Base.matvec!(on_host(c), on_host(a), on_host(x), alpha, beta); c)
    size(a, 2) == length(x) || Base.throw_matmul(a, x)
    size(c, 1) == size(a, 1) || throw(DimensionMismatch(string("the product has ", size(a, 1), " elements, the result ", length(c))))
    isempty(c) && return c
    P = check_plain_type(Base.product_eltype(a, x), *, (eltype(a), eltype(x)))
    T = sum_type(c, P)
    sums = isempty(a) ? fill!(made_like(c, T, (length(c),)), zero(T)) :
        vec(fold_by_kernel(T === P ? (*) : TimesAs{T}(), +, Base.InitialValue(), (a, transpose(x)), 2))
    iszero(beta) ? (c .= alpha .* sums) : (c .= alpha .* sums .+ beta .* c)
    return c
end

# Inner products. Those with an array of the host are of a copy here.
function Base.dot(a::AnyDialectArray, b::AnyDialectArray)
    uses_kernels() || return Base.dot(on_host(a), on_host(b))
    length(a) == length(b) || throw(DimensionMismatch(string("first array has length ", length(a),
        " which does not match the length of the second, ", length(b), ".")))
    isempty(a) && return Base.dot(zero(eltype(a)), zero(eltype(b)))
    return fold_by_kernel(Base.dot, +, Base.InitialValue(), (reshape(a, length(a)), reshape(b, length(b))), :)
end
Base.dot(a::AnyDialectArray, b::AbstractArray) = Base.dot(Array(a), b)
Base.dot(a::AbstractArray, b::AnyDialectArray) = Base.dot(a, Array(b))
function Base.dot_plain(a::AnyDialectArray, x::AnyDialectArray)
    uses_kernels() || return Base.dot_plain(on_host(a), on_host(x))
    length(a) == length(x) || throw(DimensionMismatch(string("dot product arguments have lengths ", length(a), " and ", length(x))))
    isempty(x) && return zero(Base.product_eltype(a, x))
    return fold_by_kernel(*, +, Base.InitialValue(), (reshape(a, length(a)), reshape(x, length(x))), :)
end
Base.axpy!(alpha, x::AnyDialectArray, y::AnyDialectArray) = (y .+= alpha .* x; y)
Base.axpby!(alpha, x::AnyDialectArray, beta, y::AnyDialectArray) = (y .= alpha .* x .+ beta .* y; y)
# GPUArrays has methods for numbers and arrays that are not wrapped.
Base.axpy!(alpha::Number, x::DialectArray, y::DialectArray) = (y .+= alpha .* x; y)
Base.axpby!(alpha::Number, x::DialectArray, beta::Number, y::DialectArray) = (y .= alpha .* x .+ beta .* y; y)
Base.rmul!(a::AnyDialectArray, s::Number) = (a .*= s; a)
Base.lmul!(s::Number, a::AnyDialectArray) = (a .= s .* a; a)
Base.normalize!(a::AnyDialectArray) = (a ./= Base.norm(a); a)
# Not all devices have doubles.
Base.norm_type(a::AnyDialectArray) = typeof(float(Base.norm(zero(eltype(a)))))
Base.power_type(a::AnyDialectArray, ::Type{T}) where {T} = promote_type(Float32, T)
Base.norm(a::AnyDialectArray, p::Real = 2) = uses_kernels() ? invoke(Base.norm, Tuple{Any,Real}, a, p) : Base.norm(on_host(a), p)

# Comparisons. What is compared with an array of the host is copied there.
function Base.:(==)(a::AnyDialectArray, b::AnyDialectArray)
    uses_kernels() || return on_host(a) == on_host(b)
    return axes(a) == axes(b) && (isempty(a) || fold_by_kernel(==, &, true, (a, b), :))
end
Base.:(==)(a::AnyDialectArray, b::AbstractArray) = in_order(a) == b
Base.:(==)(a::AbstractArray, b::AnyDialectArray) = a == in_order(b)
function Base.isequal(a::AnyDialectArray, b::AnyDialectArray)
    uses_kernels() || return isequal(on_host(a), on_host(b))
    return axes(a) == axes(b) && (isempty(a) || fold_by_kernel(isequal, &, true, (a, b), :))
end
Base.isapprox(a::AnyDialectArray, b::AbstractArray; kw...) = isapprox(in_order(a), b; kw...)
Base.isapprox(a::AbstractArray, b::AnyDialectArray; kw...) = isapprox(a, in_order(b); kw...)
Base.isapprox(a::AnyDialectArray, b::AnyDialectArray; kw...) = isapprox(in_order(a), in_order(b); kw...)
Base.hash(a::AnyDialectArray, h::UInt) = hash(in_order(a), h)
Base.show(io::IO, a::AnyDialectArray) = show(io, in_order(a))
Base.show(io::IO, m::MIME"text/plain", a::AnyDialectArray) =
    allowscalar(() -> invoke(show, Tuple{IO,MIME"text/plain",AbstractArray}, io, m, a))
