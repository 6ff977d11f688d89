# Types. The runtime names types without variables; those with variables show here, with as few `where` as say it.

show(io::IO, @nospecialize(T::Type)) = (show_type(io, T, ()); nothing)
# A variable shows by its name inside the type that binds it, and with its bounds elsewhere.
show(io::IO, v::TypeVar) = show_bounded(io, v, ())
function show_bounded(io, v, bound)
    if v.lb !== Union{} && v.ub !== Any
        show_bound(io, v.lb, bound)
        print(io, "<:")
    end
    print_variable_name(io, v)
    if v.ub !== Any
        print(io, "<:")
        show_bound(io, v.ub, bound)
    elseif v.lb !== Union{}
        print(io, ">:")
        show_bound(io, v.lb, bound)
    end
    nothing
end
function show_bound(io, T, bound)
    wrap = T isa UnionAll && !is_wrapper(T)
    print(io, wrap ? "(" : "")
    show_type(io, T, bound)
    print(io, wrap ? ")" : "")
end
print_variable_name(io, v) = show_sym(io, v.name)
function show(io::IO, v::TypeofVararg)
    print(io, "Vararg")
    isdefined(v, :T) || return nothing
    print(io, "{")
    show_type(io, v.T, ())
    isdefined(v, :N) && (print(io, ", "); show_type(io, v.N, ()))
    print(io, "}")
end

is_wrapper(T) = (body = unwrap_unionall(T); body isa DataType && T === body.name.wrapper)
has_variables(T) = T isa UnionAll || T isa TypeVar || T isa Union && (has_variables(T.a) || has_variables(T.b)) ||
    T isa DataType && any(has_variables, T.parameters) || T isa TypeofVararg && isdefined(T, :T) && (has_variables(T.T) || isdefined(T, :N) && has_variables(T.N))
mentions(T, v) = T === v || T isa UnionAll && (mentions(T.var.lb, v) || mentions(T.var.ub, v) || mentions(T.body, v)) ||
    T isa Union && (mentions(T.a, v) || mentions(T.b, v)) || T isa DataType && any(p -> mentions(p, v), T.parameters) ||
    T isa TypeofVararg && isdefined(T, :T) && (mentions(T.T, v) || isdefined(T, :N) && mentions(T.N, v))

# `bound` are the variables of the types around, the innermost first.
function show_type(io, @nospecialize(T), bound)
    T isa TypeVar && return any(v -> v === T, bound) ? print_variable_name(io, T) : show_bounded(io, T, bound)
    T isa TypeofVararg && return show_vararg(io, T, bound)
    T isa Type || return show(io, T)
    T isa DataType && return !isempty(T.parameters) && show_typealias(io, T, bound) ? nothing : show_datatype(io, T, nothing, bound)
    T isa UnionAll && is_wrapper(T) && T !== Tuple && return show_type_name(io, T)
    if T isa UnionAll
        for (name, U) in NAMED_UNIONS
            T === U && return print(io, name)
        end
        return show_typealias(io, T, bound) ? nothing : show_unionall(io, T, bound)
    end
    T isa Union && show_unionaliases(io, T, bound) && return nothing
    T isa Union && (has_variables(T) || !is_plain_context(io)) || return print(io, Host.type_string(T))
    print(io, "Union{")
    show_parameters(io, union_members(T), bound)
    print(io, "}")
end
const NAMED_UNIONS = Any[(string(n), getglobal(Base, n)) for n in (:StridedArray, :StridedVector, :StridedMatrix, :StridedVecOrMat,
    :AbstractVecOrMat, :VecOrMat, :DenseVecOrMat) if isdefined(Base, n)]
union_members(T) = T isa Union ? Any[union_members(T.a)..., union_members(T.b)...] : Any[T]
function show_parameters(io, ps, bound)
    for i in eachindex(ps)
        i > 1 && print(io, ", ")
        show_type(io, ps[i], bound)
    end
end
function show_vararg(io, v, bound)
    print(io, "Vararg")
    isdefined(v, :T) || return nothing
    print(io, "{")
    show_type(io, v.T, bound)
    isdefined(v, :N) && (print(io, ", "); show_type(io, v.N, bound))
    print(io, "}")
end
# Variables that share a name with one around, or that have none, get a number.
function fresh_variable(@nospecialize(T), bound)
    v = T.var
    v.name === :_ || is_name_taken(v.name, T, bound) || return v, T.body
    k = 1
    while is_name_taken(Symbol(v.name, k), T, bound)
        k += 1
    end
    w = TypeVar(Symbol(v.name, k), v.lb, v.ub)
    w, Core.apply_type(T, w)
end
function is_name_taken(name, @nospecialize(T), bound)
    for w in bound
        w.name === name && mentions(T, w) && return true
    end
    false
end
function show_unionall(io, T, bound)
    wheres = TypeVar[]
    while T isa UnionAll
        v, T = fresh_variable(T, bound)
        push!(wheres, v)
        bound = (v, bound...)
    end
    T isa DataType ? show_datatype(io, T, wheres, bound) : show_type(io, T, bound)
    show_wheres(io, wheres, bound)
end
function show_wheres(io, wheres, bound)
    isempty(wheres) && return nothing
    print(io, " where ")
    length(wheres) > 1 && print(io, "{")
    for (k, v) in enumerate(wheres)
        k > 1 && print(io, ", ")
        show_bounded(io, v, bound)
    end
    length(wheres) > 1 && print(io, "}")
    nothing
end

# The text of a type inside a signature that binds these variables.
type_text(T, vars) = sprint(show_type, T, vars)
function signature_vars(sig)
    vars = ()
    while sig isa UnionAll
        vars = (sig.var, vars...)
        sig = sig.body
    end
    vars
end
# The static parameters of a signature.
function where_text(sig)
    vars = signature_vars(sig)
    isempty(vars) && return ""
    texts = String[sprint(show_bounded, v, vars) for v in reverse(vars)]
    string(" where ", length(texts) == 1 ? texts[1] : string("{", join(texts, ", "), "}"))
end

# The name of a type constructor; from another module than `Main` where the context names one.
function show_type_name(io, @nospecialize(T))
    is_plain_context(io) && !is_named_elsewhere(T) && return print(io, Host.type_string(T))
    name = unwrap_unionall(T).name
    m, n = defined_name(naming_module(name.module), T, name)
    print_prefix(io, m, n)
    show_sym(io, n)
end
# The exported name of a type in a module; the one of its definition if there is none.
function defined_name(m::Module, @nospecialize(T), name)
    if m !== name.module && m !== Base
        for n in names(m)
            isdefined(m, n) && getglobal(m, n) === T && return m, n
        end
    end
    name.module, name.name
end
# Whether a module other than its own names a type or one of its parameters.
is_named_elsewhere(x) = false
function is_named_elsewhere(@nospecialize(T::Type))
    U = unwrap_unionall(T)
    U isa DataType && (U.name.module !== Core && naming_module(U.name.module) !== U.name.module || any(is_named_elsewhere, U.parameters))
end
# The module of a name, where the text is not compact and the module of the context does not see the name; `nothing` sees none.
function print_prefix(io, m::Module, name::Symbol)
    get(io, :compact, false)::Bool || is_seen_from(get(io, :module, Main), m, name) || print(io, m, ".")
    nothing
end
# Whether a name of module `m` means the same in another.
function is_seen_from(from, m::Module, name::Symbol)
    from isa Module || return false
    here, there = binding_info(from, name), binding_info(m, name)
    here.kind !== :undefined && here.kind !== :ambiguous && here.mod === there.mod && here.name === there.name
end
# Whether the context wants all types as `print` writes them: module prefixes and aliases as `Main` sees them.
is_plain_context(io) = get(io, :module, Main) === Main && !haskey(io, :compact)
# Names for constructors with some of their parameters: the parameters that are left.
function short_name_of(T)
    n, p = T.name, T.parameters
    if n === Array.body.body.name || n === AbstractArray.body.body.name || n === DenseArray.body.body.name
        k = p[2]
        (k === 1 || k === 2) && return string(n === Array.body.body.name ? "" : n === DenseArray.body.body.name ? "Dense" : "Abstract", k === 1 ? "Vector" : "Matrix"), Any[p[1]], Any[n.wrapper.var]
    elseif n === GenericMemory.body.body.body.name && p[3] === Core.CPU && p[1] in (:not_atomic, :atomic)
        return p[1] === :atomic ? "AtomicMemory" : "Memory", Any[p[2]], Any[n.wrapper.body.var]
    end
    nothing
end
function show_datatype(io, T, wheres, bound)
    n = T.name
    if n === Tuple.name
        T === Tuple && return print(io, "Tuple")
        return show_tuple_type(io, T.parameters, bound)
    elseif !any(has_variables, T.parameters) && is_plain_context(io) && !is_named_elsewhere(T)
        return print(io, named_operator_type(T))
    elseif n === NamedTuple.body.body.name && T.parameters[1] isa Tuple && T.parameters[2] isa DataType
        return show_namedtuple_type(io, T.parameters[1], T.parameters[2], bound)
    end
    short = get(io, :compact, true)::Bool ? short_name_of(T) : nothing
    if short !== nothing
        print(io, short[1])
        show_type_parameters(io, short[2], short[3], wheres, bound)
    else
        show_type_name(io, n.wrapper)
        show_type_parameters(io, Any[T.parameters...], unwrap_unionall(n.wrapper).parameters, wheres, bound)
    end
    nothing
end
# An operator of another module stands behind a colon.
function named_operator_type(T)
    text = Host.type_string(T)
    T <: Function && isdefined(T, :instance) && startswith(text, "typeof(") || return text
    name = string(nameof(T.instance))
    _isoperator(name) && endswith(text, string(".", name, ")")) || return text
    string(chop(text; tail = ncodeunits(name) + 1), Symbol(name) in PARENTHESIZED_QUOTES ? string(":(", name, "))") : string(":", name, ")"))
end
# Variables of the innermost `where`s are left out or stand as their bounds, if they stand nowhere else.
function show_type_parameters(io, ps, original, wheres, bound)
    n = length(ps)
    kept = wheres === nothing ? 0 : length(wheres)
    for i in n:-1:1
        p = ps[i]
        p isa TypeVar && kept > 0 && wheres[kept] === p && !stands_elsewhere(p, i, ps, wheres, kept) || continue
        if i == n && original[i] isa TypeVar && p.ub == original[i].ub && p.lb == original[i].lb
            n -= 1
            kept -= 1
        elseif is_unnamed(p) && (p.lb === Union{} || p.ub === Any)
            kept -= 1
        end
    end
    if n > 0
        print(io, "{")
        for i in 1:n
            i > 1 && print(io, ", ")
            p = ps[i]
            if p isa TypeVar && is_left_out(p, wheres, kept)
                print(io, p.lb === Union{} ? "<:" : ">:")
                show_type(io, p.lb === Union{} ? p.ub : p.lb, bound)
            else
                show_type(io, p, bound)
            end
        end
        print(io, "}")
    end
    wheres === nothing || resize!(wheres, kept)
    nothing
end
function stands_elsewhere(p, i, ps, wheres, kept)
    for k in (kept + 1):length(wheres)
        (mentions(wheres[k].lb, p) || mentions(wheres[k].ub, p)) && return true
    end
    for k in eachindex(ps)
        k != i && mentions(ps[k], p) && return true
    end
    false
end
# `<:Number` among parameters becomes a variable `T`.
is_unnamed(p) = isgensym(p.name)
function is_left_out(p, wheres, kept)
    wheres === nothing && return false
    for k in (kept + 1):length(wheres)
        wheres[k] === p && return true
    end
    false
end
# Equal types at the end are counted where there are more than three.
function show_tuple_type(io, ps, bound)
    n = length(ps)
    n == 0 && return print(io, "Tuple{}")
    last_type, tail, count_of, rest = ps[n], 1, n, :none
    if last_type isa TypeofVararg
        N = isdefined(last_type, :N) ? last_type.N : nothing
        rest = N === nothing ? :unbound : N isa Int ? :fixed : :variable
        N isa Int && ((tail, count_of) = (N, n + N - 1))
        last_type = isdefined(last_type, :T) ? last_type.T : Any
    end
    if !(last_type isa Union{TypeVar, Type})
        tail = 0
    elseif rest in (:none, :fixed)
        i = n - 1
        while i >= 1 && ps[i] === last_type
            tail += 1
            i -= 1
        end
    end
    if rest === :variable && n == 1 == tail || rest in (:none, :fixed) && tail == count_of > 3
        print(io, "NTuple{")
        rest === :variable ? show_type(io, ps[n].N, bound) : print(io, count_of)
        print(io, ", ")
        show_type(io, last_type, bound)
        return print(io, "}")
    end
    head = tail > 3 ? count_of - tail : count_of
    print(io, "Tuple{")
    show_parameters(io, Any[rest === :fixed && i >= n ? last_type : ps[i] for i in 1:head], bound)
    if head < count_of
        print(io, head > 0 ? ", " : "", "Vararg{")
        show_type(io, last_type, bound)
        print(io, ", ", count_of - head, "}")
    end
    print(io, "}")
end
function show_namedtuple_type(io, names, types, bound)
    print(io, "@NamedTuple{")
    for i in eachindex(names)
        i > 1 && print(io, ", ")
        show_sym(io, names[i])
        T = types.parameters[i]
        T === Any && continue
        print(io, "::")
        show_type(io, T, bound)
    end
    print(io, "}")
end
function show_supertypes(io::IO, T::DataType)
    print(io, T)
    while T !== Any
        T = supertype(T)
        print(io, " <: ", T)
    end
end
show_supertypes(T::DataType) = show_supertypes(stdout, T)
has_alias(@nospecialize(T)) = make_typealias(T) !== nothing ||
    unwrap_unionall(T) isa Union && T <: make_typealiases(T)[2] && make_typealiases(T)[2] !== Union{}
# The long form says what a name is short for, and of a function's type which function.
function show(io::IO, ::MIME"text/plain", @nospecialize(T::Type))
    show(io, T)
    get(io, :compact, false)::Bool && return nothing
    if T isa DataType && T <: Function && isdefined(T, :instance) && is_named(T.instance)
        print(io, " (singleton type of function ", nameof(T.instance), ", subtype of Function)")
    elseif has_alias(T)
        print(io, " (alias for ")
        show(IOContext(io, :compact => false), T)
        print(io, ")")
    end
    nothing
end
