# What everything else leans on: properties, operators on objects, conversion, and the marks for the compiler.

const Callable = Union{Function, Type}
"""
    Dims{N}

A tuple of `N` integers: the size of an array.
"""
const Dims{N} = NTuple{N, Int}
const Bottom = Union{}

getproperty(x, f::Symbol) = getfield(x, f)
getproperty(x::Tuple, f::Int) = getfield(x, f)
getproperty(x::Module, f::Symbol) = getglobal(x, f)
setproperty!(x, f::Symbol, v) = setfield!(x, f, convert(fieldtype(typeof(x), f), v))
setproperty!(x::Tuple, f::Int, v) = setfield!(x, f, v)
setproperty!(x::Module, f::Symbol, v) = setglobal!(x, f, v)
setproperty!(x::Type, f::Symbol, v) = error("setfield! fields of Types should not be changed")

# A function, so that packages may give it methods for conditions of their own types.
ifelse(condition::Bool, x, y) = Core.ifelse(condition, x, y)

eval(m::Module, ex) = Core.eval(m, ex)
eval(ex) = Core.eval(Base, ex)

# Marks. These macros run before anything else of Base exists, so they use builtins only.
expr_arg(ex::Expr, i::Int) = memoryrefget(memoryrefnew(ex.args.ref, i, false), :not_atomic, false)
expr_length(ex::Expr) = getfield(ex.args.size, 1)
function set_expr_arg!(ex::Expr, i::Int, value)
    memoryrefset!(memoryrefnew(ex.args.ref, i, false), value, :not_atomic, false)
    nothing
end

# Says of a method of a macro, at the head of its body: its expansions follow from its arguments and the module, and from nothing
# else; it does nothing but expand, and names no global by `gensym`. They are kept from one process to the next. With `place` the file and
# the line count, too: the macro says where it is, or has the text of an argument, in which lines may be.
macro keep_expansions(place...)
    Expr(:meta, Expr(:keep_expansions, place...))
end

# Whether `ex` is `f(..) = ..` with any number of `where` and `::` round the call.
function is_short_definition(ex::Expr)
    ex.head === :(=) || return false
    lhs = expr_arg(ex, 1)
    while isa(lhs, Expr) && (lhs.head === :where || lhs.head === :(::))
        lhs = expr_arg(lhs, 1)
    end
    isa(lhs, Expr) && lhs.head === :call
end

function is_definition(ex::Expr)
    ex.head === :function || ex.head === :-> || is_short_definition(ex)
end

# Puts `Expr(:meta, marks...)` at the head of the body of the function that `ex` defines.
function annotate_definition(ex, marks...)
    inner = ex
    while isa(inner, Expr) && inner.head === :macrocall
        inner = expr_arg(inner, expr_length(inner))
    end
    if isa(inner, Expr) && is_definition(inner) && expr_length(inner) === 2
        set_expr_arg!(inner, 2, Expr(:block, Expr(:meta, marks...), expr_arg(inner, 2)))
    end
    ex
end

"""
    @inline definition
    @inline call

Asks that a function, or a call, be inlined.
"""
macro inline()
    @keep_expansions
    Expr(:meta, :inline)
end
macro inline(ex)
    @keep_expansions
    Expr(:escape, annotate_definition(ex, :inline))
end
"""
    @noinline definition
    @noinline call

Asks that a function, or a call, not be inlined.
"""
macro noinline()
    @keep_expansions
    Expr(:meta, :noinline)
end
macro noinline(ex)
    @keep_expansions
    Expr(:escape, annotate_definition(ex, :noinline))
end
macro propagate_inbounds(ex)
    @keep_expansions
    Expr(:escape, annotate_definition(ex, :inline, :propagate_inbounds))
end
macro constprop(setting, ex)
    @keep_expansions
    mark = isa(setting, QuoteNode) ? setting.value : setting
    mark === :aggressive ? Expr(:escape, annotate_definition(ex, :aggressive_constprop)) :
        Expr(:escape, annotate_definition(ex, :no_constprop))
end
macro constprop(setting)
    @keep_expansions
    mark = isa(setting, QuoteNode) ? setting.value : setting
    mark === :aggressive ? Expr(:meta, :aggressive_constprop) : Expr(:meta, :no_constprop)
end
# The promises from number `at` to before `stop`: names, and `!name` for one that is taken back.
function promised(args, at, stop)
    at === stop && return ()
    promise = getfield(args, at)
    promise = isa(promise, QuoteNode) ? promise.value : promise
    (promise, promised(args, Core.Intrinsics.add_int(at, 1), stop)...)
end
# Of a definition, or alone in the body of one. Of a call it says nothing.
macro assume_effects(args...)
    @keep_expansions
    count = nfields(args)
    ex = getfield(args, count)
    takes_back = isa(ex, Expr) && ex.head === :call && expr_arg(ex, 1) === :!
    annotates = isa(ex, Expr) && !takes_back
    names = promised(args, 1, annotates ? count : Core.Intrinsics.add_int(count, 1))
    annotates || return Expr(:meta, Expr(:purity, names...))
    Expr(:escape, annotate_definition(ex, Expr(:purity, names...)))
end
macro pure(ex)
    @keep_expansions
    Expr(:escape, ex)
end
"""
    @polly definition

Accepted without effect: kiln has no polyhedral optimizer.
"""
macro polly(ex)
    @keep_expansions
    Expr(:escape, ex)
end
macro optlevel(level)
    nothing
end
macro max_methods(args...)
    ex = getfield(args, nfields(args))
    isa(ex, Expr) ? Expr(:escape, ex) : nothing
end
"""
    @nospecialize x

Asks that the code not be compiled for each type of an argument.
"""
macro nospecialize(vars...)
    @keep_expansions
    Expr(:escape, Expr(:meta, :nospecialize, vars...))
end
"""
    @specialize x

Ends the effect of `@nospecialize`.
"""
macro specialize(vars...)
    @keep_expansions
    nfields(vars) === 1 ? Expr(:escape, getfield(vars, 1)) : nothing
end
macro nospecializeinfer(ex)
    Expr(:escape, ex)
end

"""
    @inbounds expression

Leaves out the checks of bounds in an expression. An index outside is then undefined behaviour.
"""
macro inbounds(ex)
    @keep_expansions
    Expr(:escape, Expr(:block,
        Expr(:inbounds, true),
        Expr(:local, Expr(:(=), :var"#inbounds value", ex)),
        Expr(:inbounds, :pop),
        :var"#inbounds value"))
end
"""
    @boundscheck expression

Marks a check of bounds, which is left out where the function is inlined into an `@inbounds` block.
"""
macro boundscheck(ex)
    @keep_expansions
    Expr(:escape, Expr(:if, Expr(:boundscheck), ex))
end
"""
    @label name

A place that `@goto` continues at.
"""
macro label(name::Symbol)
    Expr(:escape, Expr(:symboliclabel, name))
end
"""
    @goto name

Continues at the `@label` of this name in the same function.
"""
macro goto(name::Symbol)
    Expr(:escape, Expr(:symbolicgoto, name))
end

"""
    @generated function f(x) ... end

Defines a function whose body is computed from the types of its arguments.
"""
macro generated(ex)
    set_expr_arg!(ex, 2, Expr(:block, Expr(:if, Expr(:generated), expr_arg(ex, 2),
        Expr(:block, Expr(:meta, :generated_only), Expr(:return, nothing)))))
    Expr(:escape, ex)
end
macro generated()
    Expr(:generated)
end

# At top level what follows sees what was defined.
_evaluated(mod, ex) = Expr(:let, Expr(:(=), :result, Expr(:escape, Expr(:call, GlobalRef(Core, :eval), mod, Expr(:quote, ex)))),
    Expr(:block, Expr(Symbol("latestworld-if-toplevel")), :result))
"""
    @eval [mod] expression

Evaluates an expression at the top level of a module, with `\$x` replaced by values.
"""
macro eval(ex)
    _evaluated(__module__, ex)
end
macro eval(mod, ex)
    _evaluated(mod, ex)
end

# Objects.
identity(x) = x
!(x::Bool) = not_int(x)
!==(x, y) = not_int(x === y)
==(x, y) = x === y
!=(x, y) = !(x == y)
const (≠) = (!=)
const (≡) = (===)
const (≢) = (!==)
==(x::Type, y::Type) = x === y || Host.type_equal(x, y)
(>:)(a, b) = b <: a

# Conversion.
convert(::Type{Any}, x) = x
convert(::Type{T}, x::T) where {T} = x
convert(::Type{Type}, x::Type) = x
convert(::Type{Union{}}, x) = throw(ArgumentError("cannot convert a value to Union{} for assignment"))
convert(::Type{T}, x::Tuple) where {T <: Tuple} = x isa T ? x : convert_tuple(T, x)
oftype(x, y) = y isa typeof(x) ? y : convert(typeof(x), y)::typeof(x)
cconvert(::Type{T}, x) where {T} = x isa T ? x : convert(T, x)
cconvert(::Type{<:Ptr}, x) = x
unsafe_convert(::Type{T}, x::T) where {T} = x

# One that the program makes itself is of no world.
(::Type{MethodError})(f, args) = MethodError(f, args, typemax(UInt))
(::Type{UndefVarError})(var::Symbol) = Core.@new UndefVarError var Host.world_counter()
(::Type{UndefVarError})(var::Symbol, scope) = Core.@new UndefVarError var Host.world_counter() scope

# The third way to `nothing`: what was asked for is not there.
"""
    Missing

The type of `missing`.
"""
struct Missing end
const missing = Missing()

"""
    Some(value)

A value in a wrapper, which tells `Some(nothing)` from `nothing`.
"""
struct Some{T}
    value::T
end
Some(::Type{T}) where {T} = Some{Type{T}}(T)
isnothing(x) = x === nothing
ismissing(x) = x === missing
notnothing(x) = x === nothing ? throw(ArgumentError("Unexpected `nothing`")) : x
something() = throw(ArgumentError("No value arguments present"))
something(x::Nothing, y...) = something(y...)
something(x::Some, y...) = x.value
something(x, y...) = x
coalesce() = missing
coalesce(x::Missing, y...) = coalesce(y...)
coalesce(x, y...) = x
nonmissingtype(::Type{T}) where {T} = typesplit(T, Missing)
nonnothingtype(::Type{T}) where {T} = typesplit(T, Nothing)
function typesplit(T, S)
    if T <: S
        Union{}
    elseif T isa Union
        Union{typesplit(T.a, S), typesplit(T.b, S)}
    else
        T
    end
end
convert(::Type{Some{T}}, x::Some) where {T} = Some{T}(convert(T, x.value))
convert(::Type{T}, x::T) where {T >: Nothing} = x
convert(::Type{T}, x) where {T >: Nothing} = convert(nonnothingtype_checked(T), x)
convert(::Type{T}, x::T) where {T >: Missing} = x
convert(::Type{T}, x) where {T >: Missing} = convert(nonmissingtype_checked(T), x)
convert(::Type{T}, x::T) where {T >: Union{Missing, Nothing}} = x
convert(::Type{T}, x) where {T >: Union{Missing, Nothing}} = convert(nonmissingtype_checked(nonnothingtype_checked(T)), x)
# What is left is another type, or there is no way: `T` is `Any` or a `UnionAll` that cannot be taken apart.
nonnothingtype_checked(T) = (R = nonnothingtype(T); R >: Nothing && error("could not compute non-nothing type"); R === Union{} && error("cannot convert a value to nothing for assignment"); R)
nonmissingtype_checked(T) = (R = nonmissingtype(T); R >: Missing && error("could not compute non-missing type"); R === Union{} && error("cannot convert a value to missing for assignment"); R)

"""
    Val(c)

A value as a type: `Val(3)` is a `Val{3}`.
"""
struct Val{x}
end
Val(x) = Val{x}()

"""
    Pair(a, b)
    a => b

Two values, `first` and `second`, as one.
"""
struct Pair{A, B}
    first::A
    second::B
    Pair{A, B}(a, b) where {A, B} = new{A, B}(convert(A, a), convert(B, b))
end
Pair(a, b) = Pair{typeof(a), typeof(b)}(a, b)
Pair{A, B}(p::Pair) where {A, B} = Pair{A, B}(p.first, p.second)
const (=>) = Pair

# References to one value.
mutable struct RefValue{T} <: Ref{T}
    x::T
    RefValue{T}() where {T} = new{T}()
    RefValue{T}(x) where {T} = new{T}(convert(T, x))
end
RefValue(x::T) where {T} = RefValue{T}(x)
Ref(x) = RefValue(x)
(::Type{Ref{T}})() where {T} = RefValue{T}()
(::Type{Ref{T}})(x) where {T} = RefValue{T}(x)
Ref{Any}(x) = RefValue{Any}(x)
convert(::Type{Ref{T}}, x::Ref{T}) where {T} = x
convert(::Type{Ref{T}}, x) where {T} = RefValue{T}(x)
getindex(b::RefValue) = b.x
function setindex!(b::RefValue{T}, v) where {T}
    b.x = v
    b
end
isassigned(b::RefValue) = isdefined(b, :x)

# What the compiler must not look through.
inferencebarrier(x) = compilerbarrier(:type, x)
# Keyword arguments of `invoke` belong to the function: its keyword method is chosen by the same types.
Core.kwcall(kw::NamedTuple, ::typeof(invoke), f, T::Type, args...) = invoke(kwcall, keyword_signature(typeof(kw), Typeof(f), T), kw, f, args...)
keyword_signature(K, F, T::DataType) = Tuple{K, F, T.parameters...}
keyword_signature(K, F, T::UnionAll) = UnionAll(T.var, keyword_signature(K, F, T.body))
Core.kwcall(kw::NamedTuple, ::typeof(invokelatest), f, args...) = invokelatest(kwcall, kw, f, args...)

@noinline error(msg::AbstractString) = throw(ErrorException(msg))
@noinline error(s...) = throw(ErrorException(string(s...)))
@noinline throw_boundserror(a, i) = throw(BoundsError(a, i))

rethrow() = Host.rethrow()
rethrow(e) = Host.rethrow(e)
