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
Adapt.adapt_storage(::OnHost, a::CuArray) = a.data
const WrappedCuArray = Union{
    SubArray{<:Any,<:Any,<:CuArray}, Base.ReshapedArray{<:Any,<:Any,<:CuArray},
    Base.Transpose{<:Any,<:CuArray}, Base.Adjoint{<:Any,<:CuArray},
    Base.ReshapedArray{<:Any,<:Any,<:SubArray{<:Any,<:Any,<:CuArray}}}
on_host(a::CuArray) = a.data
on_host(a::WrappedCuArray) = Adapt.adapt(OnHost(), a)
on_host(x) = x
const AnyOnDevice = Union{CuArray,WrappedCuArray}
on_device(x) = x
on_device(x::Array) = isempty(x) || Base.allocatedinline(eltype(x)) ? CuArray(x) : x

Base.Array(a::WrappedCuArray) = collect(on_host(a))
Base.collect(a::WrappedCuArray) = collect(on_host(a))
host_copy(a::WrappedCuArray) = collect(on_host(a))
unwrap(a::WrappedCuArray) = on_host(a)
Base.copyto!(dest::Array, src::WrappedCuArray) = copyto!(dest, on_host(src))
Base.copyto!(dest::CuArray, src::WrappedCuArray) = (copyto!(dest.data, on_host(src)); dest)
Base.fill!(a::WrappedCuArray, x) = (fill!(on_host(a), x); a)
for wrapper in (SubArray, Base.ReshapedArray)
    @eval Base.Broadcast.BroadcastStyle(::Type{<:$wrapper{T,N,<:CuArray}}) where {T,N} = CuArrayStyle{N}()
end
Base.Broadcast.BroadcastStyle(::Type{<:Base.Transpose{T,<:CuArray}}) where {T} = CuArrayStyle{2}()
Base.Broadcast.BroadcastStyle(::Type{<:Base.Adjoint{T,<:CuArray}}) where {T} = CuArrayStyle{2}()
Base.copyto!(dest::WrappedCuArray, b::Base.Broadcast.Broadcasted) = (Base.Broadcast.materialize!(on_host(dest), unwrap(b)); dest)
Base.copyto!(dest::WrappedCuArray, b::Base.Broadcast.Broadcasted{<:Base.Broadcast.AbstractArrayStyle{0}}) =
    (Base.Broadcast.materialize!(on_host(dest), unwrap(b)); dest)

# Parts of arrays are arrays.
const Part = Union{AbstractArray,Colon}
for count in 1:4, part in 1:count
    # The first that is no number is number `part`.
    before, after = Any[:($(Symbol(:i, n))::Integer) for n in 1:part-1], Any[Symbol(:i, n) for n in part+1:count]
    all = Any[Symbol(:i, n) for n in 1:count]
    @eval Base.getindex(a::CuArray, $(before...), $(Symbol(:i, part))::Part, $(after...)) =
        on_device(getindex(a.data, map(on_host, ($(all...),))...))
    @eval Base.setindex!(a::CuArray, x, $(before...), $(Symbol(:i, part))::Part, $(after...)) =
        (setindex!(a.data, on_host(x), map(on_host, ($(all...),))...); a)
end

# Functions of whole arrays.
for f in (:reverse, :sort, :cumsum, :cumprod, :permutedims, :findall, :findfirst, :findlast, :findmax, :findmin,
          :argmax, :argmin, :extrema, :count, :unique, :repeat, :circshift, :accumulate, :hash)
    @eval Base.$f(a::CuArray, args...; kw...) = on_device($f(a.data, args...; kw...))
end
for f in (:findall, :findfirst, :findlast, :count, :accumulate, :any, :all)
    @eval Base.$f(g::Function, a::CuArray; kw...) = on_device($f(g, a.data; kw...))
end
for f in (:reverse!, :sort!)
    @eval Base.$f(a::CuArray, args...; kw...) = ($f(a.data, args...; kw...); a)
end
for f in (:sum, :prod, :maximum, :minimum, :extrema, :any, :all, :count)
    @eval Base.$f(a::WrappedCuArray; kw...) = on_device($f(on_host(a); kw...))
    @eval Base.$f(g::Function, a::WrappedCuArray; kw...) = on_device($f(g, on_host(a); kw...))
end
Base.isapprox(a::AnyOnDevice, b::AbstractArray; kw...) = isapprox(on_host(a), on_host(b); kw...)
Base.isapprox(a::AbstractArray, b::AnyOnDevice; kw...) = isapprox(a, on_host(b); kw...)
Base.isapprox(a::AnyOnDevice, b::AnyOnDevice; kw...) = isapprox(on_host(a), on_host(b); kw...)
Base.:(==)(a::AnyOnDevice, b::AbstractArray) = on_host(a) == on_host(b)
Base.:(==)(a::AbstractArray, b::AnyOnDevice) = a == on_host(b)
Base.:(==)(a::AnyOnDevice, b::AnyOnDevice) = on_host(a) == on_host(b)
Base.dot(a::AnyOnDevice, b::AbstractArray) = Base.dot(on_host(a), on_host(b))
Base.dot(a::AbstractArray, b::AnyOnDevice) = Base.dot(a, on_host(b))
Base.dot(a::AnyOnDevice, b::AnyOnDevice) = Base.dot(on_host(a), on_host(b))
Base.norm(a::AnyOnDevice, p::Real = 2) = Base.norm(on_host(a), p)
for f in (:rand!, :randn!, :randexp!)
    @eval Base.$f(a::CuArray, args...) = (Base.$f(a.data, args...); a)
    @eval Base.$f(rng::Random.AbstractRNG, a::CuArray, args...) = (Base.$f(rng, a.data, args...); a)
end
for f in (:hcat, :vcat)
    @eval Base.$f(a::CuArray, rest::Union{CuArray,Number}...) = on_device($f(a.data, map(on_host, rest)...))
end
Base.cat(a::CuArray, rest::CuArray...; dims) = on_device(cat(a.data, map(on_host, rest)...; dims))
Base.show(io::IO, a::AnyOnDevice) = show(io, on_host(a))
Base.show(io::IO, m::MIME"text/plain", a::AnyOnDevice) =
    allowscalar(() -> invoke(show, Tuple{IO,MIME"text/plain",AbstractArray}, io, m, a))
