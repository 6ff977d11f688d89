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

# The work of one `asyncmap`: the items that tasks take, a batch that is being filled, and what a task threw.
mutable struct AsyncWork
    const call::Any
    const limit::Any
    const batch_size::Union{Nothing, Int}
    const items::Channel{Any}
    const tasks::Vector{Task}
    batch::Vector{Any}
    failure::Union{Nothing, CapturedException}
end
function AsyncWork(f, limit, size)
    call = size === nothing ? (item -> (item[1][] = f(item[2]...))) :
        (batch -> foreach((item, value) -> item[1][] = value, batch, f(map(last, batch))))
    w = AsyncWork(call, limit, size, Channel{Any}(0), Task[], Any[], nothing)
    limit isa Function || foreach(_ -> add_worker(w), 1:limit)
    w
end
# Calls the function on each item until there are no more. A failure ends the other tasks too.
function work_off(w::AsyncWork)
    try
        foreach(w.call, w.items)
    catch err
        w.failure === nothing && (w.failure = CapturedException(err, catch_backtrace()))
        close(w.items)
    end
    nothing
end
add_worker(w::AsyncWork) = push!(w.tasks, schedule(Task(() -> work_off(w))))
# Where the result of a call with these arguments will be.
function hand_out(w::AsyncWork, args)
    result = Ref{Any}()
    if w.batch_size === nothing
        give_item(w, (result, args))
    else
        push!(w.batch, (result, args))
        length(w.batch) < w.batch_size || give_batch(w)
    end
    result
end
give_batch(w::AsyncWork) = (batch = w.batch; w.batch = Any[]; give_item(w, batch))
function give_item(w::AsyncWork, item)
    w.limit isa Function && length(w.tasks) < max(w.limit(), 1) && add_worker(w)
    try
        put!(w.items, item)
    catch
        throw(something(w.failure, Some(InvalidStateException("Channel is closed.", :closed))))
    end
    nothing
end
function finish(w::AsyncWork)
    isempty(w.batch) || give_batch(w)
    close(w.items)
    foreach(wait, w.tasks)
    w.failure === nothing || throw(w.failure)
    nothing
end

# The results have the shape that `map` gives them: it goes over the arguments once, and over where the results are once.
function asyncmap(f, itrs...; ntasks = 0, batch_size = nothing)
    w = AsyncWork(f, task_limit(ntasks, itrs[1]), checked_batch_size(batch_size))
    results = try
        map((args...) -> hand_out(w, args), itrs...)
    catch
        close(w.items)
        rethrow()
    end
    finish(w)
    map(r -> r[], results)
end
asyncmap(f, s::AbstractString; kws...) = map(identity, String(collect(Char, asyncmap(f, collect(s); kws...))))
function asyncmap(f, b::BitArray; kws...)
    values = asyncmap(f, collect(b); kws...)
    values isa AbstractArray{Bool} ? BitArray(values) : values
end
function asyncmap!(f, dest, itr1, itrs...; ntasks = 0, batch_size = nothing)
    found = asyncmap(args -> f(args...), zip(itr1, itrs...); ntasks, batch_size)
    for (i, value) in zip(eachindex(dest), found)
        dest[i] = value
    end
    dest
end
export asyncmap, asyncmap!
