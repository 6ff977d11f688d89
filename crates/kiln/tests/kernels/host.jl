# A launch item by item, on the host. The tasks of a group take turns, each until it meets a barrier. Items that have ended count as
# arrived.
mutable struct Item
    thread::@NamedTuple{x::Int32, y::Int32, z::Int32}
    number::Int
    group::Any
end
mutable struct Meeting
    waiting::Int
    turn::Int
end
mutable struct Group
    block::@NamedTuple{x::Int32, y::Int32, z::Int32}
    size::@NamedTuple{x::Int32, y::Int32, z::Int32}
    grid::@NamedTuple{x::Int32, y::Int32, z::Int32}
    range::Any
    shared::Dict{Any, Any}
    lanes::Vector{Any}
    live::Int
    meetings::Dict{Any, Meeting}
end
const CURRENT = Ref{Any}(nothing)
three(t) = (x = Int32(t[1]), y = Int32(t[2]), z = Int32(t[3]))

threadIdx() = CURRENT[].thread
blockIdx() = CURRENT[].group.block
blockDim() = CURRENT[].group.size
gridDim() = CURRENT[].group.grid
CuStaticSharedArray(T, n) = get!(() -> zeros(T, n), CURRENT[].group.shared, T)
# Waits until as many items are here as are expected at the time.
function meet(place, expected)
    me = CURRENT[]
    meeting = get!(() -> Meeting(0, 0), me.group.meetings, place)
    turn = meeting.turn
    meeting.waiting += 1
    while meeting.turn == turn
        if meeting.waiting >= expected()
            meeting.waiting = 0
            meeting.turn += 1
        else
            yield()
        end
    end
    CURRENT[] = me
    return nothing
end
function sync_threads()
    group = CURRENT[].group
    return meet(:group, () -> group.live)
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

# Warps: the lanes of a mask meet; all of them come.
const FULL_MASK = 0xffffffff
function lanes_of(mask)
    me = CURRENT[]
    first = 32 * ((me.number - 1) ÷ 32)
    return [first + k for k in 1:32 if mask & (0x00000001 << (k - 1)) != 0 && first + k <= length(me.group.lanes)]
end
function given(mask, value)
    me = CURRENT[]
    lanes = lanes_of(mask)
    me.group.lanes[me.number] = value
    meet((lanes[1], mask), () -> length(lanes))
    all = Any[(i, me.group.lanes[i]) for i in lanes]
    meet((lanes[1], mask), () -> length(lanes))
    return all
end
function exchanged(mask, value, source)
    me = CURRENT[]
    first = 32 * ((me.number - 1) ÷ 32)
    lane = source(me.number - 1 - first)
    for (i, other) in given(mask, value)
        i == first + lane + 1 && 0 <= lane < 32 && return other
    end
    return value
end
shfl_sync(mask, x, lane) = exchanged(mask, x, _ -> (Int(lane) - 1) & 31)
shfl_up_sync(mask, x, delta) = exchanged(mask, x, lane -> lane - Int(delta))
shfl_down_sync(mask, x, delta) = exchanged(mask, x, lane -> lane + Int(delta))
shfl_xor_sync(mask, x, bits) = exchanged(mask, x, lane -> xor(lane, Int(bits)))
vote_any_sync(mask, x) = any(it -> it[2], given(mask, x))
vote_all_sync(mask, x) = all(it -> it[2], given(mask, x))
function vote_uni_sync(mask, x)
    votes = given(mask, x)
    return all(it -> it[2], votes) || !any(it -> it[2], votes)
end
function vote_ballot_sync(mask, x)
    bits = 0x00000000
    for (i, yes) in given(mask, x)
        yes && (bits |= 0x00000001 << ((i - 1) % 32))
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
    item.group.live -= 1
    return nothing
end
function run_group(k, group, count, meets, args)
    items = [Item(three(((i - 1) % group.size.x + 1, (i - 1) ÷ group.size.x % group.size.y + 1,
                         (i - 1) ÷ (group.size.x * group.size.y) + 1)), i, group) for i in 1:count]
    filter!(is_inside, items)
    group.live = length(items)
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
        group = Group(three((x, y, z)), three(items), three(groups), range, Dict{Any, Any}(), Vector{Any}(undef, count),
            0, Dict{Any, Meeting}())
        run_group(k, group, count, meets, args)
    end
    return (join(sort!(collect(THROWN)), " "), map(x -> x.ref.mem, OUT)...)
end
