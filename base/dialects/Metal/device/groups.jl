# Arrays as kernels see them, memory of the group, barriers, and what items of a SIMD-group exchange.

const MtlDeviceArray = Kernels.DeviceArray
const MtlDeviceVector{T,A} = MtlDeviceArray{T,1,A}
const MtlDeviceMatrix{T,A} = MtlDeviceArray{T,2,A}

module AS
const Generic, Device, Constant, ThreadGroup, Thread = 0, 1, 2, 3, 4
end

@only_in_kernels @inline MtlThreadGroupArray(::Type{T}, dims::Tuple) where {T} = Kernels.shared_array(T, Val(map(Int, dims)))
@only_in_kernels @inline MtlThreadGroupArray(::Type{T}, len::Integer) where {T} = Kernels.shared_array(T, Val((Int(len),)))

# Which memory a barrier orders. Barriers here order all of it.
@enum MemoryFlags::UInt32 begin
    MemoryFlagNone = 0
    MemoryFlagDevice = 1
    MemoryFlagThreadGroup = 2
    MemoryFlagTexture = 4
    MemoryFlagThreadGroup_ImgBlock = 8
end
@only_in_kernels @inline threadgroup_barrier(flag::MemoryFlags = MemoryFlagNone) = Kernels.barrier()
@only_in_kernels @inline simdgroup_barrier(flag::MemoryFlags = MemoryFlagNone) = (DeviceLanes.meet(DeviceLanes.FULL_MASK); nothing)

# What a lane gives that is `delta` lanes further, or before; one's own value if there is none.
const Shuffled = Union{Float32,Float16,Int32,UInt32,Int16,UInt16,Int8,UInt8}
@only_in_kernels @inline function simd_shuffle_down(data::Shuffled, delta::Integer)
    distance = Int(delta)
    return DeviceLanes.exchange_by(DeviceLanes.FULL_MASK, data, distance, DeviceLanes.lane_index() + distance < LANES)
end
@only_in_kernels @inline function simd_shuffle_up(data::Shuffled, delta::Integer)
    distance = Int(delta)
    return DeviceLanes.exchange_by(DeviceLanes.FULL_MASK, data, -distance, DeviceLanes.lane_index() >= distance)
end

# Matrices of a SIMD-group are not here.
for f in (:simdgroup_load, :simdgroup_store, :simdgroup_multiply, :simdgroup_multiply_accumulate)
    message = string("`", f, "`: kiln has no matrices of SIMD-groups")
    @eval @inline function $f(args...)
        Kernels.@static_assert false $message
        return nothing
    end
end
