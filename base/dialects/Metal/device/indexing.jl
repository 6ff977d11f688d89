# The position of an item (`UInt32`, from 1), and how many there are, under the names of Metal's language. On Apple GPUs the driver answers, by
# parameters of the kernel; elsewhere the answers are computed.

import Base.DeviceLanes
import Base.Experimental
import Base.Device: @only_in_kernels

const LANES = DeviceLanes.LANES
const QUAD = 4

@inline items_of_group() = Kernels.local_size(1) * Kernels.local_size(2) * Kernels.local_size(3)

# The name, the number that is added where counting is from 1, and how to compute it elsewhere.
const SINGLE = (
    (:dispatch_quadgroups_per_threadgroup, 0, :(cld(items_of_group(), QUAD))),
    (:dispatch_simdgroups_per_threadgroup, 0, :(cld(items_of_group(), LANES))),
    (:quadgroup_index_in_threadgroup, 1, :(Kernels.local_linear() ÷ QUAD)),
    (:quadgroups_per_threadgroup, 0, :(cld(items_of_group(), QUAD))),
    (:simdgroup_index_in_threadgroup, 1, :(Kernels.local_linear() ÷ LANES)),
    (:simdgroups_per_threadgroup, 0, :(cld(items_of_group(), LANES))),
    (:thread_index_in_quadgroup, 1, :(Kernels.local_linear() % QUAD)),
    (:thread_index_in_simdgroup, 1, :(DeviceLanes.lane_index())),
    (:thread_index_in_threadgroup, 1, :(Kernels.local_linear())),
    (:thread_execution_width, 0, :LANES),
    (:threads_per_simdgroup, 0, :LANES))
for (name, first, computed) in SINGLE
    asked, short = string("extern julia.air.", name, ".i32"), Symbol(name, :_i16)
    @eval begin
        export $name, $short
        @only_in_kernels @inline $short() = $name() % UInt16
        @only_in_kernels @inline $name() = ($computed % UInt32) + UInt32($first)
        Experimental.@overlay metal_method_table @inline $name() = ccall($asked, llvmcall, UInt32, ()) + UInt32($first)
    end
end

# The same in each dimension, `d`: of all three, or of the first ones.
const WITH_DIMENSIONS = (
    (:dispatch_threads_per_threadgroup, 0, :(Kernels.local_size(d))),
    (:grid_origin, 1, :(0)),
    (:grid_size, 0, :(Kernels.num_groups(d) * Kernels.local_size(d))),
    (:thread_position_in_grid, 1, :(Kernels.group_id(d) * Kernels.local_size(d) + Kernels.local_id(d))),
    (:thread_position_in_threadgroup, 1, :(Kernels.local_id(d))),
    (:threadgroup_position_in_grid, 1, :(Kernels.group_id(d))),
    (:threadgroups_per_grid, 0, :(Kernels.num_groups(d))),
    (:threads_per_grid, 0, :(Kernels.num_groups(d) * Kernels.local_size(d))),
    (:threads_per_threadgroup, 0, :(Kernels.local_size(d))))
const Vec2 = NTuple{2,VecElement{UInt32}}
const Vec3 = NTuple{3,VecElement{UInt32}}
for (name, first, computed) in WITH_DIMENSIONS
    one, two, three, number = Symbol(name, :_1d), Symbol(name, :_2d), Symbol(name, :_3d), Symbol(name, :_in)
    short = Symbol(name, :_i16)
    asked(type) = string("extern julia.air.", name, ".", type)
    @eval begin
        export $name, $short, $one, $two, $three
        @only_in_kernels @inline $name() = $three()
        @only_in_kernels @inline $short() = map(n -> n % UInt16, $three())
        @inline $number(d::Int) = ($computed % UInt32) + UInt32($first)
        @only_in_kernels @inline $one() = $number(1)
        @only_in_kernels @inline $two() = (x = $number(1), y = $number(2))
        @only_in_kernels @inline $three() = (x = $number(1), y = $number(2), z = $number(3))
        Experimental.@overlay metal_method_table @inline $one() =
            ccall($(asked("i32")), llvmcall, UInt32, ()) + UInt32($first)
        Experimental.@overlay metal_method_table @inline function $two()
            v = ccall($(asked("v2i32")), llvmcall, Vec2, ())
            return (x = v[1].value + UInt32($first), y = v[2].value + UInt32($first))
        end
        Experimental.@overlay metal_method_table @inline function $three()
            v = ccall($(asked("v3i32")), llvmcall, Vec3, ())
            return (x = v[1].value + UInt32($first), y = v[2].value + UInt32($first), z = v[3].value + UInt32($first))
        end
    end
end
