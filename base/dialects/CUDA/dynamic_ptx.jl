# Kernels that launch kernels, on NVIDIA GPUs: by functions of the library `cudadevrt`, which the linker adds.

Base.Experimental.@MethodTable(ptx_method_table)

struct CuDeviceError <: Exception
    code::UInt32
end
# The errors of launches by items, as NVIDIA's runtime library numbers and calls them.
const LAUNCH_ERRORS = ((2, "cudaErrorMemoryAllocation"), (9, "cudaErrorInvalidConfiguration"),
    (65, "cudaErrorLaunchMaxDepthExceeded"), (69, "cudaErrorLaunchPendingCountExceeded"), (701, "cudaErrorLaunchOutOfResources"))
function Base.showerror(io::IO, e::CuDeviceError)
    print(io, "CuDeviceError: a launch by an item failed with code ", e.code)
    for (code, name) in LAUNCH_ERRORS
        code == e.code && print(io, " (", name, ")")
    end
end
@inline check_status(status::UInt32) = status == 0x00000000 || throw(CuDeviceError(status))
# What a launch says that there is no room for.
const LAUNCH_OUT_OF_RESOURCES = UInt32(701)

# The kernel takes the state of this one, and the arguments as they lie in a tuple that is aligned to 16 bytes.
Base.Experimental.@overlay ptx_method_table @inline function launch_child(f, args::Tuple, blocks, threads, shmem::Int, s::CuDeviceStream)
    entry = Core.Intrinsics.kiln_kernel_entry(Core.deferred(f, args...))
    buffer = parameter_buffer(entry,
        blocks[1] % UInt32, blocks[2] % UInt32, blocks[3] % UInt32,
        threads[1] % UInt32, threads[2] % UInt32, threads[3] % UInt32, shmem % UInt32)
    buffer == C_NULL && throw(CuDeviceError(LAUNCH_OUT_OF_RESOURCES))
    Core.Intrinsics.pointerset(Ptr{Ptr{UInt8}}(buffer), Core.Intrinsics.kiln_kernel_state(), 1, 8)
    given = with_bits(f, args...)
    Core.Intrinsics.pointerset(Ptr{typeof(given)}(buffer + 16), given, 1, 0)
    check_status(launch_device(buffer, s.handle))
    return nothing
end
# Types are no bits, and nothing at run time.
@inline with_bits() = ()
@inline with_bits(x, rest...) = (x, with_bits(rest...)...)
@inline with_bits(::Type, rest...) = with_bits(rest...)

@inline parameter_buffer(entry, a, b, c, x, y, z, bytes) = Base.llvmcall(("""
    declare ptr @cudaGetParameterBufferV2(ptr, {i32, i32, i32}, {i32, i32, i32}, i32)
    define ptr @buffer(ptr %entry, i32 %a, i32 %b, i32 %c, i32 %x, i32 %y, i32 %z, i32 %bytes) {
        %g0 = insertvalue {i32, i32, i32} zeroinitializer, i32 %a, 0
        %g1 = insertvalue {i32, i32, i32} %g0, i32 %b, 1
        %g2 = insertvalue {i32, i32, i32} %g1, i32 %c, 2
        %t0 = insertvalue {i32, i32, i32} zeroinitializer, i32 %x, 0
        %t1 = insertvalue {i32, i32, i32} %t0, i32 %y, 1
        %t2 = insertvalue {i32, i32, i32} %t1, i32 %z, 2
        %made = call ptr @cudaGetParameterBufferV2(ptr %entry, {i32, i32, i32} %g2, {i32, i32, i32} %t2, i32 %bytes)
        ret ptr %made
    }""", "buffer"), Ptr{UInt8},
    Tuple{Ptr{Cvoid},UInt32,UInt32,UInt32,UInt32,UInt32,UInt32,UInt32}, entry, a, b, c, x, y, z, bytes)
@inline launch_device(buffer::Ptr{UInt8}, stream::UInt64) = ccall("extern cudaLaunchDeviceV2", llvmcall, UInt32,
    (Ptr{UInt8}, Ptr{Cvoid}), buffer, Ptr{Cvoid}(stream))

Base.Experimental.@overlay ptx_method_table @inline function new_device_stream()
    place = Device.as_ptr(Device.alloca(UInt64, Val(1)))
    check_status(ccall("extern cudaStreamCreateWithFlags", llvmcall, UInt32, (Ptr{UInt64}, UInt32), place, 0x00000001))
    return CuDeviceStream(unsafe_load(place))
end
Base.Experimental.@overlay ptx_method_table @inline function destroy_device_stream(s::CuDeviceStream)
    check_status(ccall("extern cudaStreamDestroy", llvmcall, UInt32, (Ptr{Cvoid},), Ptr{Cvoid}(s.handle)))
    return nothing
end
