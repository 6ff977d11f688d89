# Single elements of device arrays, read or written by host code. `allowscalar(false)` refuses it, as a GPU is slow at it;
# what is done to whole arrays is done to the arrays of the host behind them, whatever they are wrapped in.

allowscalar(allow::Bool = true) = (SCALARS[] = allow; nothing)
function allowscalar(f)
    before = SCALARS[]
    SCALARS[] = true
    try
        return f()
    finally
        SCALARS[] = before
    end
end
macro allowscalar(ex)
    # What is assigned to is the caller's variable.
    if ex isa Expr && ex.head === :(=) && ex.args[1] isa Symbol
        return Expr(:(=), esc(ex.args[1]), :(allowscalar(() -> $(esc(ex.args[2])))))
    end
    return quote
        local before = SCALARS[]
        SCALARS[] = true
        try
            $(esc(ex))
        finally
            SCALARS[] = before
        end
    end
end
# The same array on the host, without a copy.
struct OnHost end
Adapt.adapt_storage(::OnHost, a::AbstractGPUArray) = a.data
const WrappedGPUArray = Union{
    SubArray{<:Any,<:Any,<:AbstractGPUArray}, Base.ReshapedArray{<:Any,<:Any,<:AbstractGPUArray},
    Base.Transpose{<:Any,<:AbstractGPUArray}, Base.Adjoint{<:Any,<:AbstractGPUArray},
    Base.ReshapedArray{<:Any,<:Any,<:SubArray{<:Any,<:Any,<:AbstractGPUArray}}}
on_host(a::AbstractGPUArray) = a.data
on_host(a::WrappedGPUArray) = Adapt.adapt(OnHost(), a)
on_host(x) = x
const AnyGPUArray = Union{AbstractGPUArray,WrappedGPUArray}
const AnyGPUVector{T} = AbstractGPUVector{T}
const AnyGPUMatrix{T} = AbstractGPUMatrix{T}
# What came of `a` is where `a` is, if it is an array that can be.
on_device(a, x) = x
on_device(a, x::Array) = isempty(x) || Base.allocatedinline(eltype(x)) ? wrap(owner(a), x) : x
owner(a::AbstractGPUArray) = a
owner(a::WrappedGPUArray) = owner(parent(a))

Base.Array(a::WrappedGPUArray) = collect(on_host(a))
Base.collect(a::WrappedGPUArray) = collect(on_host(a))
host_copy(a::WrappedGPUArray) = collect(on_host(a))
unwrap(a::WrappedGPUArray) = on_host(a)
Base.copyto!(dest::Array, src::WrappedGPUArray) = copyto!(dest, on_host(src))
Base.copyto!(dest::AbstractGPUArray, src::WrappedGPUArray) = (copyto!(dest.data, on_host(src)); dest)
Base.fill!(a::WrappedGPUArray, x) = (fill!(on_host(a), x); a)
for wrapper in (SubArray, Base.ReshapedArray)
    @eval Base.Broadcast.BroadcastStyle(::Type{<:$wrapper{T,N,A}}) where {T,N,A<:AbstractGPUArray} = style_of(A, Val(N))
end
Base.Broadcast.BroadcastStyle(::Type{<:Base.Transpose{T,A}}) where {T,A<:AbstractGPUArray} = style_of(A, Val(2))
Base.Broadcast.BroadcastStyle(::Type{<:Base.Adjoint{T,A}}) where {T,A<:AbstractGPUArray} = style_of(A, Val(2))
style_of(::Type{A}, dims::Val) where {A} = typeof(Base.Broadcast.BroadcastStyle(A))(dims)
Base.copyto!(dest::WrappedGPUArray, b::Base.Broadcast.Broadcasted) = (Base.Broadcast.materialize!(on_host(dest), unwrap(b)); dest)
Base.copyto!(dest::WrappedGPUArray, b::Base.Broadcast.Broadcasted{<:Base.Broadcast.AbstractArrayStyle{0}}) =
    (Base.Broadcast.materialize!(on_host(dest), unwrap(b)); dest)

# Parts of arrays are arrays.
const Part = Union{AbstractArray,Colon}
for count in 1:4, part in 1:count
    # The first that is no number is number `part`.
    before, after = Any[:($(Symbol(:i, n))::Integer) for n in 1:part-1], Any[Symbol(:i, n) for n in part+1:count]
    all = Any[Symbol(:i, n) for n in 1:count]
    @eval Base.getindex(a::AbstractGPUArray, $(before...), $(Symbol(:i, part))::Part, $(after...)) =
        on_device(a, getindex(a.data, checked_indices(a, $(all...))...))
    @eval Base.setindex!(a::AbstractGPUArray, x, $(before...), $(Symbol(:i, part))::Part, $(after...)) =
        (setindex!(a.data, on_host(x), checked_indices(a, $(all...))...); a)
end

# The indices on the host. One out of bounds is out of those of the array that the program has, not of the one behind it.
function checked_indices(a::AbstractGPUArray, I...)
    J = map(on_host, I)
    checkbounds(a, Base.to_indices(a.data, J)...)
    return J
end

# A view of elements that follow each other in memory is an array of the device itself.
@inline function Base.view(a::AbstractGPUArray, I...)
    J = Base.to_indices(a.data, I)
    checkbounds(a, J...)
    return contiguous_view(a, is_contiguous(J...), J)
end
contiguous_view(a, ::Val{false}, J) = (K = Base.ensure_indexable(J); SubArray(Base.view_parent(a, K), K))
contiguous_view(a, ::Val{true}, J) =
    wrap(a, Base.array_at(a.data, Base.view_first(Base.view_parent(a.data, J), J), Base.index_dims(J...)), a.memory)
is_contiguous() = Val(true)
is_contiguous(i::Base.Slice, rest...) = is_contiguous(rest...)
is_contiguous(i::AbstractUnitRange, rest...) = all_numbers(rest...)
is_contiguous(i::Int, rest...) = all_numbers(rest...)
is_contiguous(i, rest...) = Val(false)
all_numbers(rest::Int...) = Val(true)
all_numbers(rest...) = Val(false)

# Functions of whole arrays. Each has the arguments that Base's methods take, so that neither is ambiguous with the other.
for f in (:reverse, :sort, :cumsum, :cumprod, :permutedims, :findall, :findfirst, :findlast, :findmax, :findmin,
          :argmax, :argmin, :extrema, :count, :unique, :repeat)
    @eval Base.$f(a::AbstractGPUArray; kw...) = on_device(a, $f(a.data; kw...))
end
for f in (:findall, :findfirst, :findlast, :count, :accumulate, :any, :all, :extrema)
    @eval Base.$f(g::Function, a::AbstractGPUArray; kw...) = on_device(a, $f(g, a.data; kw...))
end
Base.findall(p::Base.Fix2{typeof(in)}, a::AbstractGPUArray) = on_device(a, findall(p, a.data))
Base.permutedims(a::AbstractGPUArray, perm) = on_device(a, permutedims(a.data, perm))
Base.repeat(a::AbstractGPUArray, counts...) = on_device(a, repeat(a.data, counts...))
Base.circshift(a::AbstractGPUArray, k::Integer) = on_device(a, circshift(a.data, k))
Base.circshift(a::AbstractGPUArray, shifts) = on_device(a, circshift(a.data, shifts))
Base.hash(a::AbstractGPUArray, h::UInt) = hash(a.data, h)
Base.reverse(a::AbstractGPUVector, lo::Integer, hi::Integer = lastindex(a)) = on_device(a, reverse(a.data, lo, hi))
Base.reverse!(a::AbstractGPUVector, lo::Integer, hi::Integer = lastindex(a)) = (reverse!(a.data, lo, hi); a)
for f in (:reverse!, :sort!)
    @eval Base.$f(a::AbstractGPUArray; kw...) = ($f(a.data; kw...); a)
end
for f in (:sum, :prod, :maximum, :minimum, :extrema, :any, :all, :count)
    @eval Base.$f(a::WrappedGPUArray; kw...) = on_device(a, $f(on_host(a); kw...))
    @eval Base.$f(g::Function, a::WrappedGPUArray; kw...) = on_device(a, $f(g, on_host(a); kw...))
end
Base.isapprox(a::AnyGPUArray, b::AbstractArray; kw...) = isapprox(on_host(a), on_host(b); kw...)
Base.isapprox(a::AbstractArray, b::AnyGPUArray; kw...) = isapprox(a, on_host(b); kw...)
Base.isapprox(a::AnyGPUArray, b::AnyGPUArray; kw...) = isapprox(on_host(a), on_host(b); kw...)
Base.:(==)(a::AnyGPUArray, b::AbstractArray) = on_host(a) == on_host(b)
Base.:(==)(a::AbstractArray, b::AnyGPUArray) = a == on_host(b)
Base.:(==)(a::AnyGPUArray, b::AnyGPUArray) = on_host(a) == on_host(b)
Base.dot(a::AnyGPUArray, b::AbstractArray) = Base.dot(on_host(a), on_host(b))
Base.dot(a::AbstractArray, b::AnyGPUArray) = Base.dot(a, on_host(b))
Base.dot(a::AnyGPUArray, b::AnyGPUArray) = Base.dot(on_host(a), on_host(b))
Base.norm(a::AnyGPUArray, p::Real = 2) = Base.norm(on_host(a), p)
for f in (:rand!, :randn!, :randexp!), R in (Random.AbstractRNG, Base.TaskLocalRNG)
    @eval Base.$f(rng::$R, a::AbstractGPUArray) = (Base.$f(rng, a.data); a)
end
for f in (:rand!, :randn!, :randexp!)
    @eval Base.$f(a::AbstractGPUArray) = (Base.$f(rng(), a.data); a)
end
for R in (Random.AbstractRNG, Base.TaskLocalRNG)
    @eval Base.rand!(rng::$R, a::AbstractGPUArray, x) = (Base.rand!(rng, a.data, x); a)
end
Base.rand!(a::AbstractGPUArray, x) = (Base.rand!(rng(), a.data, x); a)
for f in (:hcat, :vcat)
    @eval Base.$f(a::AbstractGPUArray, rest::Union{AbstractGPUArray,Number}...) = on_device(a, $f(a.data, map(on_host, rest)...))
end
Base.cat(a::AbstractGPUArray, rest::AbstractGPUArray...; dims) = on_device(a, cat(a.data, map(on_host, rest)...; dims))
Base.show(io::IO, a::AnyGPUArray) = show(io, on_host(a))
Base.show(io::IO, m::MIME"text/plain", a::AnyGPUArray) =
    allowscalar(() -> invoke(show, Tuple{IO,MIME"text/plain",AbstractArray}, io, m, a))
