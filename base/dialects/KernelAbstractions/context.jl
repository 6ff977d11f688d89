# What a running item knows of its launch. Sizes the kernel was specialized for are in the type.

# `R` and `W` are `StaticSize`s or `DynamicSize`; `Check` says whether items may be out of range.
struct Context{N,R<:_Size,W<:_Size,Check}
    ndrange::NTuple{N,Int}
    items::NTuple{N,Int}
    groups::NTuple{N,Int}
end

@inline ndrange_of(c::Context{N,R}) where {N,R<:DynamicSize} = c.ndrange
@inline ndrange_of(::Context{N,R}) where {N,R<:StaticSize} = NDIteration.get(R)
@inline items_of(c::Context{N,R,W}) where {N,R,W<:DynamicSize} = c.items
@inline items_of(::Context{N,R,W}) where {N,R,W<:StaticSize} = NDIteration.get(W)

# Up to three dimensions are the device's own; more are unfolded from a linear launch.
@inline local_ids(::Context{1}) = (Device.local_id(1) + 1,)
@inline local_ids(::Context{2}) = (Device.local_id(1) + 1, Device.local_id(2) + 1)
@inline local_ids(::Context{3}) = (Device.local_id(1) + 1, Device.local_id(2) + 1, Device.local_id(3) + 1)
@inline local_ids(c::Context) = unfold(Device.local_id(1), items_of(c))
@inline group_ids(::Context{1}) = (Device.group_id(1) + 1,)
@inline group_ids(::Context{2}) = (Device.group_id(1) + 1, Device.group_id(2) + 1)
@inline group_ids(::Context{3}) = (Device.group_id(1) + 1, Device.group_id(2) + 1, Device.group_id(3) + 1)
@inline group_ids(c::Context) = unfold(Device.group_id(1), c.groups)
@inline local_ids(::Context{0}) = ()
@inline group_ids(::Context{0}) = ()

@inline unfold(n::Int, dims::Tuple{}) = ()
@inline unfold(n::Int, dims::Tuple) = (n % dims[1] + 1, unfold(n ÷ dims[1], Base.tail(dims))...)

@inline fold(ids::Tuple{}, dims::Tuple{}) = 1
@inline fold(ids::Tuple{Int}, dims::Tuple{Int}) = ids[1]
@inline fold(ids::Tuple, dims::Tuple) = ids[1] + dims[1] * (fold(Base.tail(ids), Base.tail(dims)) - 1)

@inline global_ids(c::Context) = map((g, w, l) -> (g - 1) * w + l, group_ids(c), items_of(c), local_ids(c))

@inline __index_Local_NTuple(c) = local_ids(c)
@inline __index_Group_NTuple(c) = group_ids(c)
@inline __index_Global_NTuple(c) = global_ids(c)
@inline __index_Local_Cartesian(c) = CartesianIndex(local_ids(c))
@inline __index_Group_Cartesian(c) = CartesianIndex(group_ids(c))
@inline __index_Global_Cartesian(c) = CartesianIndex(global_ids(c))
@inline __index_Local_Linear(c) = fold(local_ids(c), items_of(c))
@inline __index_Group_Linear(c) = fold(group_ids(c), c.groups)
@inline __index_Global_Linear(c) = fold(global_ids(c), ndrange_of(c))

@inline __validindex(c::Context{N,R,W,false}) where {N,R,W} = true
@inline __validindex(c::Context{N,R,W,true}) where {N,R,W} = within(global_ids(c), ndrange_of(c))
@inline within(ids::Tuple{}, dims::Tuple{}) = true
@inline within(ids::Tuple, dims::Tuple) = (ids[1] <= dims[1]) & within(Base.tail(ids), Base.tail(dims))

@inline groupsize(c::Context) = items_of(c)
@inline ndrange(c::Context) = CartesianIndices(ndrange_of(c))
