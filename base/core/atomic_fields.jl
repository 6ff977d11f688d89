# Atomic fields: `@atomic x::T` declares one; `@atomic`, `@atomicswap`, `@atomicreplace` and `@atomiconce` access them,
# with the memory order given first or sequentially consistent.

getproperty(x, f::Symbol, order::Symbol) = getfield(x, f, order)
setproperty!(x, f::Symbol, v, order::Symbol) = setfield!(x, f, convert(fieldtype(typeof(x), f), v), order)
swapproperty!(x, f::Symbol, v, order::Symbol = :not_atomic) = swapfield!(x, f, convert(fieldtype(typeof(x), f), v), order)
modifyproperty!(x, f::Symbol, op, v, order::Symbol = :not_atomic) = modifyfield!(x, f, op, v, order)
replaceproperty!(x, f::Symbol, expected, desired, success::Symbol = :not_atomic, fail::Symbol = success) =
    replacefield!(x, f, expected, convert(fieldtype(typeof(x), f), desired), success, fail)
setpropertyonce!(x, f::Symbol, desired, success::Symbol = :not_atomic, fail::Symbol = success) =
    Core.setfieldonce!(x, f, convert(fieldtype(typeof(x), f), desired), success, fail)
getproperty(m::Module, f::Symbol, order::Symbol) = getglobal(m, f, order)
setproperty!(m::Module, f::Symbol, v, order::Symbol) = setglobal!(m, f, convert(Core.get_binding_type(m, f), v), order)

# `a.b` as the pair of its object and its field; anything else is no place that can be accessed atomically.
function atomic_place(name, ex)
    ex isa Expr && ex.head === :. && length(ex.args) == 2 || error("invalid ", name, " expression: `", ex, "` is not a field access")
    esc(ex.args[1]), esc(ex.args[2])
end
updating_operator(head::Symbol) = (s = String(head); length(s) > 1 && s[end] === '=' && !(head in (:(==), :(<=), :(>=), :(!=), :(===), :(!==), :(=>))) ? Symbol(s[1:end-1]) : nothing)
order_text(order) = order isa QuoteNode ? order : esc(order)
const SEQUENTIAL = QuoteNode(:sequentially_consistent)

function atomic_access(order, ex)
    ex isa Expr || error("invalid @atomic expression: `", ex, "`")
    here(f) = GlobalRef(@__MODULE__, f)
    head = ex.head
    head === :(::) || head === :symbol && return Expr(:atomic, esc(ex))
    head === :. && return Expr(:call, here(:getproperty), atomic_place("@atomic", ex)..., order)
    head === :(=) && return Expr(:call, here(:setproperty!), atomic_place("@atomic", ex.args[1])..., esc(ex.args[2]), order)
    if head === :call && length(ex.args) == 3
        op, place, value = ex.args
        return Expr(:call, here(:modifyproperty!), atomic_place("@atomic", place)..., esc(op), esc(value), order)
    end
    op = updating_operator(head)
    op === nothing && error("invalid @atomic expression: `", ex, "`")
    modified = Expr(:call, here(:modifyproperty!), atomic_place("@atomic", ex.args[1])..., esc(op), esc(ex.args[2]), order)
    :(getfield($modified, 2))
end
macro atomic(ex)
    ex isa Symbol || ex isa Expr && ex.head === :(::) ? Expr(:atomic, esc(ex)) : atomic_access(SEQUENTIAL, ex)
end
macro atomic(order, ex)
    atomic_access(order_text(order), ex)
end
macro atomic(place, op, value)
    atomic_modification(SEQUENTIAL, place, op, value)
end
macro atomic(order, place, op, value)
    atomic_modification(order_text(order), place, op, value)
end
atomic_modification(order, place, op, value) =
    Expr(:call, GlobalRef(@__MODULE__, :modifyproperty!), atomic_place("@atomic", place)..., esc(op), esc(value), order)

function atomic_swap(order, ex)
    ex isa Expr && ex.head === :(=) || error("@atomicswap expression missing assignment")
    Expr(:call, GlobalRef(@__MODULE__, :swapproperty!), atomic_place("@atomicswap", ex.args[1])..., esc(ex.args[2]), order)
end
macro atomicswap(order, ex)
    atomic_swap(order_text(order), ex)
end
macro atomicswap(ex)
    atomic_swap(SEQUENTIAL, ex)
end

function atomic_replacement(success, fail, place, change)
    object, field = atomic_place("@atomicreplace", place)
    here = GlobalRef(@__MODULE__, :replaceproperty!)
    if change isa Expr && change.head === :call && change.args[1] === :(=>)
        return Expr(:call, here, object, field, esc(change.args[2]), esc(change.args[3]), success, fail)
    end
    :(let change = $(esc(change))::Pair
        $here($object, $field, change[1], change[2], $success, $fail)
    end)
end
macro atomicreplace(success, fail, place, change)
    atomic_replacement(order_text(success), order_text(fail), place, change)
end
macro atomicreplace(order, place, change)
    atomic_replacement(order_text(order), order_text(order), place, change)
end
macro atomicreplace(place, change)
    atomic_replacement(SEQUENTIAL, SEQUENTIAL, place, change)
end

function atomic_first(success, fail, ex)
    ex isa Expr && ex.head === :(=) || error("@atomiconce expression missing assignment")
    object, field = atomic_place("@atomiconce", ex.args[1])
    Expr(:call, GlobalRef(@__MODULE__, :setpropertyonce!), object, field, esc(ex.args[2]), success, fail)
end
macro atomiconce(success, fail, ex)
    atomic_first(order_text(success), order_text(fail), ex)
end
macro atomiconce(order, ex)
    atomic_first(order_text(order), order_text(order), ex)
end
macro atomiconce(ex)
    atomic_first(SEQUENTIAL, SEQUENTIAL, ex)
end

export @atomiconce, modifyproperty!, replaceproperty!, swapproperty!, setpropertyonce!
