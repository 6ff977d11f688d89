# What every dialect of kernels is built on: index queries, device arrays, argument conversion, compiling and launching.
module Device

import Core.Intrinsics: kiln_local_id, kiln_group_id, kiln_local_size, kiln_num_groups, kiln_barrier,
    kiln_shared_memory, kiln_dynamic_shared_memory, kiln_dynamic_shared_bytes, kiln_private_memory, kiln_kernel_state, kiln_debug_level,
    bitcast, pointerref, pointerset, atomic_pointermodify, atomic_pointerswap, atomic_pointerreplace,
    atomic_pointerref, atomic_pointerset
import Core: checked_length, checked_product
import Base: @propagate_inbounds, size, length, getindex, setindex!, pointer, elsize, IndexStyle, show, showerror

# Thrown when a kernel cannot be compiled; the message is the rendered diagnostic.
struct KernelError <: Exception
    msg::String
end
showerror(io::IO, e::KernelError) = print(io, e.msg)

# Index queries: from 0, `Int`. Dimensions are 1, 2, 3.
@inline local_id(d::Int) = kiln_local_id(d - 1)
@inline group_id(d::Int) = kiln_group_id(d - 1)
@inline local_size(d::Int) = kiln_local_size(d - 1)
@inline num_groups(d::Int) = kiln_num_groups(d - 1)
@inline local_linear() = local_id(1) + local_size(1) * (local_id(2) + local_size(2) * local_id(3))
@inline group_linear() = group_id(1) + num_groups(1) * (group_id(2) + num_groups(2) * group_id(3))
@inline barrier() = (kiln_barrier(); nothing)

# An array as a kernel sees it, on every device: plain bits. `len` is how many elements it has; in an array of a union of
# plain bits it is how many bytes lie between the first element and its selector.
struct DeviceArray{T,N,A} <: DenseArray{T,N}
    ptr::Core.LLVMPtr{T,A}
    dims::NTuple{N,Int}
    len::Int
end
const DeviceVector{T,A} = DeviceArray{T,1,A}
const DeviceMatrix{T,A} = DeviceArray{T,2,A}

const GLOBAL = 1
const SHARED = 3
const PRIVATE = 5

@inline as_ptr(p::Core.LLVMPtr{T,A}) where {T,A} = bitcast(Ptr{T}, p)
@inline as_device_ptr(::Type{T}, ::Val{A}, p::Ptr) where {T,A} = bitcast(Core.LLVMPtr{T,A}, p)

@inline DeviceArray{T,N,A}(p::Core.LLVMPtr{T,A}, dims::NTuple{N,Int}) where {T,N,A} =
    DeviceArray{T,N,A}(p, dims, T isa Union ? checked_bytes(T, dims) : checked_length(dims))
# As packages make them of a pointer: upstream the dimensions come first.
@inline DeviceArray(dims::Tuple{Vararg{Integer}}, p::Core.LLVMPtr{T,A}) where {T,A} = DeviceArray{T,length(dims),A}(p, map(Int, dims))
@inline DeviceArray(len::Integer, p::Core.LLVMPtr) = DeviceArray((len,), p)
@inline DeviceArray{T}(dims, p::Core.LLVMPtr{T}) where {T} = DeviceArray(dims, p)
@inline DeviceArray{T,N}(dims, p::Core.LLVMPtr{T}) where {T,N} = DeviceArray(dims, p)::DeviceArray{T,N}
@inline DeviceArray{T,N,A}(dims, p::Core.LLVMPtr{T,A}) where {T,N,A} = DeviceArray(dims, p)::DeviceArray{T,N,A}
# The bytes of so many elements, without the selectors of a union's.
@inline checked_bytes(::Type{T}, dims::Dims) where {T} = checked_product(checked_length(dims), Base.aligned_sizeof(T))
@inline device_array(::Type{T}, ::Val{A}, p::Ptr, dims::NTuple{N,Int}) where {T,A,N} =
    DeviceArray{T,N,A}(as_device_ptr(T, Val(A), p), dims)

@inline size(a::DeviceArray) = a.dims
@inline length(a::DeviceArray{T}) where {T} = T isa Union ? prod(a.dims) : a.len
@inline pointer(a::DeviceArray) = as_ptr(a.ptr)
@inline pointer(a::DeviceArray{T}, i::Integer) where {T} = as_ptr(a.ptr) + (Int(i) - 1) * Base.elsize(typeof(a))
@inline Base.sizeof(a::DeviceArray{T}) where {T} = length(a) * Base.aligned_sizeof(T)
@inline elsize(::Type{<:DeviceArray{T}}) where {T} = Base.aligned_sizeof(T)
IndexStyle(::Type{<:DeviceArray}) = Base.IndexLinear()
Base.unsafe_convert(::Type{Ptr{T}}, a::DeviceArray{T}) where {T} = pointer(a)

@propagate_inbounds function getindex(a::DeviceArray{T}, i::Int) where {T}
    @boundscheck checkbounds(a, i)
    T isa Union && Base.isbitsunion(T) && return member_ref(T, a, i)
    return pointerref(as_ptr(a.ptr), i, 0)
end
@propagate_inbounds getindex(a::DeviceArray, i::Integer) = a[Int(i)]
@propagate_inbounds function setindex!(a::DeviceArray{T}, x, i::Int) where {T}
    @boundscheck checkbounds(a, i)
    if T isa Union && Base.isbitsunion(T)
        member_set!(T, a, convert(T, x)::T, i)
    else
        pointerset(as_ptr(a.ptr), convert(T, x)::T, i, 0)
    end
    return a
end
@propagate_inbounds setindex!(a::DeviceArray, x, i::Integer) = setindex!(a, x, Int(i))

# Elements of a union of plain bits: as many bytes each as the largest member has, and elsewhere a selector, the number of
# the member that is there, from 0 in the union's order.
@inline function member_ref(::Type{T}, a::DeviceArray, i::Int) where {T}
    data, selector = member_places(T, a, i)
    return load_member(T, data, pointerref(selector, 1, 0), 0x00)
end
@inline function member_set!(::Type{T}, a::DeviceArray, x, i::Int) where {T}
    data, selector = member_places(T, a, i)
    store_member!(T, data, selector, x, 0x00)
    return nothing
end
@inline function member_places(::Type{T}, a::DeviceArray, i::Int) where {T}
    start = bitcast(Ptr{UInt8}, as_ptr(a.ptr))
    return start + (i - 1) * Base.aligned_sizeof(T), start + (a.len + i - 1)
end
@inline function load_member(::Type{T}, data, selector, number) where {T}
    T isa Union || return pointerref(bitcast(Ptr{T}, data), 1, 0)
    selector === number && return pointerref(bitcast(Ptr{T.a}, data), 1, 0)
    return load_member(T.b, data, selector, number + 0x01)
end
@inline function store_member!(::Type{T}, data, selector, x, number) where {T}
    if !(T isa Union)
        pointerset(bitcast(Ptr{T}, data), x::T, 1, 0)
        pointerset(selector, number, 1, 0)
    elseif x isa T.a
        pointerset(bitcast(Ptr{T.a}, data), x, 1, 0)
        pointerset(selector, number, 1, 0)
    else
        store_member!(T.b, data, selector, x, number + 0x01)
    end
    return nothing
end

# Kernels follow pointers of every address space, and compute with them. The alignment is the program's promise: without one,
# devices access memory byte by byte.
@inline Base.unsafe_load(p::Core.LLVMPtr, i::Integer = 1, ::Val{align} = Val(1)) where {align} = pointerref(as_ptr(p), Int(i), align)
@inline function Base.unsafe_store!(p::Core.LLVMPtr{T}, x, i::Integer = 1, ::Val{align} = Val(1)) where {T,align}
    pointerset(as_ptr(p), convert(T, x)::T, Int(i), align)
    return p
end

# Numbers that devices load from memory that no item writes while the kernel runs.
const LOADABLE = Union{Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32,UInt64,Float16,Float32,Float64}
# An element of such memory, by the address of the first and its number from 0, with the alignment that elements have if it is 0.
# Targets that have instructions for it replace the method of numbers.
@inline load_constant(p::Core.LLVMPtr{T}, i::Int, ::Val{align}) where {T,align} = pointerref(as_ptr(p), i + 1, align)
@inline load_constant(p::Core.LLVMPtr{NTuple{N,T},A}, i::Int, align::Val) where {N,T,A} = load_constant_tuple(p, T, i, align)
@inline load_constant_tuple(p::Core.LLVMPtr, ::Type, i::Int, ::Val{align}) where {align} = pointerref(as_ptr(p), i + 1, align)
@inline function load_constant_tuple(p::Core.LLVMPtr{NTuple{N,T},A}, ::Type{T}, i::Int, align::Val) where {N,T<:LOADABLE,A}
    first = as_device_ptr(T, Val(A), bitcast(Ptr{T}, p))
    return ntuple(k -> load_constant(first, N * i + (k - 1), k == 1 ? align : Val(0)), Val(N))
end
@inline function load_constant_tuple(p::Core.LLVMPtr{NTuple{N,VecElement{T}},A}, ::Type{VecElement{T}}, i::Int,
                                     ::Val{align}) where {N,T<:LOADABLE,A,align}
    stride = Base.aligned_sizeof(NTuple{N,VecElement{T}})
    whole = as_device_ptr(NTuple{N,T}, Val(A), bitcast(Ptr{NTuple{N,T}}, as_ptr(p) + i * stride))
    return map(VecElement, load_constant(whole, 0, align == 0 ? Val(min(16, stride)) : Val(align)))
end
@inline Base.:(+)(p::Core.LLVMPtr{T,A}, n::Integer) where {T,A} = as_device_ptr(T, Val(A), as_ptr(p) + n)
@inline Base.:(+)(n::Integer, p::Core.LLVMPtr) = p + n
@inline Base.:(-)(p::Core.LLVMPtr{T,A}, n::Integer) where {T,A} = as_device_ptr(T, Val(A), as_ptr(p) - n)
@inline Base.:(-)(p::Core.LLVMPtr, q::Core.LLVMPtr) = as_ptr(p) - as_ptr(q)
@inline Base.:(==)(p::Core.LLVMPtr, q::Core.LLVMPtr) = as_ptr(p) == as_ptr(q)

# Zero-dimensional and scalar-like access, `A[]`.
@propagate_inbounds getindex(a::DeviceArray) = a[1]

Base.reshape(a::DeviceArray, dims::Tuple{}) = invoke(reshape, Tuple{DeviceArray, Dims}, a, dims)
function Base.reshape(a::DeviceArray{T,M,A}, dims::NTuple{N,Int}) where {T,M,A,N}
    checked_length(dims) == length(a) || throw(DimensionMismatch("new dimensions must be consistent with array size"))
    return DeviceArray{T,N,A}(a.ptr, dims, a.len)
end
Base.similar(a::DeviceArray) = error("arrays cannot be allocated in a kernel")
# The dialect that the program uses names the types: the first of whose name for them `Main` knows.
function dialect_in_use()
    for record in DIALECTS[]
        names = get(record, :row_names, ())
        !isempty(names) && isdefined(Main, Symbol(names[1])) && return record
    end
    return nothing
end
dialect() = (record = dialect_in_use(); record === nothing ? Device : record.home)
Base.NAMING_MODULES[Device] = dialect
function Base.showarg(io::IO, a::DeviceArray{T,N}, toplevel) where {T,N}
    toplevel || print(io, "::")
    record = dialect_in_use()
    name = record === nothing ? "Device" : chopsuffix(record.row_names[1], "Array")
    N == 1 && return print(io, name, "Vector{", T, "}")
    N == 2 && return print(io, name, "Matrix{", T, "}")
    return print(io, name, "Array{", T, ", ", N, "}")
end
show(io::IO, a::DeviceArray{T,N}) where {T,N} = print(io, "DeviceArray{", T, ", ", N, "} of size ", a.dims)

# Memory of the group and of the item. Sizes must be known at compile time.
@inline bytes_of(::Type{T}, count::Int) where {T} = count * (Base.aligned_sizeof(T) + (T isa Union ? 1 : 0))
@inline function shared_array(::Type{T}, ::Val{dims}, ::Val{key} = Val(:shared), ::Val{align} = Val(1)) where {T,dims,key,align}
    p = kiln_shared_memory(bytes_of(T, prod(dims)), max(Base.datatype_alignment(T), align), key)
    return device_array(T, Val(SHARED), p, map(Int, dims))
end
# An array that is larger than the launch gave throws where it is made, whether it would be accessed or not.
@noinline throw_shared_memory() = throw(BoundsError())
@inline function dynamic_shared_array(::Type{T}, dims::NTuple{N,Int}, offset::Int) where {T,N}
    @boundscheck begin
        bytes, all = checked_bytes(T, dims) + (T isa Union ? checked_length(dims) : 0), kiln_dynamic_shared_bytes()
        (offset >= 0) & (bytes >= 0) & (bytes <= all) && offset <= all - bytes || throw_shared_memory()
    end
    return device_array(T, Val(SHARED), kiln_dynamic_shared_memory() + offset, dims)
end
@inline function private_array(::Type{T}, ::Val{dims}, ::Val{key} = Val(:private)) where {T,dims,key}
    p = kiln_private_memory(bytes_of(T, prod(dims)), Base.datatype_alignment(T), key)
    return device_array(T, Val(PRIVATE), p, map(Int, dims))
end

# Atomic operations on an element, by its pointer. Orders are names that are known when a kernel is compiled.
const AtomicInteger = Union{Base.BitInteger, Bool}
const AtomicFloat = Union{Float16, Float32, Float64}
const BitOperator = Union{typeof(&), typeof(|), typeof(xor)}
const NumberOperator = Union{typeof(+), typeof(-), typeof(min), typeof(max)}

# Of what has several parts, the whole: integers of its size are compared and exchanged.
@inline atomic_bits(p::Ptr{T}) where {T} = isprimitivetype(T) ? p : bitcast(Ptr{unsigned_of(Val(sizeof(T)))}, p)
@inline unsigned_of(::Val{1}) = UInt8
@inline unsigned_of(::Val{2}) = UInt16
@inline unsigned_of(::Val{4}) = UInt32
@inline unsigned_of(::Val{8}) = UInt64
@inline unsigned_of(::Val) = throw(ArgumentError("atomic operations are on 1, 2, 4 or 8 bytes"))
@inline to_bits(::Ptr{T}, x::T) where {T} = x
@inline to_bits(::Ptr{U}, x) where {U} = reinterpret(U, x)
@inline from_bits(::Type{T}, x::T) where {T} = x
@inline from_bits(::Type{T}, x) where {T} = reinterpret(T, x)

@inline atomic_load(p::Ptr{T}, order::Symbol = :monotonic) where {T} =
    from_bits(T, atomic_pointerref(atomic_bits(p), order))
@inline function atomic_store!(p::Ptr{T}, x, order::Symbol = :monotonic) where {T}
    atomic_pointerset(atomic_bits(p), to_bits(atomic_bits(p), convert(T, x)::T), order)
    return nothing
end
@inline atomic_exchange!(p::Ptr{T}, x, order::Symbol = :monotonic) where {T} =
    from_bits(T, atomic_pointerswap(atomic_bits(p), to_bits(atomic_bits(p), convert(T, x)::T), order))
# What was there, and whether that was what was expected and is replaced.
@inline function atomic_replace!(p::Ptr{T}, expected, desired, success::Symbol = :acquire_release, failure::Symbol = :monotonic) where {T}
    bits = atomic_bits(p)
    seen = atomic_pointerreplace(bits, to_bits(bits, convert(T, expected)::T), to_bits(bits, convert(T, desired)::T), success, failure)
    return (old = from_bits(T, seen.old), success = seen.success)
end
# Read, modify and write: the old and the new value.
@inline atomic_modify!(p::Ptr{T}, op::NumberOperator, x, order::Symbol = :monotonic) where {T<:Union{Base.BitInteger,AtomicFloat}} =
    atomic_pointermodify(p, op, convert(T, x), order)
@inline atomic_modify!(p::Ptr{T}, op::BitOperator, x, order::Symbol = :monotonic) where {T<:AtomicInteger} =
    atomic_pointermodify(p, op, convert(T, x), order)
# What no instruction does: compute, and exchange if the place is unchanged.
@inline function atomic_modify!(p::Ptr{T}, op, x, order::Symbol = :acquire_release) where {T}
    bits = atomic_bits(p)
    seen = atomic_pointerref(bits, :monotonic)
    while true
        old = from_bits(T, seen)
        new = convert(T, op(old, x))::T
        both = atomic_pointerreplace(bits, seen, to_bits(bits, new), order, :monotonic)
        both.success && return Pair{T,T}(old, new)
        seen = both.old
    end
end
@inline atomic_old!(p::Ptr, op, x) = atomic_modify!(p, op, x).first
@inline atomic_cas!(p::Ptr, expected, desired) = atomic_replace!(p, expected, desired).old

# The same where there is nothing for less than 32 bits: by the word of memory that the bits lie in.
const NarrowBits = Union{Bool, Int8, UInt8, Int16, UInt16, Float16}
@inline function word_of(p::Ptr{T}) where {T}
    byte = bitcast(UInt, p) & 0x0000000000000003
    shift = (byte % UInt32) << 0x00000003
    return bitcast(Ptr{UInt32}, p - byte), shift, (sizeof(T) == 1 ? 0x000000ff : 0x0000ffff) << shift
end
@inline narrow_bits(x::Bool) = UInt32(x)
@inline narrow_bits(x::T) where {T} = UInt32(reinterpret(unsigned_of(Val(sizeof(T))), x))
@inline of_narrow(::Type{Bool}, word::UInt32, shift::UInt32) = (word >> shift) & 0x000000ff != 0x00000000
@inline of_narrow(::Type{T}, word::UInt32, shift::UInt32) where {T} = reinterpret(T, (word >> shift) % unsigned_of(Val(sizeof(T))))

@inline function narrow_load(p::Ptr{T}, order::Symbol) where {T}
    word, shift, _ = word_of(p)
    return of_narrow(T, atomic_pointerref(word, order), shift)
end
@inline function narrow_modify!(p::Ptr{T}, op, x, order::Symbol) where {T}
    word, shift, mask = word_of(p)
    seen = atomic_pointerref(word, :monotonic)
    while true
        old = of_narrow(T, seen, shift)
        new = convert(T, op(old, x))::T
        both = atomic_pointerreplace(word, seen, (seen & ~mask) | (narrow_bits(new) << shift), order, :monotonic)
        both.success && return Pair{T,T}(old, new)
        seen = both.old
    end
end
@inline function narrow_replace!(p::Ptr{T}, expected::T, desired::T, success::Symbol, failure::Symbol) where {T}
    word, shift, mask = word_of(p)
    seen = atomic_pointerref(word, failure)
    while (seen & mask) >> shift == narrow_bits(expected)
        both = atomic_pointerreplace(word, seen, (seen & ~mask) | (narrow_bits(desired) << shift), success, failure)
        both.success && return (old = expected, success = true)
        seen = both.old
    end
    return (old = of_narrow(T, seen, shift), success = false)
end
@inline right(old, new) = new

# Host side: arrays become device arrays, structurally through tuples, named tuples and closures. Other structs say
# how through `Adapt.adapt_structure`.
function adapt_storage end
function adapt_structure end
struct ToDevice end

adapt(to, x) = adapt_structure(to, x)
adapt_structure(to, x) = adapt_storage(to, x)
adapt_storage(to, x) = x
adapt_structure(to, xs::Tuple) = map(x -> adapt(to, x), xs)
adapt_structure(to, xs::NamedTuple) = map(x -> adapt(to, x), xs)
function adapt_structure(to, f::Function)
    T = typeof(f)
    nfields(f) == 0 && return f
    fields = ntuple(i -> adapt(to, getfield(f, i)), nfields(f))
    all(i -> fields[i] === getfield(f, i), 1:nfields(f)) && return f
    return rebuild(T, fields)
end
adapt_structure(to, r::Base.RefValue) = Ref(adapt(to, r[]))
adapt_structure(to, a::SubArray) =
    SubArray(adapt(to, parent(a)), adapt(to, parentindices(a)))
adapt_structure(to, a::Base.PermutedDimsArray{T,N,perm}) where {T,N,perm} = Base.PermutedDimsArray(adapt(to, parent(a)), perm)
adapt_structure(to, a::Base.ReshapedArray) = reshape(adapt(to, parent(a)), size(a))
adapt_structure(to, a::Base.Transpose) = Base.Transpose(adapt(to, parent(a)))
adapt_structure(to, a::Base.Adjoint) = Base.Adjoint(adapt(to, parent(a)))
adapt_structure(to, b::Base.Broadcast.Broadcasted) =
    Base.Broadcast.Broadcasted(b.style, adapt(to, b.f), adapt(to, b.args), b.axes)

@eval splatnew(T, fields) = $(Expr(:splatnew, :T, :fields))

# A closure with other captured values: its type parameters are the types of those that have them as types.
function rebuild(T, fields)
    declared = Base.unwrap_unionall(T.name.wrapper)
    names = declared.parameters
    params = Any[T.parameters...]
    for (i, ft) in enumerate(declared.types)
        for (j, p) in enumerate(names)
            ft === p && (params[j] = typeof(fields[i]))
        end
    end
    return splatnew(Core.apply_type(T.name.wrapper, params...), fields)
end

# A whole array of the host's memory. Launches do this for every argument, and are interpreted: nothing is converted that
# has its type already.
@eval new_device_array(::Type{D}, ptr, dims, len) where {D} = $(Expr(:new, :D, :ptr, :dims, :len))
whole(a::Array{T,N}) where {T,N} = T isa Union ? whole_of_union(a) :
    new_device_array(DeviceArray{T,N,GLOBAL}, first_element(Core.LLVMPtr{T,GLOBAL}, a), getfield(a, :size), length(a))
first_element(::Type{P}, a) where {P} = bitcast(P, getfield(getfield(a, :ref), :ptr_or_offset))
function whole_of_union(a::Array{T,N}) where {T,N}
    mem, skipped, stride = getfield(a, :ref).mem, Base.memoryrefoffset(getfield(a, :ref)) - 1, Base.aligned_sizeof(T)
    first = bitcast(Core.LLVMPtr{T,GLOBAL}, mem.ptr + skipped * stride)
    return new_device_array(DeviceArray{T,N,GLOBAL}, first, getfield(a, :size), (mem.length - skipped) * stride + skipped)
end
# An array of anything but plain bits stays what it is, and is refused by the launch.
adapt_storage(::ToDevice, a::Array{T}) where {T} = isbitstype(T) || Base.isbitsunion(T) ? whole(a) : a
to_device(x) = adapt(ToDevice(), x)

# Compiling and launching. `groups` and `items` have up to three dimensions.
three(x::Integer) = (Int(x), 1, 1)
three(x::Tuple{Int,Int,Int}) = x
three(x::Tuple) = ntuple(i -> i <= length(x) ? whole_number(x[i]) : 1, 3)
three(x) = (whole_number(x), 1, 1)
whole_number(n::Integer) = Int(n)
@noinline whole_number(x) = throw(ArgumentError(string("a launch takes whole numbers of blocks and threads, not ", repr(x), "::",
    typeof(x), "; `cld(n, size)` rounds a quotient up")))

compile(f, tt::Type; kwargs...) = compile(f, tt, values(kwargs))
@inline compile(f, tt::Type, options::NamedTuple) = Core.Host.kernel_compile(f, tt, options)

# `f` (a closure's captured values are passed too) and `args` are device-side values already; `keep` holds what they
# point into.
function launch(handle::UInt64, f, groups, items, shmem::Integer, args...; keep = nothing)
    return launch_tuple(handle, f, three(groups), three(items), Int(shmem), args, keep)
end
@inline function launch_tuple(handle::UInt64, f, groups::NTuple{3,Int}, items::NTuple{3,Int}, shmem::Int, args::Tuple, keep)
    run_kernel(handle, groups, items, shmem, f, args)
    Core.donotdelete(keep)
    return nothing
end

# Launches a compiled kernel, and notes its time while a profile is taken.
function run_kernel(handle::UInt64, groups, items, shmem::Union{Int,NTuple{5,Int}}, f::F, args::Tuple) where {F}
    Base.DeviceProfile.taking || return Core.Host.kernel_launch(handle, groups, items, shmem, f, args...)
    Base.DeviceProfile.recorded(Base.DeviceProfile.kernel_name(f)) do
        Core.Host.kernel_launch(handle, groups, items, shmem, f, args...)
    end
end

# The same for what `prepared` returned.
function run_profiled(prepared::Tuple, groups, items, bytes::Int)
    kernel = prepared[1]
    run_kernel(getfield(kernel, :handle), groups, items, bytes, getfield(kernel, :f), prepared[2])
    Core.donotdelete(prepared)
    return kernel
end

# What most launches of a dialect are, in two steps, which this defines in its module: `prepared(f, args)`, the compiled kernel with
# the arguments, and `launched(prepared, groups, items, bytes)`, the launch, which `check` has nothing against: an expression of
# `kernel`, `groups` and `items`, which the dialect's `dims3` has made three numbers each. `rest` are the fields of a `Kernel` behind
# the function and its handle. They are methods of each dialect, because programs have many kernels, each a type of its own, and
# host code is interpreted: there are to be few calls that a new type has to be found a method for. Both ask for the type of their
# tuple, so that code which does not know it dispatches the call when it runs, and what is called knows all types.
macro launch_steps(Kernel, convert, check, rest...)
    made = Expr(:new, :($Kernel{typeof(converted),types}), :converted, :handle, rest...)
    # Named directly: a launch without a profile pays one read of a global for it.
    is_profiled = GlobalRef(Base.DeviceProfile, :taking)
    return esc(quote
        const NO_OPTIONS = (; method_tables = (method_table,))
        function prepared(f::F, args::T) where {F,T<:Tuple}
            converted, inputs = $convert(f), map($convert, args)
            types = Tuple{map(Core.Typeof, inputs)...}
            handle = Core.Host.kernel_compile(converted, types, NO_OPTIONS)
            return ($made, inputs, args::T)
        end
        function launched(prepared::T, groups_given, items_given, bytes::Int) where {T<:Tuple}
            kernel, groups, items = getfield(prepared::T, 1), dims3(groups_given), dims3(items_given)
            $check
            $is_profiled && return Base.Device.run_profiled(prepared, groups, items, bytes)
            Core.Host.kernel_launch(getfield(kernel, :handle), groups, items, bytes, getfield(kernel, :f), getfield(prepared, 2)...)
            Core.donotdelete(prepared)
            return kernel
        end
    end)
end

# What a dialect says of where its kernels run, for people.
function version_info(io::IO, dialect)
    name, target, items_max, units, shared, memory = Core.Host.kernel_device()
    Base.println(io, dialect, " as kiln has it: kernels run on ", name, " (", target, ")")
    Base.println(io, "  ", units, " compute units, groups of up to ", items_max, " items, ", shared, " bytes of memory for each")
    memory == 0 || Base.println(io, "  ", memory, " bytes of memory")
    return nothing
end

synchronize() = (Core.Host.kernel_synchronize(); nothing)

# Memory that the program has freed: kernels are not to access it any more. It is kept where that is checked, so that nothing
# else has its place.
const FREED = Any[]
function free(a::Array)
    memory = getfield(getfield(a, :ref), :mem)
    Core.Host.kernel_free(memory) && push!(FREED, memory)
    return nothing
end

# Output. The call of `f` that a macro makes of its arguments: in a kernel the host does it for the item, which goes on;
# elsewhere it is done at once. The arguments are evaluated once, and stay single values, whatever their types.
function report_call(f, args)
    names = Any[gensym(:reported) for _ in args]
    bindings = Any[Expr(:(=), name, arg) for (name, arg) in zip(names, args)]
    report = Expr(:call, Core.Intrinsics.kiln_report, f, names...)
    return Expr(:let, Expr(:block, bindings...), Expr(:block,
        Expr(:if, Expr(:call, in_kernel), report, Expr(:call, f, names...)),
        nothing))
end

# Functions whose calls must not be lost where there is no room to report them: the launch fails then.
abstract type Essential <: Function end

# Those that launch: a call `launches(f, args, ...)`, with the arguments in a tuple, compiles `f` for them with the options
# `launch_options(launches)`. Where an image is built nothing is launched, and these kernels are compiled all the same.
abstract type Launches <: Essential end
function launch_options end

# What a macro that prints passes on of its arguments: the parts of an interpolated string one by one.
function flatten_parts(parts)
    flat = Any[]
    for part in parts
        part isa Expr && part.head === :string ? append!(flat, flatten_parts(part.args)) : push!(flat, part)
    end
    return flat
end

# Methods that only kernels see. A dialect has a table of them, `Base.Experimental.@MethodTable`, and names it when it
# compiles; below the tables of dialects is the runtime's own, which every kernel sees.
overridden(table, ex) = Expr(:macrocall, GlobalRef(Base.Experimental, Symbol("@overlay")), nothing, table, ex)

# A function for kernels alone: host code that calls it is told so.
function device_function(table, ex)
    inner = definition_in(ex)
    inner isa Expr && Base.is_definition(inner) || error("@device_function requires a function definition")
    signature = deepcopy_expr(inner.args[1])
    host = Expr(:function, signature, Expr(:block, :($(only_in_kernels)($(string(called_name(signature)))))))
    return Expr(:block, host, overridden(table, ex))
end
# The same for what is one method of all kernels, and no table's.
macro only_in_kernels(ex)
    inner = definition_in(ex)
    check = Expr(:||, Expr(:call, in_kernel), Expr(:call, only_in_kernels, string(called_name(inner.args[1]))))
    inner.args[2] = Expr(:block, check, inner.args[2])
    return esc(ex)
end
@noinline only_in_kernels(name) = error(string("`", name,
    "` is a device function: only kernels can call it, and this is host code. Call it in a function that is launched."))
definition_in(ex) = ex isa Expr && ex.head === :macrocall ? definition_in(ex.args[end]) : ex
called_name(sig) = sig isa Expr && sig.head in (:call, :where, :(::)) ? called_name(sig.args[1]) : sig
deepcopy_expr(x) = x isa Expr ? Expr(x.head, Any[deepcopy_expr(a) for a in x.args]...) : x

# Whether this code runs in a kernel, on whatever device.
@inline in_kernel() = false
let runtime = Core.Host.new_method_table(nothing)
    Base.Experimental.@overlay runtime (@inline in_kernel() = true)

    # By memory of the item, where the host has an object.
    Base.Experimental.@overlay runtime @inline function Base.reinterpret_struct(::Type{Out}, x::In) where {Out, In}
        isbitstype(Out) && isbitstype(In) && sizeof(Out) == sizeof(In) || Base.throw_reinterpret(Out, In)
        sizeof(In) == 0 && return Base.unsafe_load(Ptr{Out}(C_NULL))
        greater = Base.datatype_alignment(Out) > Base.datatype_alignment(In) ? Out : In
        place = bitcast(Ptr{In}, as_ptr(alloca(greater, Val(1))))
        pointerset(place, x, 1, 0)
        return pointerref(bitcast(Ptr{Out}, place), 1, 0)
    end

    # The same sums in the same order, with a stack in the item's memory: many devices have no recursion.
    Base.Experimental.@overlay runtime function Base.mapreduce_pairwise(f, op, a, lo::Int, hi::Int)
        hi - lo < Base.PAIRWISE_BLOCK && return Base.mapreduce_block(f, op, a, lo, hi)
        return pairwise_by_loop(f, op, a, lo, hi)
    end
end

# The tree of a pairwise reduction, leaf by leaf. Bits of `path` say at which turns the second half was taken, the last
# turn in the lowest; the results of first halves whose second halves are not done yet are kept by their depth.
@noinline function pairwise_by_loop(f, op, a, lo::Int, hi::Int)
    depth, path = 0, 0x0000000000000000
    first = Base.mapreduce_block(f, op, a, lo, leftmost_end(lo, hi))
    kept = as_ptr(alloca(typeof(first), Val(64)))
    while true
        l, h = half_of(lo, hi, depth, path)
        while h - l >= Base.PAIRWISE_BLOCK
            h = l + ((h - l) >> 1)
            depth += 1
            path <<= 1
        end
        v = l == lo ? first : Base.mapreduce_block(f, op, a, l, h)
        while depth > 0 && path & 0x0000000000000001 != 0x0000000000000000
            v = op(unsafe_load(kept, depth), v)
            depth -= 1
            path >>= 1
        end
        depth == 0 && return v
        unsafe_store!(kept, v, depth)
        path |= 0x0000000000000001
    end
end
function leftmost_end(lo::Int, hi::Int)
    while hi - lo >= Base.PAIRWISE_BLOCK
        hi = lo + ((hi - lo) >> 1)
    end
    return hi
end
function half_of(lo::Int, hi::Int, depth::Int, path::UInt64)
    for turn in depth-1:-1:0
        mid = lo + ((hi - lo) >> 1)
        if (path >> turn) & 0x0000000000000001 == 0x0000000000000000
            hi = mid
        else
            lo = mid + 1
        end
    end
    return lo, hi
end

# What must hold when a kernel is compiled: unless `cond` is proven to hold, or the place proven not to be reached, the
# kernel is refused with `msg`, a literal. Host code tests it where it stands.
macro static_assert(cond, msg)
    msg isa String || throw(ArgumentError("@static_assert: the message is not a literal string"))
    unproven = Expr(:call, Core.Intrinsics.kiln_static_assertion, QuoteNode(Symbol(msg)))
    refute = Expr(:if, Expr(:call, in_kernel), unproven, Expr(:call, refuted, msg))
    return Expr(:if, esc(cond), nothing, Expr(:block, __source__, refute, nothing))
end
@noinline refuted(msg) = throw(AssertionError(msg))

# Memory of the item for `N` elements, uninitialized, one block for each place in the code; null if it has no bytes.
@inline function alloca(::Type{T}, ::Val{N}, ::Val{AS} = Val(PRIVATE)) where {T,N,AS}
    @static_assert isbitstype(T) "memory of an item is for plain bits only"
    @static_assert N isa Int && N >= 0 "memory of an item has a constant number of elements, 0 or more"
    bytes = isbitstype(T) && N isa Int ? N * Base.aligned_sizeof(T) : 0
    bytes > 0 || return as_device_ptr(T, Val(AS), Ptr{T}(C_NULL))
    return as_device_ptr(T, Val(AS), kiln_private_memory(bytes, Base.datatype_alignment(T), :alloca))
end

# An array that its kernel has promised not to write to: a store is refused when the kernel is compiled.
struct ConstArray{T,N,A} <: DenseArray{T,N}
    array::DeviceArray{T,N,A}
end
@inline constify(a::DeviceArray) = ConstArray(a)
@inline constify(x) = x
@inline size(a::ConstArray) = size(a.array)
@inline length(a::ConstArray) = length(a.array)
@inline pointer(a::ConstArray) = pointer(a.array)
@inline pointer(a::ConstArray, i::Integer) = pointer(a.array, i)
@inline elsize(::Type{ConstArray{T,N,A}}) where {T,N,A} = Base.aligned_sizeof(T)
IndexStyle(::Type{<:ConstArray}) = Base.IndexLinear()
Base.unsafe_convert(::Type{Ptr{T}}, a::ConstArray{T}) where {T} = pointer(a.array)
@propagate_inbounds function getindex(a::ConstArray{T}, i::Int) where {T}
    @boundscheck checkbounds(a.array, i)
    T isa Union && return @inbounds a.array[i]
    return load_constant(a.array.ptr, i - 1, Val(0))
end
@propagate_inbounds getindex(a::ConstArray, i::Integer) = a[Int(i)]
@propagate_inbounds getindex(a::ConstArray) = a[1]
@inline function setindex!(a::ConstArray, x, i::Int)
    @static_assert false "a store to an array that the kernel has declared constant"
    return a
end
@inline setindex!(a::ConstArray, x, i::Integer) = setindex!(a, x, Int(i))
Base.reshape(a::ConstArray, dims::Dims) = ConstArray(reshape(a.array, dims))
Base.reshape(a::ConstArray, dims::Tuple{}) = ConstArray(reshape(a.array, dims))
Base.similar(a::ConstArray) = error("arrays cannot be allocated in a kernel")
show(io::IO, a::ConstArray) = show(io, a.array)

# What macros that launch kernels are given, `ex`, sorted: the call, and the options of the macro itself, of the compiler and of
# the launch, each a list of keyword arguments. Programs have hundreds of launches and macros are interpreted: so no `Dict`, no
# closures, no slices.
function parsed_launch(name, ex, of_macro, of_compiler, of_launch)
    call = ex[end]
    Base.Meta.isexpr(call, :call) || throw(ArgumentError(string("second argument to ", name, " should be a function call")))
    for n in 2:length(call.args)
        arg = call.args[n]
        (Base.Meta.isexpr(arg, :parameters) || Base.Meta.isexpr(arg, :kw)) &&
            throw(ArgumentError(string(name, ": a kernel takes no keyword arguments")))
    end
    own, compiler, launch = Any[], Any[], Any[]
    for n in 1:length(ex)-1
        o = ex[n]
        o isa Symbol || Base.Meta.isexpr(o, :(=)) || throw(ArgumentError(string("Invalid keyword argument '", o, "'")))
        key, value = o isa Symbol ? (o, o) : (o.args[1], o.args[2])
        if key in of_macro
            value isa Bool || throw(ArgumentError(string("`", key, "` keyword argument to ", name, " should be a constant value")))
            push!(own, Expr(:kw, key, value))
        elseif key in of_compiler
            push!(compiler, Expr(:kw, key, esc(value)))
        elseif key in of_launch
            push!(launch, Expr(:kw, key, esc(value)))
        else
            throw(ArgumentError(string("Unsupported keyword argument '", key, "'")))
        end
    end
    return call, own, compiler, launch
end
# The value of one of them, or what it is if it is not said.
function option_of(options, key, default)
    for n in 1:length(options)
        options[n].args[1] === key && (default = options[n].args[2])
    end
    return default
end
# The arguments of the kernel, as a tuple.
function launch_arguments(call)
    args = Expr(:tuple)
    for n in 2:length(call.args)
        push!(args.args, esc(call.args[n]))
    end
    return args
end

# Barriers that also count for how many items a condition holds.
@inline function barrier_count(holds::Bool)
    count = shared_array(Int32, Val((1,)), Val(:barrier_count))
    local_linear() == 0 && (@inbounds count[1] = Int32(0))
    barrier()
    atomic_old!(pointer(count), +, holds ? Int32(1) : Int32(0))
    barrier()
    result = @inbounds count[1]
    barrier()
    return result
end

# The same for whether it holds for all items, or for any.
@inline barrier_all(holds::Bool) = barrier_count(!holds) == Int32(0)
@inline barrier_any(holds::Bool) = barrier_count(holds) != Int32(0)

# Dialects. What the compiler, its messages and its reports know of one is a record that the dialect's file registers when it
# is loaded: a named tuple, of which `home` is required. Fields are read by their names, and one that is left out says nothing:
#   home             the module of the dialect
#   is_portable      kernels for the arrays of other dialects may use it, too
#   method_table     the overlay table that its launches name
#   printing         how kernels print, for messages
#   printing_parts   how they print the parts of something, for messages
#   item_memory, group_memory, launched_memory, group_size
#                    how kernels have memory of the item, of its group, and of a size that the launch gives, and how they ask
#                    for the size of a group, for messages
#   adapting         how structs that hold arrays become arguments, for messages
#   array_examples   types of arguments, as examples
#   arrays, launchers  names of what makes arrays of the host, and of macros that launch, for reports
#   rows, row_names  the name of the dialect in tables of kernels, and names that argument types of a row may use
#   entry_prefix, launch_types
#                    of a dialect whose launches run another function than the one that is named: what its name begins with, and
#                    the types that are passed before the arguments of a launch over this space (see `launched`)
const DIALECTS = Ref{Tuple}(())
function register_dialect(record::NamedTuple)
    # By name, so that their order does not depend on who loads which first.
    name = nameof(record.home)
    before = filter(it -> isless(nameof(it.home), name), DIALECTS[])
    after = filter(it -> isless(name, nameof(it.home)), DIALECTS[])
    DIALECTS[] = (before..., record, after...)
    return nothing
end
function dialect_of_rows(rows::Symbol)
    for record in DIALECTS[]
        get(record, :rows, nothing) === rows && return record
    end
    throw(ArgumentError(string("no dialect is called `", rows, "`")))
end
# The types of what a launch passes before its arguments.
launch_types(rows::Symbol, space) = get(dialect_of_rows(rows), :launch_types, it -> ())(space)

# Compiling ahead of time. The overlay tables that the program's dialects name in their launches; kernels of any dialect are
# compiled for any target, so what counts is what `main` uses. What a dialect has for one target alone is in another table of
# the same module, `ptx_method_table` for PTX, which kernels for that target see before it, however they are asked for.
function tables_of(main::Module)
    tables = Any[]
    for record in reverse(DIALECTS[])
        haskey(record, :method_table) && is_used(main, record.home) && push!(tables, record.method_table)
    end
    return (tables...,)
end
is_used(main::Module, home::Module) = isdefined(main, nameof(home)) && getglobal(main, nameof(home)) === home

# What a launch of `f` runs and with which types. Dialects whose kernels take more than the launch is given add methods
# to `launched`: `f`, the types of the arguments, and the dimensions of the launch if they were said.
entry_of(f, args, space) = launched(f, args, space)
launched(f, args, space) = (f, args)

# A pointer to `f` for arguments of these types, which is compiled with whatever asks for it: `deferred(f, args...)`, and a
# call through it: `deferred_call(pointer, R, args...)::R`, with `f` first among the arguments if it is a closure that
# captures something. A pointer is good within one launch, or on the host; one made on the host is good on the host only.
#
# `Owned{:name}()` is a function whose bodies are made by the compiler that a session has registered by that name, from the
# function and the arguments it is called with: `deferred(Owned{:name}(), f, args...)`.
struct Owned{name} end
(::Owned{name})(f, args...) where {name} =
    error("what the compiler `", name, "` makes is compiled: only kernels can call it")
const deferred = Core.deferred
const deferred_call = Core.deferred_call

# What an exception has where a kernel did not keep the value.
struct Unrecorded end
# The same for a value of a known type.
struct UnrecordedValue{T} end
Base.summary(io::IO, ::UnrecordedValue{T}) where {T} = print(io, T)
# Thrown when an item of a device has failed that kept no values (debug level 0): `what` is the name of the exception's type.
struct KernelException <: Exception
    what::String
end
showerror(io::IO, e::KernelException) = print(io, e.what, " in a kernel (debug level 0 keeps no values)\n",
    "launch it with `debug_level=1`, or compile it with `-g 1`, to be told the values and the work-item")

end
