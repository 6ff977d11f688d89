# Types of arrays, and the functions that make them: `zeros`, `ones`, `fill`, `rand`, `randn` of the dialect's own module.

# `@array_type A Style Memory`: `A{T,N,M}`, whose arrays live in memory of a kind `M`, which is `Memory` unless it is said, and
# whose broadcasts have the style `Style{N}`. `zeros` and `ones` without a type are of `Number`s; these functions say `M` by the keyword
# argument `storage`, if it is given. The dialect's module has a type `DevicePointer{T}` of pointers to their elements.
macro array_type(A, Style, Memory, Number = :Float32, storage = nothing)
    return esc(Expr(:block, type_definition(A), constructors(A, Memory), style_definition(A, Style, Memory), makers(A, Memory, Number, storage)))
end

type_definition(A) = quote
    mutable struct $A{T,N,M} <: GPUArraysCore.DialectArray{T,N}
        data::Array{T,N}
        memory::Any     # what holds the memory that `data` lies in, if that does not itself
        function $A{T,N,M}(data::Array{T,N}, memory = nothing) where {T,N,M}
            Base.allocatedinline(T) ||
                throw(ArgumentError($(string(A, " only supports element types that are stored inline"))))
            GPUArraysCore.check_elements($A, T)
            return new{T,N,M}(data, memory)
        end
    end
end

constructors(A, Memory) = quote
    $A{T,N,M}(::UndefInitializer, dims::Dims{N}) where {T,N,M} = GPUArraysCore.new_array($A{T,N,M}, T, dims)
    $A{T,N,M}(::UndefInitializer, dims::Integer...) where {T,N,M} = $A{T,N,M}(undef, map(Int, dims))
    $A{T,1}() where {T} = $A{T,1}(undef, 0)
    $A{T,1,M}() where {T,M} = $A{T,1,M}(undef, 0)
    $A{T,N}(::UndefInitializer, dims::Dims{N}) where {T,N} = $A{T,N,$Memory}(undef, dims)
    $A{T,N}(::UndefInitializer, dims::Integer...) where {T,N} = $A{T,N}(undef, map(Int, dims))
    $A{T,N}(::UndefInitializer, dims::NTuple{N,Integer}) where {T,N} = $A{T,N}(undef, map(Int, dims))
    $A{T}(::UndefInitializer, dims::Tuple{Vararg{Integer}}) where {T} = $A{T,length(dims)}(undef, map(Int, dims))
    $A{T}(::UndefInitializer, dims::Integer...) where {T} = $A{T}(undef, dims)

    $A(a::$A{T,N,M}) where {T,N,M} = $A{T,N,M}(copy(a.data))
    $A(a::AbstractArray{T,N}) where {T,N} = GPUArraysCore.new_from($A{T,N,$Memory}, a)
    $A{T}(a::AbstractArray{S,N}) where {T,S,N} = $A{T,N,$Memory}(convert(Array{T,N}, GPUArraysCore.host_copy(a)))
    $A{T,N}(a::AbstractArray{S,N}) where {T,S,N} = $A{T}(a)
    $A{T,N,M}(a::AbstractArray{S,N}) where {T,S,N,M} = $A{T,N,M}(convert(Array{T,N}, GPUArraysCore.host_copy(a)))

    GPUArraysCore.launch_options(::$A) = (; method_tables = (method_table,))
    GPUArraysCore.wrap(::$A{T,N,M}, data::Array{S,K}, memory = nothing) where {T,N,M,S,K} = $A{S,K,M}(data, memory)
    # Plain bits are what a kernel can be given: ranges and static arrays stay what they are.
    Adapt.adapt_storage(::Type{X}, a::AbstractArray) where {X<:$A} = isbitstype(typeof(a)) ? a : convert(X, a)
    # An array of the device over memory that is there.
    $(unsafe_wraps(A, Memory))
end

unsafe_wraps(A, Memory) = quote
    Base.unsafe_wrap(::Type{$A{T,N,M}}, p::DevicePointer{T}, dims::NTuple{N,Int}; own::Bool = false) where {T,N,M} =
        $A{T,N,M}(unsafe_wrap(Array, GPUArraysCore.host_pointer(p), dims))
    Base.unsafe_wrap(::Union{Type{$A},Type{$A{T}},Type{$A{T,N}}}, p::DevicePointer{T}, dims::NTuple{N,Integer}; own::Bool = false) where {T,N} =
        unsafe_wrap($A{T,N,$Memory}, p, map(Int, dims))
    Base.unsafe_wrap(::Union{Type{$A},Type{$A{T}},Type{$A{T,1}}}, p::DevicePointer{T}, n::Integer; own::Bool = false) where {T} =
        unsafe_wrap($A{T,1,$Memory}, p, (Int(n),))
end

style_definition(A, Style, Memory) = quote
    struct $Style{N} <: GPUArraysCore.DialectStyle{N} end
    $Style{M}(::Val{N}) where {M,N} = $Style{N}()
    Base.Broadcast.BroadcastStyle(::Type{<:$A{T,N}}) where {T,N} = $Style{N}()
    GPUArraysCore.adopted(::Type{<:$Style}, data::Array{T,N}) where {T,N} = $A{T,N,$Memory}(data)
    GPUArraysCore.made(::Type{<:$Style}, ::Type{T}, dims::Dims{N}) where {T,N} = $A{T,N,$Memory}(undef, dims)
end

# A new array has one owner: it becomes an array of the device without a copy.
function makers(A, Memory, Number, storage)
    M = storage === nothing ? Memory : storage
    given = storage === nothing ? Any[] : Any[Expr(:parameters, Expr(:kw, storage, Memory))]
    same = storage === nothing ? Any[] : Any[Expr(:parameters, Expr(:kw, storage, storage))]
    return quote
        # On a device kernels fill them.
        filled(host, ::Type{T}, ::Type{M}, x, dims::Dims{N}) where {T,M,N} =
            GPUArraysCore.uses_kernels() ? Base.fill!($A{T,N,M}(undef, dims), x) : $A{T,N,M}(host())
        zeros($(given...), ::Type{T}, dims::Tuple{Vararg{Integer}}) where {T} =
            filled(() -> Base.zeros(T, dims), T, $M, zero(T), map(Int, dims))
        zeros($(given...), ::Type{T}, dims::Integer...) where {T} = zeros($(same...), T, dims)
        zeros($(given...), dims::Integer...) = zeros($(same...), $Number, dims...)
        ones($(given...), ::Type{T}, dims::Tuple{Vararg{Integer}}) where {T} =
            filled(() -> Base.ones(T, dims), T, $M, one(T), map(Int, dims))
        ones($(given...), ::Type{T}, dims::Integer...) where {T} = ones($(same...), T, dims)
        ones($(given...), dims::Integer...) = ones($(same...), $Number, dims...)
        fill($(given...), x, dims::Tuple{Vararg{Integer}}) = filled(() -> Base.fill(x, dims), typeof(x), $M, x, map(Int, dims))
        fill($(given...), x, dims::Integer...) = fill($(same...), x, dims)
        rand($(given...), ::Type{T}, dims::Integer...) where {T} = rand($(same...), T, dims)
        rand($(given...), ::Type{T}, dims::Tuple) where {T} = Base.rand!($A{T,length(dims),$M}(undef, map(Int, dims)))
        rand($(given...), dims::Integer...) = rand($(same...), Float32, dims...)
        randn($(given...), ::Type{T}, dims::Integer...) where {T} = randn($(same...), T, dims)
        randn($(given...), ::Type{T}, dims::Tuple) where {T} = Base.randn!($A{T,length(dims),$M}(undef, map(Int, dims)))
        randn($(given...), dims::Integer...) = randn($(same...), Float32, dims...)
        # Of this generator alone: what the host draws is not settled by it.
        seed!(seed::Integer = Base.rand(UInt64)) = (Base.seed!(GPUArraysCore.RNG, seed); nothing)
        unsafe_free!(a::$A) = GPUArraysCore.Device.free(a.data)
    end
end
function wrap end
# Dialects whose devices lack types refuse arrays of them.
check_elements(A, T) = nothing
function adopted end
# A new array of a style, and how kernels of a dialect are compiled.
function made end
function launch_options end
# A pointer to the device as the processor's own, and the other way round.
host_pointer(p::Ptr) = p
address(a, p::Ptr) = p
