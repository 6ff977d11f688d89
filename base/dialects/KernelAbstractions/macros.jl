# The kernel language. `@kernel` turns a function into one that runs an item, and a constructor of launchable kernels.
#
# Items out of range still reach every barrier: the statements between two `@synchronize`s are guarded by
# `__active__`, and control flow around a `@synchronize` is not. Statements that every item runs (`@uniform`, `@localmem`, `@private`)
# stand outside the guards.

const SYNC = Symbol("@synchronize")
const UNGUARDED = (Symbol("@uniform"), Symbol("@localmem"), Symbol("@private"))

macro_name(ex) = nothing
function macro_name(ex::Expr)
    ex.head === :macrocall || return nothing
    name = ex.args[1]
    name isa GlobalRef && return name.name
    name isa Expr && name.head === :. && return name.args[2] isa QuoteNode ? name.args[2].value : nothing
    return name
end

is_sync(ex) = macro_name(ex) === SYNC
has_sync(ex) = false
has_sync(ex::Expr) = is_sync(ex) || (ex.head !== :-> && ex.head !== :function && any(has_sync, ex.args))

# Whether every item must run the statement.
is_unguarded(ex) = false
function is_unguarded(ex::Expr)
    macro_name(ex) in UNGUARDED && return true
    return ex.head === :(=) && macro_name(ex.args[2]) in UNGUARDED
end

function guard(stmts)
    isempty(stmts) && return Any[]
    all(s -> s isa LineNumberNode, stmts) && return stmts
    return Any[Expr(:if, :__active__, Expr(:block, stmts...))]
end

function split_at_syncs(stmts)
    out, segment = Any[], Any[]
    for s in stmts
        if is_unguarded(s) || has_sync(s)
            append!(out, guard(segment))
            empty!(segment)
            push!(out, has_sync(s) && !is_sync(s) ? split_inside(s) : s)
        else
            push!(segment, s)
        end
    end
    append!(out, guard(segment))
    return out
end

# A construct with a `@synchronize` inside: its blocks are split, its conditions and ranges are everybody's.
split_inside(ex) = ex
function split_inside(ex::Expr)
    ex.head === :block && return Expr(:block, split_at_syncs(ex.args)...)
    ex.head in (:for, :while, :let) && return Expr(ex.head, ex.args[1], split_inside(ex.args[2]))
    ex.head in (:if, :elseif) && return Expr(ex.head, ex.args[1], map(split_inside, ex.args[2:end])...)
    is_sync(ex) && return ex
    # `@inbounds begin ... end` and the like
    ex.head === :macrocall && return Expr(:macrocall, ex.args[1:end-1]..., split_inside(ex.args[end]))
    return has_sync(ex) ? error("@kernel: a @synchronize inside `$(ex.head)` is not possible") : ex
end

strip_const(arg) = macro_name(arg) === Symbol("@Const") ? (arg.args[end], true) : (arg, false)

argument_name(a) = a isa Expr && a.head in (:(::), :kw, :(=)) ? argument_name(a.args[1]) : a

function name_and_wheres(sig)
    sig.head === :where || return sig, Any[]
    inner, wheres = name_and_wheres(sig.args[1])
    return inner, Any[wheres..., sig.args[2:end]...]
end

function kernel_definition(ex, force_inbounds, unsafe_indices)
    ex.head in (:function, :(=)) || error("@kernel: expected a function definition")
    call, wheres = name_and_wheres(ex.args[1])
    name, body = call.args[1], ex.args[2]
    args = Any[first(strip_const(a)) for a in call.args[2:end]]
    constants = Any[argument_name(first(strip_const(a))) for a in call.args[2:end] if last(strip_const(a))]
    gpu_name = Symbol(:gpu_, name)
    at = findfirst(a -> a isa Expr && a.head === :parameters, args)
    insert!(args, at === nothing ? 1 : at + 1, :__ctx__)
    stmts = unsafe_indices ? body.args : Any[:(__active__ = $__validindex(__ctx__)), split_at_syncs(body.args)...]
    force_inbounds && (stmts = Any[Expr(:inbounds, true), stmts..., Expr(:inbounds, :pop)])
    sig = Expr(:call, gpu_name, args...)
    isempty(wheres) || (sig = Expr(:where, sig, wheres...))
    # Not assigned to: closures may capture them.
    if !isempty(constants)
        bound = Expr(:block, Any[:($a = $(Device.constify)($a)) for a in constants]...)
        stmts = Any[Expr(:let, bound, Expr(:block, stmts...))]
    end
    device = Expr(:function, sig, Expr(:block, stmts..., :(return nothing)))
    host = quote
        $(Base.documentable(:($name(dev) = $make_kernel(dev, $DynamicSize(), $DynamicSize(), $gpu_name))))
        $name(dev, size) = $make_kernel(dev, $StaticSize(size), $DynamicSize(), $gpu_name)
        $name(dev, size, range) = $make_kernel(dev, $StaticSize(size), $StaticSize(range), $gpu_name)
        $name(dev, size::$_Size, range::$_Size) = $make_kernel(dev, size, range, $gpu_name)
        $name(args...; launch...) = $refuse_arguments($gpu_name, args)
    end
    return Expr(:block, esc(device), esc(host), nothing)
end

@noinline refuse_arguments(f, args) = throw(ArgumentError(string("`", kernel_name(f), "` is called with a backend, and the result ",
    "with the arguments: `", kernel_name(f), "(backend)(arguments...; ndrange = size)`")))

macro kernel(ex...)
    Base.@keep_expansions
    force_inbounds = unsafe_indices = false
    for option in ex[1:end-1]
        option isa Expr && option.head === :(=) || error("@kernel: expected `option = value`, got `$option`")
        if option.args[1] === :inbounds
            force_inbounds = option.args[2]
        elseif option.args[1] === :unsafe_indices
            unsafe_indices = option.args[2]
        elseif option.args[1] !== :cpu
            error("@kernel: unknown option `$(option.args[1])`; known are cpu, inbounds, unsafe_indices")
        end
    end
    return kernel_definition(ex[end], force_inbounds, unsafe_indices)
end

macro Const end

macro index(locale, kind = :Linear)
    Base.@keep_expansions
    locale in (:Global, :Local, :Group) || error("@index: the first argument is Global, Local or Group")
    kind in (:Linear, :Cartesian, :NTuple) || error("@index: the second argument is Linear, Cartesian or NTuple")
    f = Symbol(:__index_, locale, :_, kind)
    return Expr(:call, GlobalRef(KernelAbstractions, f), esc(:__ctx__))
end

macro groupsize()
    Base.@keep_expansions
    return :(groupsize($(esc(:__ctx__))))
end
macro ndrange()
    Base.@keep_expansions
    return :(size(ndrange($(esc(:__ctx__)))))
end
macro context()
    Base.@keep_expansions
    return esc(:__ctx__)
end

macro localmem(T, dims)
    Base.@keep_expansions
    return :(Device.shared_array($(esc(T)), Val(dims_tuple($(esc(dims))))))
end
dims_tuple(n::Integer) = (Int(n),)
dims_tuple(dims::Tuple) = map(Int, dims)

macro private(T, dims)
    Base.@keep_expansions
    return :(Device.private_array($(esc(T)), Val(dims_tuple($(esc(dims))))))
end
# `@private x = v`: every local is the item's own and survives barriers already.
macro private(ex)
    Base.@keep_expansions
    return esc(ex)
end
macro uniform(ex)
    Base.@keep_expansions
    return esc(ex)
end
macro synchronize()
    Base.@keep_expansions
    return :(Device.barrier())
end
macro synchronize(cond)
    Base.@keep_expansions
    return :(Device.barrier())
end
macro print(items...)
    Base.@keep_expansions
    return Device.report_call(print, map(esc, Device.flatten_parts(items)))
end
