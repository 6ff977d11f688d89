# The macros of everyday code.

esc(ex) = Expr(:escape, ex)
macroexpand(m::Module, ex; recursive::Bool = true) = recursive ? Host.macroexpand(m, ex) : Host.macroexpand(m, ex, false)
"""
    @macroexpand expression

The expression with all its macros expanded.
"""
macro macroexpand(ex)
    :(macroexpand($__module__, $(QuoteNode(ex))))
end
macro macroexpand(mod, ex)
    :(macroexpand($(esc(mod)), $(QuoteNode(ex))))
end
"""
    @gensym names...

Assigns a made-up symbol to each name.
"""
macro gensym(names::Symbol...)
    Expr(:block, (:($(esc(n)) = gensym($(string(n)))) for n in names)..., nothing)
end

assertion_text(ex) = string(ex)
# `@invokelatest f(x; k)`: the call in the newest world; also `x.f`, `x.f = v`, `x[i]` and `x[i] = v`, which are calls.
"""
    @invokelatest f(args...)

Calls `f` in the newest world, in which all definitions are visible.
"""
macro invokelatest(ex)
    @keep_expansions
    call = latest_call(ex)
    call === nothing && throw(ArgumentError("expected a `:call` expression `f(args...; kwargs...)`"))
    f, args = call.args[1], call.args[2:end]
    keywords = filter(a -> a isa Expr && a.head === :parameters, args)
    others = filter(a -> !(a isa Expr && a.head === :parameters), args)
    esc(Expr(:call, GlobalRef(@__MODULE__, :invokelatest), keywords..., f, others...))
end
function latest_call(ex)
    ex isa Expr || return nothing
    here(name) = GlobalRef(@__MODULE__, name)
    ex.head === :call && return ex
    ex.head === :. && return Expr(:call, here(:getproperty), ex.args...)
    ex.head === :ref && return Expr(:call, here(:getindex), ex.args...)
    if ex.head === :(=) && ex.args[1] isa Expr
        place, value = ex.args
        place.head === :. && return Expr(:call, here(:setproperty!), place.args..., value)
        place.head === :ref && return Expr(:call, here(:setindex!), place.args[1], value, place.args[2:end]...)
    end
    nothing
end
"""
    @assert condition [text]

Throws an `AssertionError` with the text if the condition is false.
"""
macro assert(ex, msgs...)
    @keep_expansions place
    msg = isempty(msgs) ? assertion_text(ex) : msgs[1]
    text = msg isa AbstractString ? String(msg) : :(string($(esc(msg))))
    :($(esc(ex)) ? $nothing : throw(AssertionError($text)))
end
"""
    @isdefined name

Whether a variable has a value.
"""
macro isdefined(name) @keep_expansions; Expr(:escape, Expr(:isdefined, name)) end
"""
    Base.@locals

A dictionary of the local variables that have a value here, by name, with static parameters and captured variables.
"""
macro locals()
    Expr(:locals)
end
"""
    @show expressions...

Prints each expression with its value, and returns the last value.
"""
macro show(exs...)
    @keep_expansions place
    show_block(exs)
end
function show_block(exs)
    blk = Expr(:block)
    value = gensym("value")
    push!(blk.args, Expr(:local, value))
    for ex in exs
        push!(blk.args, :($value = $(esc(ex))))
        push!(blk.args, :(println($(string(sprint(show_unquoted, ex), " = ")), repr($value))))
    end
    push!(blk.args, value)
    blk
end

# Time and memory.
"""
    @elapsed expression

The seconds that the evaluation of an expression takes.
"""
macro elapsed(ex)
    @keep_expansions
    quote
        local t0 = time_ns()
        $(esc(ex))
        (time_ns() - t0) / 1e9
    end
end
# The work of the collector meanwhile. It only runs between top-level statements.
struct GC_Diff
    allocd::Int64
    malloc::Int64
    realloc::Int64
    poolalloc::Int64
    bigalloc::Int64
    freecall::Int64
    total_time::Int64
    pause::Int64
    full_sweep::Int64
end
GC_Diff(bytes::Integer) = GC_Diff(bytes, 0, 0, 0, 0, 0, 0, 0, 0)
# Nanoseconds that went into making methods ready to run, and the part of them that definitions had made necessary again.
cumulative_compile_time_ns() = (Host.time_ns(:compile), Host.time_ns(:recompile))
# The time is always taken.
cumulative_compile_timing(on::Bool) = nothing
"""
    @timed expression

The value of an expression with its time and allocations, as a named tuple.
"""
macro timed(ex)
    @keep_expansions
    quote
        local g0 = Host.gc(:time)
        local b0 = Host.allocated_bytes()
        local c0 = cumulative_compile_time_ns()
        local t0 = time_ns()
        local val = $(esc(ex))
        local t1 = time_ns()
        local c1 = cumulative_compile_time_ns()
        local b1 = Host.allocated_bytes()
        local g1 = Host.gc(:time)
        (value = val, time = (t1 - t0) / 1e9, bytes = b1 - b0, gctime = (g1[2] - g0[2]) / 1e9, gcstats = GC_Diff(b1 - b0), lock_conflicts = 0,
            compile_time = (c1[1] - c0[1]) / 1e9, recompile_time = (c1[2] - c0[2]) / 1e9)
    end
end
# Code that times an expression, tells of it with `tell`, and gives its value.
timed_and_told(tell, msg, ex) = quote
    local r = @timed $(esc(ex))
    $tell(stdout, r, $(esc(msg)))
    r.value
end
"""
    @time [text] expression

Prints the time and the allocations of an expression, and returns its value.
"""
macro time(ex) @keep_expansions; timed_and_told(time_print, nothing, ex) end
macro time(msg, ex) @keep_expansions; timed_and_told(time_print, msg, ex) end
# Allocations of code that runs interpreted are those that compiled code makes.
"""
    @allocated expression

The bytes that the evaluation of an expression allocates.
"""
macro allocated(ex)
    @keep_expansions
    quote
        local b0 = Host.allocated_bytes()
        $(esc(ex))
        Host.allocated_bytes() - b0
    end
end
"""
    @allocations expression

The number of allocations that the evaluation of an expression makes.
"""
macro allocations(ex)
    @keep_expansions
    quote
        local n0 = Host.allocated_bytes(:count)
        $(esc(ex))
        Host.allocated_bytes(:count) - n0
    end
end
"""
    @timev expression

Prints the time and all counts of allocations of an expression, and returns its value.
"""
macro timev(ex) @keep_expansions; timed_and_told(timev_print, nothing, ex) end
macro timev(msg, ex) @keep_expansions; timed_and_told(timev_print, msg, ex) end
percent_text(part, whole) = Host.float_to_string(100 * Float64(part) / Float64(whole), :fixed, 2)
allocations_text(n) = n < 1000 ? string(Int(n), n == 1 ? " allocation: " : " allocations: ") :
    string(Host.float_to_string(n / (n < 1_000_000 ? 1e3 : 1e6), :fixed, 2), n < 1_000_000 ? " k" : " M", " allocations: ")
# Times are in nanoseconds.
function time_print(io::IO, elapsed, bytes = 0, gctime = 0, allocs = 0, lock_conflicts = 0, compile_time = 0, recompile_time = 0,
        newline = false; msg = nothing)
    text = Host.float_to_string(Float64(elapsed) / 1e9, :fixed, 6)
    msg === nothing || print(io, msg, ": ")
    print(io, lpad(text, msg === nothing ? 10 : 0), " seconds")
    parts = String[]
    (bytes > 0 || allocs > 0) && push!(parts, string(allocs > 0 ? allocations_text(allocs) : "", format_bytes(bytes)))
    gctime > 0 && push!(parts, string(percent_text(gctime, elapsed), "% gc time"))
    lock_conflicts > 0 && push!(parts, string(lock_conflicts, " lock conflict", lock_conflicts == 1 ? "" : "s"))
    if compile_time > 0
        again = 100 * recompile_time / compile_time
        push!(parts, string(percent_text(min(compile_time, elapsed), elapsed), "% compilation time", again == 0 ? "" :
            string(": ", again < 1 ? "<1" : Host.float_to_string(Float64(again), :fixed, 0), "% of which was recompilation")))
    end
    isempty(parts) || print(io, " (", join(parts, ", "), ")")
    newline && println(io)
    nothing
end
time_print(io::IO, r::NamedTuple, msg) =
    time_print(io, r.time * 1e9, r.bytes, r.gctime * 1e9, 0, 0, r.compile_time * 1e9, r.recompile_time * 1e9, true; msg)
function timev_print(io::IO, r::NamedTuple, msg)
    time_print(io, r, msg)
    println(io, "elapsed time (ns):  ", round(Int, r.time * 1e9))
    println(io, "gc time (ns):       ", round(Int, r.gctime * 1e9))
    println(io, "bytes allocated:    ", r.bytes)
end
# A number of bytes with the unit of its size: powers of 1024, or of 1000.
function format_bytes(n; binary = true)
    n < 2 && return string(Int(n), n == 1 ? " byte" : " bytes")
    units = binary ? ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB") : ("bytes", "kB", "MB", "GB", "TB", "PB")
    factor = binary ? 1024 : 1000
    x, k = Float64(n), 1
    # A whole number of a unit shows in the smaller one.
    while x > factor && k < 6
        x /= factor
        k += 1
    end
    k == 1 ? string(Int(n), " bytes") : string(Host.float_to_string(x, :fixed, 3), " ", units[k])
end

# Choosing among values.
"""
    @something(xs...)

The first value that is not `nothing`, out of its `Some`; the arguments behind it are not evaluated.
"""
macro something(args...)
    @keep_expansions
    ex = :(something(nothing))
    for arg in reverse(args)
        v = gensym("val")
        ex = :(let $v = $(esc(arg)); $v === nothing ? $ex : something($v); end)
    end
    ex
end
"""
    @coalesce(xs...)

The first value that is not `missing`; the arguments behind it are not evaluated.
"""
macro coalesce(args...)
    @keep_expansions
    ex = :missing
    for arg in reverse(args)
        v = gensym("val")
        ex = :(let $v = $(esc(arg)); $ismissing($v) ? $ex : $v; end)
    end
    ex
end
"""
    @static if condition ... end

Evaluates the condition when the code is expanded and keeps only the branch that it chooses.
"""
macro static(ex)
    if ex isa Expr
        if ex.head === :if || ex.head === :elseif
            return static_if(__module__, ex)
        elseif ex.head === :&& || ex.head === :||
            c = Core.eval(__module__, ex.args[1])
            return ex.head === :&& ? (c ? esc(ex.args[2]) : false) : (c ? true : esc(ex.args[2]))
        end
    end
    throw(ArgumentError("invalid @static macro"))
end
function static_if(mod, ex)
    cond = ex.args[1]
    if Core.eval(mod, cond)
        return esc(ex.args[2])
    elseif length(ex.args) == 3
        other = ex.args[3]
        return other isa Expr && other.head === :elseif ? static_if(mod, other) : esc(other)
    end
    nothing
end

# Loops and arithmetic.
"""
    @simd for ... end

Lets the iterations of a loop be reordered, and their sums be added in any order.
"""
macro simd(ex)
    @keep_expansions
    simd_loop(ex, nothing)
end
macro simd(mark, ex)
    @keep_expansions
    simd_loop(ex, mark)
end
function simd_loop(ex, mark)
    ex isa Expr && ex.head === :for || throw(SimdLoop.SimdError("for loop expected"))
    SimdLoop.check_body(ex.args[2])
    marks = mark === nothing ? (Symbol("julia.simdloop"),) : (Symbol("julia.simdloop"), Symbol("julia.ivdep"))
    body = ex.args[2]
    esc(Expr(:for, ex.args[1], Expr(:block, body.args..., Expr(:loopinfo, marks...))))
end
module SimdLoop
    using ..Base: @simd, CartesianIndex, CartesianIndices, tail
    export @simd
    struct SimdError <: Exception
        msg::String
    end
    Base.showerror(io::IO, e::SimdError) = Base.print(io, "SimdError: ", e.msg)
    # The loop runs over the whole range: nothing in its body may leave it.
    check_body(x) = nothing
    function check_body(x::Expr)
        x.head === :break && throw(SimdError("break is not allowed inside a @simd loop body"))
        x.head === :continue && throw(SimdError("continue is not allowed inside a @simd loop body"))
        x.head === :macrocall && x.args[1] === Symbol("@goto") && throw(SimdError("@goto is not allowed inside a @simd loop body"))
        for a in x.args
            check_body(a)
        end
    end
    # A range that is not of tuples is one inner loop; of Cartesian indices, the inner loop is over the first axis.
    simd_outer_range(r) = 0:0
    simd_inner_length(r, j) = length(r)
    simd_index(r, j, i) = r[i + firstindex(r)]
    simd_outer_range(c::CartesianIndices) = CartesianIndices(tail(c.indices))
    simd_outer_range(c::CartesianIndices{0}) = c
    simd_inner_length(c::CartesianIndices, ::CartesianIndex) = length(c.indices[1])
    simd_inner_length(c::CartesianIndices{0}, ::CartesianIndex) = 1
    simd_index(c::CartesianIndices, J::CartesianIndex, i::Int) = CartesianIndex(c.indices[1][i + firstindex(c.indices[1])], J)
    simd_index(c::CartesianIndices{0}, ::CartesianIndex, ::Int) = first(c)
end

# Views.
"""
    @view A[inds...]

A view of the elements that an indexing expression selects.
"""
macro view(ex)
    @keep_expansions
    ex isa Expr && ex.head === :ref || throw(ArgumentError("Invalid use of @view macro: argument must be a reference expression A[...]."))
    # Nothing can be assigned to a view: the value is no place.
    esc(Expr(:&&, true, view_call(ex)))
end
# `end` and `begin` in the brackets keep their meaning when the reference becomes the call of a function.
function view_call(ex)
    array = ex.args[1]
    args = ex.args[2:end]
    any(uses_ends, args) || return Expr(:call, GlobalRef(Base, :view), array, args...)
    bindings = Any[]
    if !(array isa Symbol)
        array = bound!(bindings, "array", array)
    end
    call = Expr(:call, GlobalRef(Base, :view), array, ends_replaced!(bindings, array, args)...)
    isempty(bindings) ? call : Expr(:let, Expr(:block, bindings...), Expr(:block, call))
end
bound!(bindings, name, value) = (s = gensym(name); push!(bindings, Expr(:(=), s, value)); s)
uses_ends(x) = x === :end || x === :begin
uses_ends(x::Expr) = x.head !== :ref && x.head !== :quote ? any(uses_ends, x.args) : x.head === :ref ? uses_ends(x.args[1]) : false
# Behind a splatted index the dimension is known when its length is: then each index gets a name.
function ends_replaced!(bindings, array, args)
    n = length(args)
    splats = Any[]
    named = any(a -> a isa Expr && a.head === :..., args)
    here(f, at...) = Expr(:call, GlobalRef(Base, f), array, at...)
    out = Any[]
    for k in 1:n
        dimension = n == 1 ? () : isempty(splats) ? (k,) :
            (Expr(:call, GlobalRef(Base, :+), k - length(splats), map(s -> :($(GlobalRef(Base, :length))($s)), splats)...),)
        # Of an array with an axis for each of its dimensions `begin` of a dimension is the first of its axis.
        first = isempty(splats) ? here(:firstindex, dimension...) : :($(GlobalRef(Base, :first))($(here(:axes, dimension...))))
        index = replace_ends(args[k], first, here(:lastindex, dimension...))
        if named && index isa Expr
            splat = index.head === :...
            name = bound!(bindings, "index", splat ? index.args[1] : index)
            splat && push!(splats, name)
            index = splat ? Expr(:..., name) : name
        end
        push!(out, index)
    end
    out
end
replace_ends(x, first, last) = x === :end ? last : x === :begin ? first : x
function replace_ends(x::Expr, first, last)
    x.head === :quote && return x
    x.head === :ref && return Expr(:ref, replace_ends(x.args[1], first, last), x.args[2:end]...)
    Expr(x.head, mapany(a -> replace_ends(a, first, last), x.args)...)
end
mapany(f, a) = Any[f(x) for x in a]
"""
    @views expression

Makes every indexing of ranges in an expression a view.
"""
macro views(ex)
    @keep_expansions
    esc(views_in(ex))
end
views_in(x) = x
function views_in(x::Expr)
    head = x.head
    head === :quote && return x
    head === :ref && return maybeview_call(view_call(Expr(:ref, mapany(views_in, x.args)...)))
    if is_assign_head(head) && x.args[1] isa Expr && x.args[1].head === :ref
        return Expr(head, Expr(:ref, mapany(views_in, x.args[1].args)...), views_in(x.args[2]))
    end
    Expr(head, mapany(views_in, x.args)...)
end
maybeview_call(c) = c.head === :let ? Expr(:let, c.args[1], Expr(:block, maybeview_call(c.args[2].args[1]))) :
    Expr(:call, GlobalRef(Base, :maybeview), c.args[2:end]...)
function is_assign_head(head::Symbol)
    s = string(head)
    n = ncodeunits(s)
    head === :(=) || n > 1 && s[n] == '=' && !(s in ("==", "!=", "<=", ">=", "===", "!==", "=>"))
end

# Structs with defaults and keywords.
export @kwdef
"""
    @kwdef struct T ... end

Defines a struct and a constructor with a keyword, and perhaps a default, for each field.
"""
macro kwdef(ex)
    kwdef_expand(ex)
end
function kwdef_expand(ex)
    def = ex
    while def isa Expr && def.head === :macrocall
        def = def.args[end]
    end
    def isa Expr && def.head === :struct || error("Invalid usage of @kwdef")
    T = def.args[2]
    T isa Expr && T.head === :<: && (T = T.args[1])
    params = Any[]
    call_args = Any[]
    body = def.args[3]
    for i in 1:length(body.args)
        item = body.args[i]
        kw_field!(params, call_args, body.args, i, item)
    end
    isempty(params) && return esc(documentable(ex))
    if T isa Symbol || T.head === :escape
        return Expr(:block, esc(documentable(ex)), esc(Expr(:(=), Expr(:call, T, Expr(:parameters, params...)), Expr(:block, Expr(:call, T, call_args...)))), nothing)
    end
    name = T.args[1]
    tparams = T.args[2:end]
    plain = mapany(p -> p isa Expr && p.head === :<: ? p.args[1] : p, tparams)
    full = Expr(:curly, name, plain...)
    outer = Expr(:(=), Expr(:call, name, Expr(:parameters, params...)), Expr(:block, Expr(:call, name, call_args...)))
    inner = Expr(:(=), Expr(:where, Expr(:call, full, Expr(:parameters, params...)), tparams...), Expr(:block, Expr(:call, full, call_args...)))
    Expr(:block, esc(documentable(ex)), esc(outer), esc(inner), nothing)
end
# A definition that takes the text before the call of the macro that makes it.
documentable(def) = Expr(:block, Expr(:meta, :doc), def)
# A macro may have escaped a field or a part of it: its name is a plain one all the same, its default stays escaped.
field_name(x) = x isa Symbol ? x : x isa Expr && !isempty(x.args) ? field_name(x.args[1]) : nothing
function kw_field!(params, call_args, body, i, item, place = identity)
    head = item isa Expr ? item.head : :symbol
    if head === :symbol || head === :(::)
        name = field_name(item)
        name isa Symbol || return nothing
        push!(params, name)
        push!(call_args, name)
    elseif head === :(=)
        lhs, default = item.args
        lhs isa Expr && lhs.head === :call && return nothing
        name = field_name(lhs)
        name isa Symbol || return nothing
        push!(params, Expr(:kw, name, place(default)))
        push!(call_args, name)
        body[i] = lhs
    elseif head === :const || head === :atomic || head === :escape
        inner = Any[item.args[1]]
        kw_field!(params, call_args, inner, 1, item.args[1], head === :escape ? esc : place)
        body[i] = Expr(head, inner[1])
    elseif head === :block
        for k in 1:length(item.args)
            kw_field!(params, call_args, item.args, k, item.args[k], place)
        end
    end
    nothing
end

"""
    Threads

Threads, their pools, loops over them, and atomic values.
"""
Threads

module Threads
    export @threads, @spawn, nthreads, threadid, Atomic, atomic_add!, atomic_sub!, atomic_and!, atomic_or!, atomic_xor!, atomic_nand!,
        atomic_max!, atomic_min!, atomic_xchg!, atomic_cas!, atomic_fence, threadpool, nthreadpools, maxthreadid, ngcthreads
    # Two pools of one thread each, as Julia begins: the program runs in the first, what it spawns in the second. The threads
    # take turns.
    """
        Threads.nthreads(pool = :default)

    The number of threads in a pool.
    """
    nthreads(pool::Base.Symbol = :default) = pool === :default || pool === :interactive ? 1 :
        Base.throw(Base.ArgumentError(Base.string("invalid threadpool specified: ", pool)))
    """
        Threads.threadpool()
        Threads.threadpool(id)

    The pool of the running thread, or of the thread of a number.
    """
    threadpool() = Base.current_task().pool
    threadpool(id::Base.Int) = id == 1 ? :interactive : id == 2 ? :default :
        Base.throw(Base.ArgumentError(Base.string("no thread has the number ", id)))
    threadpool(t) = t.pool
    threadpooltids(pool::Base.Symbol) = (nthreads(pool); Base.Int[pool === :interactive ? 1 : 2])
    threadpoolsize(pool::Base.Symbol = :default) = nthreads(pool)
    """
        Threads.ngcthreads()

    The number of threads that collect garbage.
    """
    ngcthreads() = 1
    """
        Threads.threadid()
        Threads.threadid(task)

    The number of the thread that runs, or on which a task runs.
    """
    threadid() = threadid(Base.current_task())
    threadid(t) = t.pool === :interactive ? 1 : 2
    """
        Threads.maxthreadid()

    An upper bound of the threads' numbers.
    """
    maxthreadid() = 2
    """
        Threads.nthreadpools()

    The number of pools of threads.
    """
    nthreadpools() = 2
    """
        Threads.@threads [schedule] for ... end

    Runs the iterations of a loop as if on several threads: no iteration may rely on another. There is one thread, so they
    run in order.
    """
    macro threads(args...)
        Base.@keep_expansions
        Base.length(args) in (1, 2) || Base.throw(Base.ArgumentError("wrong number of arguments in @threads"))
        Base.isexpr(args[end], :for) || Base.throw(Base.ArgumentError("@threads requires a `for` loop expression"))
        if Base.length(args) == 2
            schedule = args[1] isa Base.QuoteNode ? args[1].value : args[1]
            schedule in (:static, :dynamic, :greedy) || Base.throw(Base.ArgumentError("unsupported schedule argument in @threads"))
        end
        Base.esc(args[end])
    end
    function in_pool(task, pool)
        pool in (:default, :interactive, :samepool) || Base.throw(Base.ArgumentError(Base.string("unsupported threadpool in @spawn: ", pool)))
        pool === :samepool || (task.pool = pool)
        task.sticky = false
        task
    end
    """
        Threads.@spawn [pool] expression

    Makes a task that evaluates the expression on a thread of the pool, schedules it, and returns it. `\$x` takes the value
    that `x` has now.
    """
    macro spawn(args...)
        Base.@keep_expansions
        1 <= Base.length(args) <= 2 || Base.throw(Base.ArgumentError("wrong number of arguments in @spawn"))
        Base.scheduled_task(args[end], Base.length(args) == 1 ? :(:default) : Base.esc(args[1]))
    end
    """
        Threads.Atomic{T}(value)

    A reference to a value that `atomic_add!` and its relatives change in one step. `a[]` reads it.
    """
    mutable struct Atomic{T}
        value::T
        Atomic{T}() where {T} = new{T}(zero(T))
        Atomic{T}(v) where {T} = new{T}(v)
    end
    Atomic(v) = Atomic{typeof(v)}(v)
    Base.getindex(a::Atomic) = a.value
    Base.setindex!(a::Atomic, v) = (a.value = v)
    """
        Threads.atomic_add!(a, v)

    Adds `v` to an atomic value and returns the old value.
    """
    atomic_add!(a::Atomic, v) = (old = a.value; a.value = old + v; old)
    """
        Threads.atomic_sub!(a, v)

    Subtracts `v` from an atomic value and returns the old value.
    """
    atomic_sub!(a::Atomic, v) = (old = a.value; a.value = old - v; old)
    """
        Threads.atomic_and!(a, v)

    Replaces an atomic value by its bitwise and with `v` and returns the old value.
    """
    atomic_and!(a::Atomic, v) = (old = a.value; a.value = Base.:&(old, v); old)
    """
        Threads.atomic_or!(a, v)

    Replaces an atomic value by its bitwise or with `v` and returns the old value.
    """
    atomic_or!(a::Atomic, v) = (old = a.value; a.value = Base.:|(old, v); old)
    """
        Threads.atomic_xor!(a, v)

    Replaces an atomic value by its bitwise exclusive or with `v` and returns the old value.
    """
    atomic_xor!(a::Atomic, v) = (old = a.value; a.value = Base.xor(old, v); old)
    """
        Threads.atomic_nand!(a, v)

    Replaces an atomic value by the complement of its bitwise and with `v` and returns the old value.
    """
    atomic_nand!(a::Atomic, v) = (old = a.value; a.value = Base.:~(Base.:&(old, v)); old)
    """
        Threads.atomic_max!(a, v)

    Replaces an atomic value by the greater of it and `v` and returns the old value.
    """
    atomic_max!(a::Atomic, v) = (old = a.value; a.value = max(old, v); old)
    """
        Threads.atomic_min!(a, v)

    Replaces an atomic value by the lesser of it and `v` and returns the old value.
    """
    atomic_min!(a::Atomic, v) = (old = a.value; a.value = min(old, v); old)
    """
        Threads.atomic_xchg!(a, v)

    Replaces an atomic value by `v` and returns the old value.
    """
    atomic_xchg!(a::Atomic, v) = (old = a.value; a.value = v; old)
    """
        Threads.atomic_cas!(a, expected, v)

    Replaces an atomic value by `v` if it is `expected`, and returns the old value.
    """
    atomic_cas!(a::Atomic, cmp, new) = (old = a.value; old === cmp && (a.value = new); old)
    """
        Threads.atomic_fence()

    Orders the memory accesses before it ahead of those after it.
    """
    atomic_fence() = nothing
end
using .Threads: Threads, @threads

"""
    b"text"

The bytes of a text.
"""
macro b_str(s) @keep_expansions; codeunits(unescape_string(s)) end
"""
    raw"text"

A string without escapes and interpolation.
"""
macro raw_str(s) @keep_expansions; s end
macro ccallable(ex)
    esc(ex)
end
# Definitions in overlay tables: the function called in the signature becomes `Expr(:overlay, table, function)`.
function overlay_definition(table, def, marks...)
    inner = def
    while inner isa Expr && inner.head === :macrocall
        inner = inner.args[end]
    end
    inner isa Expr && is_definition(inner) && length(inner.args) == 2 && overlay_signature!(table, inner.args[1]) ||
        error("@overlay requires a function definition")
    return isempty(marks) ? def : annotate_definition(def, marks...)
end
function overlay_signature!(table, sig)
    sig isa Expr || return false
    (sig.head === :where || sig.head === :(::)) && return overlay_signature!(table, sig.args[1])
    sig.head === :call || return false
    sig.args[1] = Expr(:overlay, table, sig.args[1])
    return true
end
module Experimental
    macro MethodTable(name)
        name isa Base.Symbol || Base.error("name must be a symbol")
        Base.esc(:(const $name = $(Core.Host.new_method_table)($(Base.QuoteNode(name)), $__module__)))
    end
    macro overlay(table, def)
        Base.esc(Base.overlay_definition(table, def))
    end
    macro consistent_overlay(table, def)
        Base.esc(Base.overlay_definition(table, def, Base.Expr(:purity, :consistent_overlay)))
    end
    # These say how to compile, which changes no result.
    macro optlevel(n)
    end
    macro compiler_options(args...)
    end
    macro force_compile()
    end
    macro max_methods(args...)
        Base.esc(args[end] isa Base.Int ? nothing : args[end])
    end
    # Functions that add to the message of an exception of a type, by this type.
    const _hint_handlers = Base.IdDict{Base.Type, Base.Vector{Base.Any}}()
    register_error_hint(@nospecialize(handler), @nospecialize(exct::Type)) =
        (Base.push!(Base.get!(() -> Base.Any[], _hint_handlers, exct), handler); nothing)
    show_error_hints(io, ex, args...) = Base.show_error_hints(io, ex, args...)
    wait_with_timeout(c; kws...) = Base.wait_with_timeout(c; kws...)
end
macro compiler_options(args...)
    nothing
end
"""
    GC

Control of the garbage collector: collections, finalizers, and marks that keep an object alive.
"""
GC

module GC
    gc(full = true) = (Core.Host.gc(:collect); nothing)
    mutable struct State
        finalizers_inhibited::Base.Int
        finalizing::Base.Bool
        finalizers_run_at_exit::Base.Bool
        finalizers_wait::Base.Bool      # some became ready while they were inhibited
    end
    const STATE = State(0, false, false, false)
    enable(on::Base.Bool) = Core.Host.gc(:enable, on)::Base.Bool
    enable_finalizers(on::Base.Bool) = on ? enable_finalizers() : disable_finalizers()
    function enable_finalizers()
        STATE.finalizers_inhibited > 0 && (STATE.finalizers_inhibited -= 1)
        STATE.finalizers_inhibited == 0 && STATE.finalizers_wait && Base.run_ready_finalizers()
        nothing
    end
    disable_finalizers() = (STATE.finalizers_inhibited += 1; nothing)
    in_finalizer() = STATE.finalizing
    macro preserve(args...)
        Base.@keep_expansions
        Base.esc(args[end])
    end
    safepoint() = nothing
end
using Core: @doc, @int128_str, @uint128_str
"""
    @showtime expression

Prints an expression with the time it takes, and returns its value.
"""
macro showtime(ex)
    @keep_expansions
    :(@time $(esc(ex)))
end
"""
    @macroexpand1 expression

The expression with its outermost macro expanded once.
"""
macro macroexpand1(ex)
    :(macroexpand($__module__, $(QuoteNode(ex)); recursive = false))
end
macro macroexpand1(mod, ex)
    :(macroexpand($(esc(mod)), $(QuoteNode(ex)); recursive = false))
end

# A definition or a block with a mark, `:inline` or `:noinline`.
annotate_meta_def_or_block(ex, mark::Symbol) = esc(Expr(:macrocall, GlobalRef(Base, Symbol("@", mark)), nothing, ex))

# Marks of the method whose body they are in, under the names that packages know them by.
for (name, mark) in ((:_inline_meta, :inline), (:_noinline_meta, :noinline), (:_propagate_inbounds_meta, :propagate_inbounds),
        (:_nospecializeinfer_meta, :nospecializeinfer))
    @eval macro $name()
        Expr(:meta, $(mark === :propagate_inbounds ? (QuoteNode(:inline), QuoteNode(mark)) : (QuoteNode(mark),))...)
    end
end
