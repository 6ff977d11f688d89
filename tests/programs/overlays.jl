# Overlay method tables: what only kernels see.
using Test, CUDA

Base.Experimental.@MethodTable FRONT
@test FRONT isa Core.MethodTable
Base.Experimental.@MethodTable OTHER
@test OTHER isa Core.MethodTable

# Host code sees no overlay, whatever form it is defined in.
plain(x) = 1
Base.Experimental.@overlay FRONT plain(x) = 2
Base.Experimental.@overlay FRONT function plain(x::T, y) where {T<:Integer}
    return x + y
end
Base.Experimental.@overlay FRONT @inline plain(x::Int; k = 1) = k
Base.Experimental.@consistent_overlay FRONT plain(x::Float64)::Int = 3
@test plain(1) == 1 && plain(1.0) == 1
@test_throws MethodError plain(1, 2)
@test_throws MethodError plain(1; k = 2)
@test_throws TypeError Core.eval(Main, :(Base.Experimental.@overlay 1 plain(x) = 2))
@test_throws Exception Core.eval(Main, :(Base.Experimental.@overlay FRONT 1 + 1))

# MISSION O2: the runtime's own table is out of reach.
@test_throws ErrorException Core.Host.new_method_table(nothing)

# Kernels of `@cuda` see `CUDA.method_table`, and below it the runtime's own table.
CUDA.@device_override plain(x) = 20
CUDA.@device_override plain(x::Int; k = 1) = 100k
CUDA.@device_override Base.sin(x::Float64) = x > 0.5 ? 42.0 : 7.0

# MISSION O6: a device function is an error on the host that says so.
CUDA.@device_function only_there(x) = 3x
CUDA.@device_functions begin
    there_too(x) = only_there(x) + 1
end
@test_throws "`only_there` is a device function" only_there(1.0)
@test_throws "only kernels can call it" there_too(1.0)

function kernel(a)
    a[1] = plain("x")
    a[2] = plain(1)
    a[3] = plain(1; k = 3)
    a[4] = sin(1.0)
    a[5] = sin(a[6])
    a[6] = there_too(1.0)
    a[7] = Base.Device.in_kernel()
    return
end
a = CUDA.zeros(Float64, 7)
@cuda kernel(a)
@test Array(a) == [20, 100, 300, 42, 7, 4, 1]
@test !Base.Device.in_kernel()
@test sin(1.0) < 1

# MISSION O5: a more specific global method is not hidden; an overlay of the kernel itself is honoured.
specific(x) = 1
specific(x::Float64) = 2
CUDA.@device_override specific(x) = 3
entry(a) = (a[1] = 0; return)
CUDA.@device_override function entry(a)
    a[1] = specific(1.0)
    a[2] = specific(1)
    return
end
@cuda entry(a)
@test Array(a)[1:2] == [2, 3]

# MISSION O4: the same kernel with other tables is another kernel.
function compiled_with(tables...)
    x = [0.0]
    device = Base.Device.to_device(x)
    handle = Base.Device.compile(one_of, Tuple{typeof(device)}; method_tables = tables)
    Base.Device.launch(handle, one_of, 1, 1, 0, device; keep = x)
    return x[1]
end
one_of(a) = (a[1] = chosen(); return)
chosen() = 0.0
Base.Experimental.@MethodTable BACK
Base.Experimental.@overlay FRONT chosen() = 1.0
Base.Experimental.@overlay BACK chosen() = 2.0
@test compiled_with() == 0
@test compiled_with(FRONT) == 1
@test compiled_with(BACK, FRONT) == 2
@test compiled_with(FRONT, BACK) == 1
@test compiled_with(OTHER) == 0
# A definition in a table reaches the kernels that see it.
Base.Experimental.@overlay OTHER chosen() = 5.0
@test compiled_with(OTHER) == 5
@test compiled_with(BACK) == 2
@test_throws ArgumentError compiled_with(1)

# KernelAbstractions on CUDA's back end sees the same.
using KernelAbstractions
@kernel function ka(a)
    i = @index(Global)
    a[i] = sin(1.0)
end
b = CUDA.zeros(Float64, 2)
ka(CUDABackend())(b; ndrange = 2)
@test Array(b) == [42, 42]
c = zeros(2)
ka(CPU())(c; ndrange = 2)
@test c[1] < 1

# GPUCompiler's "kwcall inference + overlay method": a method that throws is replaced below a call with keywords.
f1(; inner) = f2(inner)
f2(x) = (x > 0 || cannot(x); nothing)
@noinline cannot(x) = error("host")
CUDA.@device_override cannot(x) = nothing
outer(a) = (f1(; inner = a[1]); a[1] = 9; return)
@cuda outer(a)
@test Array(a)[1] == 9
