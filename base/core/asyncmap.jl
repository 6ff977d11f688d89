# `asyncmap`: a function over collections, in tasks that take turns; the results come in the order of the elements.

# Tasks at a time: a number, 0 for as many as there are elements and at most 100, or a function that says how many now.
function task_limit(ntasks, itr)
    ntasks isa Function && return ntasks
    ntasks isa Number && ntasks >= 0 ||
        throw(ArgumentError(string("ntasks must be specified as a positive integer or a 0-arg function. ntasks=", ntasks)))
    ntasks == 0 || return Int(ntasks)
    haslength(itr) ? clamp(length(itr), 1, 100) : 100
end
function checked_batch_size(size)
    size === nothing && return nothing
    size isa Number && Int(size) >= 1 || throw(ArgumentError(string("batch_size must be specified as a positive integer. batch_size=", size)))
    Int(size)
end
haslength(x) = IteratorSize(x) isa Union{HasShape, HasLength}

# The work of one `asyncmap`: what the tasks take next, how many run, and what one of them threw.
mutable struct AsyncWork
    const items::Channel{Any}
    const tasks::Vector{Task}
    running::Int
    failure::Union{Nothing, CapturedException}
end
# Runs `call` on each item until there are no more. A failure ends the others too.
function work_off(w::AsyncWork, call)
    try
        foreach(call, w.items)
    catch err
        w.failure === nothing && (w.failure = CapturedException(err, catch_backtrace()))
        close(w.items)
    finally
        w.running -= 1
    end
    nothing
end
function add_worker(w::AsyncWork, call)
    w.running += 1
    push!(w.tasks, schedule(Task(() -> work_off(w, call))))
end
wanted_tasks(limit) = limit isa Function ? max(Int(limit()), 1) : limit
function hand_out(w::AsyncWork, call, limit, batches)
    for batch in batches
        w.failure === nothing || break
        # A task for each item as long as there may be more, so that no item waits for another.
        w.running < wanted_tasks(limit) && add_worker(w, call)
        try
            put!(w.items, batch)
        catch err
            w.failure === nothing && rethrow()
        end
    end
    close(w.items)
    foreach(wait, w.tasks)
    w.failure === nothing || throw(w.failure)
    nothing
end

# The results of `f` on the elements: `f` of the arguments of one, or, with a batch size, of a vector of such tuples.
function mapped_results(f, itrs, ntasks, batch_size)
    limit = task_limit(ntasks, itrs[1])
    size = checked_batch_size(batch_size)
    results = Any[]
    call = size === nothing ? (item -> (item[1][] = f(item[2]...))) :
        (batch -> foreach((item, value) -> item[1][] = value, batch, f(map(last, batch))))
    items = (take_item!(results, args) for args in zip(itrs...))
    work = AsyncWork(Channel{Any}(0), Task[], 0, nothing)
    hand_out(work, call, limit, size === nothing ? items : Iterators.partition(items, size))
    results
end
take_item!(results, args) = (push!(results, Ref{Any}()); (results[end], args))

function asyncmap(f, itrs...; ntasks = 0, batch_size = nothing)
    values = Any[r[] for r in mapped_results(f, itrs, ntasks, batch_size)]
    isempty(values) && return map(f, itrs...)
    # The values are shaped as `map` shapes them.
    next = Ref(0)
    map((args...) -> values[next[] += 1], itrs...)
end
asyncmap(f, s::AbstractString; kws...) = map(identity, String(collect(Char, asyncmap(f, collect(s); kws...))))
function asyncmap(f, b::BitArray; kws...)
    values = asyncmap(f, collect(b); kws...)
    values isa AbstractArray{Bool} ? BitArray(values) : values
end
function asyncmap!(f, dest, itr1, itrs...; ntasks = 0, batch_size = nothing)
    found = mapped_results(f, (itr1, itrs...), ntasks, batch_size)
    for (i, r) in zip(eachindex(dest), found)
        dest[i] = r[]
    end
    dest
end
export asyncmap, asyncmap!
