# Where an item is and how many there are; dimensions are 1, 2, 3. Sub-groups are lanes.

export get_global_linear_id, get_local_linear_id, get_sub_group_id, get_sub_group_local_id
export get_work_dim, get_sub_group_size, get_max_sub_group_size, get_num_sub_groups, get_enqueued_num_sub_groups
export get_global_id, get_global_offset, get_local_id, get_group_id
export get_global_size, get_local_size, get_enqueued_local_size, get_num_groups

@inline items_of_group() = Kernels.local_size(1) * Kernels.local_size(2) * Kernels.local_size(3)
@inline global_size(d::Int) = Kernels.num_groups(d) * Kernels.local_size(d)
@inline global_id(d::Int) = Kernels.group_id(d) * Kernels.local_size(d) + Kernels.local_id(d)

# A dimension may be computed; devices are asked for each by itself. Of one that no launch has there is one item, the first.
@inline in_dimension(f::F, d::Int) where {F} = d == 1 ? f(1) : d == 2 ? f(2) : d == 3 ? f(3) : 1
@inline local_number(d::Int) = Kernels.local_id(d) + 1
@inline group_number(d::Int) = Kernels.group_id(d) + 1
@inline global_number(d::Int) = global_id(d) + 1
for (name, f) in ((:get_global_id, :global_number), (:get_local_id, :local_number), (:get_group_id, :group_number),
        (:get_global_size, :global_size), (:get_local_size, :(Kernels.local_size)), (:get_enqueued_local_size, :(Kernels.local_size)),
        (:get_num_groups, :(Kernels.num_groups)))
    @eval @only_in_kernels @inline $name(dimension::Integer = 1) = in_dimension($f, Int(dimension))
end
@only_in_kernels @inline get_global_offset(dimension::Integer = 1) = 1
@only_in_kernels @inline get_global_linear_id() =
    global_id(1) + global_size(1) * (global_id(2) + global_size(2) * global_id(3)) + 1
@only_in_kernels @inline get_local_linear_id() = Kernels.local_linear() + 1
# How many dimensions a launch was written with is not known here: those with several items count.
@only_in_kernels @inline get_work_dim() = global_size(3) > 1 ? 3 : global_size(2) > 1 ? 2 : 1

@only_in_kernels @inline get_sub_group_id() = div(Kernels.local_linear(), DeviceLanes.LANES) + 1
@only_in_kernels @inline get_sub_group_local_id() = DeviceLanes.lane_index() + 1
@only_in_kernels @inline get_max_sub_group_size() = DeviceLanes.LANES
@only_in_kernels @inline get_num_sub_groups() = cld(items_of_group(), DeviceLanes.LANES)
@only_in_kernels @inline get_enqueued_num_sub_groups() = cld(items_of_group(), DeviceLanes.LANES)
@only_in_kernels @inline function get_sub_group_size()
    before = div(Kernels.local_linear(), DeviceLanes.LANES) * DeviceLanes.LANES
    return min(items_of_group() - before, DeviceLanes.LANES)
end

# What another lane gives: by its number, from 1, or the lane whose number differs in the bits of a mask. One's own value if it is not there.
export sub_group_shuffle, sub_group_shuffle_xor
const Shuffled = Union{Int8,UInt8,Int16,UInt16,Int32,UInt32,Int64,UInt64,Float16,Float32,Float64}
@only_in_kernels @inline sub_group_shuffle(x::Shuffled, lane::Integer) = DeviceLanes.exchange(DeviceLanes.FULL_MASK, x, Int(lane) - 1)
@only_in_kernels @inline sub_group_shuffle_xor(x::Shuffled, mask::Integer) =
    DeviceLanes.exchange(DeviceLanes.FULL_MASK, x, xor(DeviceLanes.lane_index(), Int(mask)))
