# Functions of Julia's C runtime that programs reach by `ccall`, under their names there. The interpreter looks here for what a
# call names; what is not here is refused by name.

module CRuntime
    using ..Base: Base, Core
    jl_egal(x, y) = Int32(x === y)
    jl_get_module_of_binding(m::Module, s::Symbol) = Base.binding_module(m, s)
    jl_get_binding_type(m::Module, s::Symbol) = Core.get_binding_type(m, s)
    jl_apply_cmpswap_type(T) = T isa TypeVar ? NamedTuple{(:old, :success), Tuple{T, Bool}} : @NamedTuple{old::T, success::Bool}
    jl_set_nth_field(x, i::UInt, v) = (setfield!(x, Int(i) + 1, v); nothing)
    function jl_new_structv(T, p::Ptr, n::UInt32)
        T === UnionAll && throw(Base.UnsupportedError(:jl_new_structv, "a `UnionAll` is made by `where` alone, which puts it in normal form"))
        Core.@splatnew T ntuple(i -> unsafe_load(reinterpret(Ptr{Any}, p), i), Int(n))
    end
    jl_new_bits(T, p::Ptr) = unsafe_load(reinterpret(Ptr{T}, p))
    jl_value_ptr(x) = Base.ismutable(x) ? reinterpret(Ptr{Cvoid}, Base.address_of_object(x)) :
        throw(Base.UnsupportedError(:jl_value_ptr, "only mutable objects stay at one address"))
    jl_box_int64(x::Int64) = UInt(Base.address_of_object(x))
    jl_call0(f) = Base.address_of_object(f())
    jl_call1(f, a) = Base.address_of_object(f(a))
    jl_call2(f, a, b) = Base.address_of_object(f(a, b))
    # An entry of the cache of a method table: a call and a world that it was asked for in, which tell the rest.
    jl_mt_find_cache_entry(cache, sig, world::UInt) = Base.cache_entry(sig, world)
    jl_array_grow_end(a::Vector, n::UInt) = (resize!(a, length(a) + Int(n)); nothing)
    jl_array_del_end(a::Vector, n::UInt) = (resize!(a, length(a) - Int(n)); nothing)
    # Behind the dimensions comes how many elements there is room for.
    jl_array_size(a::Array, d::Integer) = UInt(d < ndims(a) ? size(a, Int(d) + 1) : length(a.ref.mem))
    jl_debug_method_invalidation(on::Int32) = Base.log_invalidations(on != 0)
    jl_register_newmeth_tracer(p::Ptr{Cvoid}) =
        (setglobal!(Base, :method_tracer, p == C_NULL ? nothing : m -> Base.trace_method(p, m)); nothing)
    jl_new_code_info_uninit() = Base.empty_code_info()
    jl_get_world_counter() = Base.get_world_counter()
    jl_get_tls_world_age() = Base.tls_world_age()
    jl_typeof_str(x) = string(typeof(x))
    jl_is_const(m::Module, s::Symbol) = Int32(Base.isconst(m, s))
    jl_object_id(x) = objectid(x)
    jl_symbol_n(p::Ptr{UInt8}, n::Int) = Symbol(unsafe_string(p, n))
    jl_gc_safepoint() = nothing
    jl_arrayunset(a::Vector, i::UInt) = (Base._unsetindex!(a, Int(i) + 1); nothing)
    jl_genericmemory_to_string(m::Base.Memory{UInt8}, n::Integer) = String(m[1:Int(n)])
    jl_array_to_string(a::Vector{UInt8}) = String(copy(a))
    jl_pchar_to_string(p::Ptr{UInt8}, n::Integer) = unsafe_string(p, Int(n))
    # Those of C for bytes.
    strlen(s) = UInt(ncodeunits(unsafe_string(reinterpret(Ptr{UInt8}, s))))
    function memcmp(a::Ptr, b::Ptr, n::Integer)
        p, q = reinterpret(Ptr{UInt8}, a), reinterpret(Ptr{UInt8}, b)
        for i in 1:Int(n)
            x, y = unsafe_load(p, i), unsafe_load(q, i)
            x == y || return Int32(x) - Int32(y)
        end
        Int32(0)
    end
    memcpy(a::Ptr, b::Ptr, n::Integer) = memmove(a, b, n)
    function memmove(a::Ptr, b::Ptr, n::Integer)
        unsafe_copyto!(reinterpret(Ptr{UInt8}, a), reinterpret(Ptr{UInt8}, b), Int(n))
        a
    end
    function memset(a::Ptr, value::Integer, n::Integer)
        p = reinterpret(Ptr{UInt8}, a)
        for i in 1:Int(n)
            unsafe_store!(p, value % UInt8, i)
        end
        a
    end
    # Code is kept by its content, so no package is being precompiled.
    jl_generating_output() = Int32(0)
    jl_getpagesize() = 4096
    jl_ver_major() = Int32(Base.VERSION.major)
    jl_ver_minor() = Int32(Base.VERSION.minor)
    jl_ver_patch() = Int32(Base.VERSION.patch)
    jl_throw(e) = throw(e)
    jl_eqtable_get(t, k, d) = get(t, k, d)
    jl_get_field(x, p::Ptr{UInt8}) = getfield(x, Symbol(unsafe_string(p)))
end
