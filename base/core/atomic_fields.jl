# Atomic fields: `@atomic x::T` declares one; `@atomic`, `@atomicswap`, `@atomicreplace` and `@atomiconce` access them,
# with the memory order given first or sequentially consistent.

# Memory orders from weak to strong; an operation takes those that make sense of what it does.
function order_strength(order::Symbol, loads::Bool, stores::Bool)
    order === :not_atomic && return 0
    order === :unordered && loads !== stores && return 1
    order === :monotonic && return 2
    order === :acquire && loads && return 3
    order === :release && stores && return 4
    order === :acquire_release && loads && stores && return 5
    order === :sequentially_consistent && return 6
    throw_invalid_order()
end
@noinline throw_invalid_order() = throw(ConcurrencyViolationError("invalid atomic ordering"))
@noinline throw_order(name, place, done, atomic) =
    throw(ConcurrencyViolationError(string(name, ": ", place, " cannot be ", done, atomic ? " non-atomically" : " atomically")))
# An update of a `place` that is accessed atomically, or not, loads and stores; one that fails only loads.
function check_update_order(name, place, atomic::Bool, order::Symbol)
    atomic === (order_strength(order, true, true) === 0) && throw_order(name, place, "written", atomic)
    nothing
end
function check_update_order(name, place, atomic::Bool, success::Symbol, fail::Symbol)
    order_strength(fail, true, false) > order_strength(success, true, true) && throw_invalid_order()
    check_update_order(name, place, atomic, success)
    atomic === (fail === :not_atomic) && throw_order(name, place, "accessed", atomic)
    nothing
end
replaced(::Type{T}, old, success::Bool) where {T} = NamedTuple{(:old, :success), Tuple{T, Bool}}((old, success))

# Fields.
function setfieldonce!(x, f, v, success::Symbol = :not_atomic, fail::Symbol = success)
    atomic = Host.field_attribute(typeof(x), f isa Symbol ? fieldindex(typeof(x), f) : f, :atomic)
    check_update_order(:setfieldonce!, atomic ? "atomic field" : "non-atomic field", atomic, success, fail)
    order = atomic ? :monotonic : :not_atomic
    isdefined(x, f, order) && return false
    setfield!(x, f, v, order)
    true
end
getproperty(x, f::Symbol, order::Symbol) = getfield(x, f, order)
setproperty!(x, f::Symbol, v, order::Symbol) = setfield!(x, f, convert(fieldtype(typeof(x), f), v), order)
swapproperty!(x, f::Symbol, v, order::Symbol = :not_atomic) = swapfield!(x, f, convert(fieldtype(typeof(x), f), v), order)
modifyproperty!(x, f::Symbol, op, v, order::Symbol = :not_atomic) = modifyfield!(x, f, op, v, order)
replaceproperty!(x, f::Symbol, expected, desired, success::Symbol = :not_atomic, fail::Symbol = success) =
    replacefield!(x, f, expected, convert(fieldtype(typeof(x), f), desired), success, fail)
setpropertyonce!(x, f::Symbol, desired, success::Symbol = :not_atomic, fail::Symbol = success) =
    setfieldonce!(x, f, convert(fieldtype(typeof(x), f), desired), success, fail)

# Globals, which are always accessed atomically.
check_global_value(name, ::Type{T}, v) where {T} = v isa T ? nothing : throw(TypeError(name, "", T, v))
function swapglobal!(m::Module, name::Symbol, v, order::Symbol = :monotonic)
    check_update_order(:swapglobal!, "module binding", true, order)
    check_global_value(:swapglobal!, Core.get_binding_type(m, name), v)
    old = isdefinedglobal(m, name) ? Some(getglobal(m, name)) : nothing
    setglobal!(m, name, v, :monotonic)
    old === nothing ? throw(UndefVarError(name, m)) : something(old)
end
function modifyglobal!(m::Module, name::Symbol, op, x, order::Symbol = :monotonic)
    check_update_order(:modifyglobal!, "module binding", true, order)
    T = Core.get_binding_type(m, name)
    old = getglobal(m, name)
    new = op(old, x)
    check_global_value(:modifyglobal!, T, new)
    setglobal!(m, name, new, :monotonic)
    Pair{T, T}(old, new)
end
function replaceglobal!(m::Module, name::Symbol, expected, desired, success::Symbol = :monotonic, fail::Symbol = success)
    check_update_order(:replaceglobal!, "module binding", true, success, fail)
    T = Core.get_binding_type(m, name)
    check_global_value(:replaceglobal!, T, desired)
    old = getglobal(m, name)
    old === expected && setglobal!(m, name, desired, :monotonic)
    replaced(T, old, old === expected)
end
function setglobalonce!(m::Module, name::Symbol, v, success::Symbol = :monotonic, fail::Symbol = success)
    check_update_order(:setglobalonce!, "module binding", true, success, fail)
    check_global_value(:setglobalonce!, Core.get_binding_type(m, name), v)
    isdefinedglobal(m, name) && return false
    setglobal!(m, name, v, :monotonic)
    true
end
getproperty(m::Module, f::Symbol, order::Symbol) = getglobal(m, f, order)
setproperty!(m::Module, f::Symbol, v, order::Symbol) = setglobal!(m, f, convert(Core.get_binding_type(m, f), v), order)
swapproperty!(m::Module, f::Symbol, v, order::Symbol = :monotonic) = swapglobal!(m, f, convert(Core.get_binding_type(m, f), v), order)
modifyproperty!(m::Module, f::Symbol, op, v, order::Symbol = :monotonic) = modifyglobal!(m, f, op, v, order)
replaceproperty!(m::Module, f::Symbol, expected, desired, success::Symbol = :monotonic, fail::Symbol = success) =
    replaceglobal!(m, f, expected, convert(Core.get_binding_type(m, f), desired), success, fail)
setpropertyonce!(m::Module, f::Symbol, desired, success::Symbol = :monotonic, fail::Symbol = success) =
    setglobalonce!(m, f, convert(Core.get_binding_type(m, f), desired), success, fail)

# Elements of memory.
memory_place(::GenericMemoryRef{:atomic}) = (true, :monotonic, "atomic memory")
memory_place(::GenericMemoryRef) = (false, :not_atomic, "non-atomic memory")
check_element(name, ::GenericMemoryRef{K, T}, v) where {K, T} = v isa T ? nothing : throw(TypeError(name, "", T, v))
function memoryrefswap!(r::GenericMemoryRef, v, order::Symbol, check::Bool)
    atomic, plain, place = memory_place(r)
    check_update_order(:memoryrefswap!, place, atomic, order)
    check_element(:memoryrefswap!, r, v)
    old = memoryref_isassigned(r, plain, check) ? Some(memoryrefget(r, plain, check)) : nothing
    memoryrefset!(r, v, plain, check)
    old === nothing ? throw(UndefRefError()) : something(old)
end
function memoryrefmodify!(r::GenericMemoryRef{K, T}, op, x, order::Symbol, check::Bool) where {K, T}
    atomic, plain, place = memory_place(r)
    check_update_order(:memoryrefmodify!, place, atomic, order)
    old = memoryrefget(r, plain, check)
    new = op(old, x)
    check_element(:memoryrefmodify!, r, new)
    memoryrefset!(r, new, plain, check)
    Pair{T, T}(old, new)
end
function memoryrefreplace!(r::GenericMemoryRef{K, T}, expected, desired, success::Symbol, fail::Symbol, check::Bool) where {K, T}
    atomic, plain, place = memory_place(r)
    check_update_order(:memoryrefreplace!, place, atomic, success, fail)
    check_element(:memoryrefreplace!, r, desired)
    old = memoryrefget(r, plain, check)
    old === expected && memoryrefset!(r, desired, plain, check)
    replaced(T, old, old === expected)
end
function memoryrefsetonce!(r::GenericMemoryRef, v, success::Symbol, fail::Symbol, check::Bool)
    atomic, plain, place = memory_place(r)
    check_update_order(:memoryrefsetonce!, place, atomic, success, fail)
    check_element(:memoryrefsetonce!, r, v)
    memoryref_isassigned(r, plain, check) && return false
    memoryrefset!(r, v, plain, check)
    true
end
for f in (:setfieldonce!, :swapglobal!, :modifyglobal!, :replaceglobal!, :setglobalonce!,
    :memoryrefswap!, :memoryrefmodify!, :memoryrefreplace!, :memoryrefsetonce!)
    Core.eval(Core, Expr(:const, Expr(:(=), f, getglobal(Base, f))))
end

default_access_order(::GenericMemory{:not_atomic}) = :not_atomic
default_access_order(::GenericMemory{:atomic}) = :monotonic
default_access_order(::GenericMemoryRef{:not_atomic}) = :not_atomic
default_access_order(::GenericMemoryRef{:atomic}) = :monotonic
function getindex(m::AtomicMemory, i::Int)
    memoryrefget(memoryrefnew(memoryrefnew(m), i, true), :monotonic, false)
end
setindex!(m::AtomicMemory, v, i::Int) = throw(CanonicalIndexError("setindex!", typeof(m)))
isassigned(m::AtomicMemory, i::Int) = 1 <= i <= m.length && memoryref_isassigned(memoryrefnew(memoryrefnew(m), i, false), :monotonic, false)
getindex(r::GenericMemoryRef{:atomic}) = memoryrefget(r, :monotonic, true)
element_ref(m::GenericMemory, i) = memoryrefnew(memoryrefnew(m), Int(i)::Int, true)
converted_element(::GenericMemory{K, T}, v) where {K, T} = v isa T ? v : convert(T, v)::T
getindex_atomic(m::GenericMemory, order::Symbol, i::Integer) = memoryrefget(element_ref(m, i), order, false)
setindex_atomic!(m::GenericMemory, order::Symbol, v, i::Integer) =
    memoryrefset!(element_ref(m, i), converted_element(m, v), order, false)
swapindex_atomic!(m::GenericMemory, order::Symbol, v, i::Integer) =
    memoryrefswap!(element_ref(m, i), converted_element(m, v), order, false)
modifyindex_atomic!(m::GenericMemory, order::Symbol, op, v, i::Integer) = memoryrefmodify!(element_ref(m, i), op, v, order, false)
replaceindex_atomic!(m::GenericMemory, success::Symbol, fail::Symbol, expected, desired, i::Integer) =
    memoryrefreplace!(element_ref(m, i), expected, converted_element(m, desired), success, fail, false)
setindexonce_atomic!(m::GenericMemory, success::Symbol, fail::Symbol, v, i::Integer) =
    memoryrefsetonce!(element_ref(m, i), converted_element(m, v), success, fail, false)

# `"get*"` of a property is `getproperty`, of an index `getindex_atomic`.
function access_name(operation, kind)
    text = replace(operation, "*" => kind)
    kind == "index" || return Symbol(text)
    Symbol(endswith(text, "!") ? string(chop(text), "_atomic!") : string(text, "_atomic"))
end
# The call that accesses `a.b` or `a[i...]`: the object, the parts that say where, and the values; the orders stand behind
# the values for a field and in front of them for an element. Anything else is no place that can be accessed atomically.
function atomic_call(name, ex, operation, orders, values...)
    head = ex isa Expr ? ex.head : nothing
    if head === :. && length(ex.args) == 2
        return Expr(:call, GlobalRef(Base, access_name(operation, "property")), esc(ex.args[1]), esc(ex.args[2]), values..., orders...)
    elseif head === :ref
        return Expr(:call, GlobalRef(Base, access_name(operation, "index")), esc(ex.args[1]), orders..., values..., map(esc, ex.args[2:end])...)
    end
    error("invalid ", name, " expression: `", ex, "` is neither a field nor an element")
end
updating_operator(head::Symbol) = (s = String(head); length(s) > 1 && s[end] === '=' && !(head in (:(==), :(<=), :(>=), :(!=), :(===), :(!==), :(=>))) ? Symbol(s[1:end-1]) : nothing)
order_text(order) = order isa QuoteNode ? order : esc(order)
const SEQUENTIAL = QuoteNode(:sequentially_consistent)

function atomic_access(order, ex)
    ex isa Expr || error("invalid @atomic expression: `", ex, "`")
    head = ex.head
    head === :(::) || head === :symbol && return Expr(:atomic, esc(ex))
    (head === :. || head === :ref) && return atomic_call("@atomic", ex, "get*", (order,))
    head === :(=) && return atomic_call("@atomic", ex.args[1], "set*!", (order,), esc(ex.args[2]))
    if head === :call && length(ex.args) == 3
        op, place, value = ex.args
        return atomic_modification(order, place, op, value)
    end
    op = updating_operator(head)
    op === nothing && error("invalid @atomic expression: `", ex, "`")
    modified = atomic_modification(order, ex.args[1], op, ex.args[2])
    :(getfield($modified, 2))
end
"""
    @atomic [order] a.b
    @atomic [order] a.b = v
    @atomic [order] a.b += v
    @atomic [order] a.b max v

Reads, stores or changes an atomic field or an element of atomic memory in one step.
"""
macro atomic(ex)
    @keep_expansions
    ex isa Symbol || ex isa Expr && ex.head === :(::) ? Expr(:atomic, esc(ex)) : atomic_access(SEQUENTIAL, ex)
end
macro atomic(order, ex)
    @keep_expansions
    atomic_access(order_text(order), ex)
end
macro atomic(place, op, value)
    @keep_expansions
    atomic_modification(SEQUENTIAL, place, op, value)
end
macro atomic(order, place, op, value)
    @keep_expansions
    atomic_modification(order_text(order), place, op, value)
end
atomic_modification(order, place, op, value) = atomic_call("@atomic", place, "modify*!", (order,), esc(op), esc(value))

function atomic_swap(order, ex)
    ex isa Expr && ex.head === :(=) || error("@atomicswap expression missing assignment")
    atomic_call("@atomicswap", ex.args[1], "swap*!", (order,), esc(ex.args[2]))
end
"""
    @atomicswap [order] a.b = v

Stores a value in an atomic field and returns the old one.
"""
macro atomicswap(order, ex)
    @keep_expansions
    atomic_swap(order_text(order), ex)
end
macro atomicswap(ex)
    @keep_expansions
    atomic_swap(SEQUENTIAL, ex)
end

function atomic_replacement(success, fail, place, change)
    if change isa Expr && change.head === :call && change.args[1] === :(=>)
        return atomic_call("@atomicreplace", place, "replace*!", (success, fail), esc(change.args[2]), esc(change.args[3]))
    end
    :(let change = $(esc(change))::Pair
        $(atomic_call("@atomicreplace", place, "replace*!", (success, fail), :(change[1]), :(change[2])))
    end)
end
"""
    @atomicreplace [order] a.b old => new

Replaces the value of an atomic field if it is `old`. Returns the old value and whether it was replaced.
"""
macro atomicreplace(success, fail, place, change)
    @keep_expansions
    atomic_replacement(order_text(success), order_text(fail), place, change)
end
macro atomicreplace(order, place, change)
    @keep_expansions
    atomic_replacement(order_text(order), order_text(order), place, change)
end
macro atomicreplace(place, change)
    @keep_expansions
    atomic_replacement(SEQUENTIAL, SEQUENTIAL, place, change)
end

function atomic_first(success, fail, ex)
    ex isa Expr && ex.head === :(=) || error("@atomiconce expression missing assignment")
    atomic_call("@atomiconce", ex.args[1], "set*once!", (success, fail), esc(ex.args[2]))
end
"""
    @atomiconce [order] a.b = v

Stores a value in an atomic field that has none yet. Returns whether it did.
"""
macro atomiconce(success, fail, ex)
    @keep_expansions
    atomic_first(order_text(success), order_text(fail), ex)
end
macro atomiconce(order, ex)
    @keep_expansions
    atomic_first(order_text(order), order_text(order), ex)
end
macro atomiconce(ex)
    @keep_expansions
    atomic_first(SEQUENTIAL, SEQUENTIAL, ex)
end

export @atomiconce, modifyproperty!, replaceproperty!, swapproperty!, setpropertyonce!, setfieldonce!,
    swapglobal!, modifyglobal!, replaceglobal!, setglobalonce!
