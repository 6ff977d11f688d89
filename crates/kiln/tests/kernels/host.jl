# A launch item by item, on the host. The tasks of a group take turns, each until it meets a barrier: the next round begins
# when every one has stopped or ended.
mutable struct Item
    thread::@NamedTuple{x::Int32, y::Int32, z::Int32}
    number::Int
    group::Any
end
struct Group
    block::@NamedTuple{x::Int32, y::Int32, z::Int32}
    size::@NamedTuple{x::Int32, y::Int32, z::Int32}
    grid::@NamedTuple{x::Int32, y::Int32, z::Int32}
    range::Any
    shared::Dict{Any, Any}
    lanes::Vector{Any}
end
const CURRENT = Ref{Any}(nothing)
three(t) = (x = Int32(t[1]), y = Int32(t[2]), z = Int32(t[3]))

threadIdx() = CURRENT[].thread
blockIdx() = CURRENT[].group.block
blockDim() = CURRENT[].group.size
gridDim() = CURRENT[].group.grid
CuStaticSharedArray(T, n) = get!(() -> zeros(T, n), CURRENT[].group.shared, T)
function sync_threads()
    me = CURRENT[]
    yield()
    CURRENT[] = me
    return nothing
end

# KernelAbstractions: `@kernel` is an ordinary function of an item within the range.
macro kernel(f)
    return esc(f)
end
macro synchronize()
    return :(sync_threads())
end
macro localmem(T, dims)
    return :(CuStaticSharedArray($(esc(T)), $(esc(dims))))
end
macro private(T, dims)
    return :(zeros($(esc(T)), $(esc(dims))))
end
macro groupsize()
    return :(Tuple(CURRENT[].group.size))
end
macro index(locale, kind)
    return :(index_of(CURRENT[], $(QuoteNode(locale))))
end
position(item) = map((b, n, t) -> (b - 1) * n + t, Tuple(item.group.block), Tuple(item.group.size), Tuple(item.thread))
linear(at, size) = Int(((at[3] - 1) * size[2] + at[2] - 1) * size[1] + at[1])
function index_of(item, locale)
    locale === :Local && return item.number
    locale === :Group && return linear(Tuple(item.group.block), Tuple(item.group.grid))
    return linear(position(item), item.group.range)
end
is_inside(item) = item.group.range === nothing || all(position(item) .<= item.group.range)

# Warps: all lanes meet, for the group is as one.
const FULL_MASK = 0xffffffff
function exchanged(value, source)
    me = CURRENT[]
    me.group.lanes[me.number] = value
    sync_threads()
    first = 32 * ((me.number - 1) ÷ 32)
    lane = source(me.number - 1 - first)
    from = first + lane + 1
    result = 0 <= lane < 32 && from <= length(me.group.lanes) ? me.group.lanes[from] : value
    sync_threads()
    return result
end
shfl_sync(mask, x, lane) = exchanged(x, _ -> (Int(lane) - 1) & 31)
shfl_up_sync(mask, x, delta) = exchanged(x, lane -> lane - Int(delta))
shfl_down_sync(mask, x, delta) = exchanged(x, lane -> lane + Int(delta))
shfl_xor_sync(mask, x, bits) = exchanged(x, lane -> xor(lane, Int(bits)))
function votes(x)
    me = CURRENT[]
    me.group.lanes[me.number] = x
    sync_threads()
    first = 32 * ((me.number - 1) ÷ 32)
    all = Bool[me.group.lanes[i] for i in first + 1:min(first + 32, length(me.group.lanes))]
    sync_threads()
    return all
end
vote_any_sync(mask, x) = any(votes(x))
vote_all_sync(mask, x) = all(votes(x))
function vote_ballot_sync(mask, x)
    bits = 0x00000000
    for (i, yes) in enumerate(votes(x))
        yes && (bits |= 0x00000001 << (i - 1))
    end
    return bits
end

add!(a, i, x) = (a[i] += x; nothing)
min!(a, i, x) = (a[i] = min(a[i], x); nothing)
max!(a, i, x) = (a[i] = max(a[i], x); nothing)
xor!(a, i, x) = (a[i] = xor(a[i], x); nothing)

const THROWN = Set{String}()
function run_item(k, item, args)
    CURRENT[] = item
    try
        k(args...)
    catch e
        push!(THROWN, string(typeof(e)))
    end
    return nothing
end
function run_group(k, group, count, meets, args)
    items = [Item(three(((i - 1) % group.size.x + 1, (i - 1) ÷ group.size.x % group.size.y + 1,
                         (i - 1) ÷ (group.size.x * group.size.y) + 1)), i, group) for i in 1:count]
    filter!(is_inside, items)
    if meets
        tasks = [Task(() -> run_item(k, item, args)) for item in items]
        foreach(schedule, tasks)
        foreach(wait, tasks)
    else
        foreach(item -> run_item(k, item, args), items)
    end
    return nothing
end
function interpreted_launch(k, groups, items, range, meets, scalars)
    foreach(x -> fill!(x, eltype(x)(77)), OUT)
    empty!(THROWN)
    args = (OUT..., IN..., scalars...)
    count = prod(items)
    for z in 1:groups[3], y in 1:groups[2], x in 1:groups[1]
        group = Group(three((x, y, z)), three(items), three(groups), range, Dict{Any, Any}(), Vector{Any}(undef, count))
        run_group(k, group, count, meets, args)
    end
    return (join(sort!(collect(THROWN)), " "), map(x -> x.ref.mem, OUT)...)
end
