# Documentation: strings that stand before definitions, kept by module, by binding and by signature.
#
# Loading a program must not wait for its documentation. `@doc text definition` keeps the text and the head of the
# definition as expressions; a question about a name evaluates the texts of that name, in the modules where they stood.

"""
    Docs

Documentation: strings that stand before definitions, and the functions that find them.
"""
Docs

module Docs
using ..Base: Base, IdDict, isexpr, mapany, macroexpand, invokelatest, UnsupportedError
import ..Base: show, print, ==, hash
# The function that expands `@doc`.
const EXPANDER = Ref{Any}()
export doc, hasdoc, undocumented_names, HTML, @html_str, Text, @text_str, @var

"""
    HTML(content)

An object that displays its content as HTML. A function prints the content to a stream.
"""
mutable struct HTML{T}
    content::T
end
HTML(parts...) = HTML(io -> foreach(part -> print(io, part), parts))
show(io::IO, ::MIME"text/html", h::HTML) = print(io, h.content)
show(io::IO, ::MIME"text/html", h::HTML{<:Function}) = h.content(io)
"""
    html"text"

HTML as an object that displays itself as such.
"""
macro html_str(s)
    :(HTML($s))
end
"""
    Text(content)

An object that displays its content as plain text. A function prints the content to a stream.
"""
mutable struct Text{T}
    content::T
end
print(io::IO, t::Text) = print(io, t.content)
print(io::IO, t::Text{<:Function}) = t.content(io)
show(io::IO, t::Text) = print(io, t)
"""
    text"text"

Plain text as an object that displays itself as such.
"""
macro text_str(s)
    :(Text($s))
end
==(a::T, b::T) where {T <: Union{HTML, Text}} = a.content == b.content
hash(t::T, h::UInt) where {T <: Union{HTML, Text}} = hash(T, hash(t.content, h))

# A name of a module, in the module that owns it. A module's own name belongs to its parent.
struct Binding
    mod::Module
    var::Symbol
    function Binding(m::Module, name::Symbol)
        nameof(m) === name && (m = parentmodule(m))
        new(Base.binding_module(m, name), name)
    end
end
function show(io::IO, b::Binding)
    b.mod === Main || print(io, b.mod, '.', Base.isoperator(b.var) ? ":" : "")
    print(io, b.var)
end
defined(b::Binding) = invokelatest(isdefined, b.mod, b.var)
resolve(b::Binding) = invokelatest(getglobal, b.mod, b.var)
# The expression that makes the binding of a name, as it stands in the source.
binding_parts(s::Symbol) = (Expr(:macrocall, GlobalRef(Base, Symbol("@__MODULE__")), nothing), quot(s))
binding_parts(r::GlobalRef) = (r.mod, quot(r.name))
binding_parts(x::Expr) = isexpr(x, :macrocall) ? binding_parts(x.args[1]) : isexpr(x, :.) ? (x.args[1], x.args[2]) : no_name(x)
binding_parts(x) = no_name(x)
no_name(x) = error("Invalid @var syntax `$x`.")
bindingexpr(x) = Expr(:call, Binding, binding_parts(x)...)
macro var(x)
    Base.esc(bindingexpr(x))
end

# One text: its parts, or the object that stands for them once they have been put together, and facts about its place.
mutable struct DocStr
    text::Core.SimpleVector
    object::Any
    data::Dict{Symbol, Any}
end
docstr(d::DocStr, data = Dict{Symbol, Any}()) = (isempty(data) || (d.data = merge(data, d.data)); d)
docstr(parts::Core.SimpleVector, data = Dict{Symbol, Any}()) = DocStr(parts, nothing, data)
docstr(text::AbstractString, data = Dict{Symbol, Any}()) = DocStr(Core.svec(text), nothing, data)
docstr(object, data = Dict{Symbol, Any}()) = DocStr(Core.svec(), object, data)
function docstr(b::Binding, sig::Type = Union{})
    flush_pending(b.var)
    for m in modules
        docs = get(table_of(m, true), b, nothing)
        docs !== nothing && haskey(docs.docs, sig) && return docs.docs[sig]
    end
    error("could not find matching docstring for '$b :: $sig'.")
end
print(io::IO, d::DocStr) = print(io, parsedoc(d))
# The texts of one binding by signature, in the order in which they came. `Union{}` is the signature of the binding itself.
mutable struct MultiDoc
    order::Vector{Type}
    docs::IdDict{Any, Any}
    MultiDoc() = new(Type[], IdDict{Any, Any}())
end
# Packages add methods for parts of their own, which say what stands in their place.
formatdoc(io::IO, d::DocStr) = foreach(part -> formatdoc(io, d, part), d.text)
formatdoc(io::IO, d::DocStr, part) = print(io, part)
function parsedoc(d::DocStr)
    if d.object === nothing
        text = Base.sprint(formatdoc, d)
        d.object = Text(Base.endswith(text, "\n") ? text : string(text, "\n"))
    end
    d.object
end
parsedoc(x) = x
# Several texts as one.
catdoc() = nothing
catdoc(d) = d
catdoc(ds...) = vcat(ds...)
catdoc(ts::Text...) = Text(io -> Base.join(io, ts, "\n"))
catdoc(hs::HTML...) = HTML(io -> foreach(h -> show(io, Base.MIME("text/html"), h), hs))
# The documentation that an object gives itself; `nothing` if only its binding is documented.
getdoc(@nospecialize(x), @nospecialize(sig)) = getdoc(x)
getdoc(@nospecialize(x)) = nothing

# The store: in each module a table under this name.
const META = gensym(:meta)
const modules = Module[]
function meta(m::Module; autoinit::Bool = true)
    flush_pending(p -> p.name === nothing || p.mod === m || p.name === nameof(m))
    table_of(m, autoinit)
end
function table_of(m::Module, autoinit::Bool)
    invokelatest(isdefined, m, META) && return invokelatest(getglobal, m, META)::IdDict{Any, Any}
    autoinit || return nothing
    table = IdDict{Any, Any}()
    Core.eval(m, Expr(:const, Expr(:(=), META, table)))
    push!(modules, m)
    table
end
function doc!(m::Module, b::Binding, d::DocStr, @nospecialize(sig = Union{}))
    if defined(b)
        it = resolve(b)
        it isa Module && (m = it)
    end
    docs = get!(MultiDoc, table_of(m, true), b)
    haskey(docs.docs, sig) || push!(docs.order, sig)
    docs.docs[sig] = d
    d.data[:binding] = b
    d.data[:typesig] = sig
    b
end

# Definitions that wait, with their texts and places, and the one name that each defines (`nothing`: several).
struct Pending
    source::LineNumberNode
    mod::Module
    text::Any
    ex::Any
    name::Union{Symbol, Nothing}
end
Pending(source, mod, text, ex) = Pending(source, mod, text, ex, last_name(ex))
const PENDING = Pending[]
note!(source, mod, text, ex) = (push!(PENDING, Pending(source, mod, text, ex)); nothing)
# The name at the end of a path. What cannot be told waits for any question.
last_name(ex) = isexpr(ex, (:tuple, :macrocall)) ? nothing : last_name_in(namify(ex))
last_name_in(s::Symbol) = s
last_name_in(r::GlobalRef) = r.name
last_name_in(q::QuoteNode) = last_name_in(q.value)
last_name_in(x) = isexpr(x, :.) ? last_name_in(x.args[end]) : isexpr(x, :escape) ? last_name_in(x.args[1]) : nothing
# Evaluates the texts that wait: all of them, or those that may be of one name.
flush_pending() = flush_pending(p -> true)
flush_pending(name::Symbol) = flush_pending(p -> p.name === nothing || p.name === name)
function flush_pending(wanted::Function)
    while true
        waiting = Base.filter(wanted, PENDING)
        isempty(waiting) && return
        Base.filter!(p -> !wanted(p), PENDING)
        for p in waiting
            if p.ex isa Symbol && p.text isa String
                # What evaluating the expression would do.
                doc!(p.mod, Binding(p.mod, p.ex), DocStr(Core.svec(p.text), nothing, facts_of(p.source, p.mod)))
                continue
            end
            made = docm(p.source, p.mod, p.text, p.ex, false)
            Core.eval(p.mod, Expr(:var"hygienic-scope", made, Docs, p.source))
        end
    end
end
# The library's own texts, which the macro of `Core` has kept.
function take_documentation!(kept::Core.Box)
    link = kept.contents
    while link !== nothing
        source, mod, text, ex, link = link
        push!(PENDING, Pending(source, mod, text, ex))
    end
    Base.reverse!(PENDING)
    kept.contents = nothing
end
# Of a definition, as much as its documentation needs.
function head_of(x)
    isexpr(x, (:function, :macro, :(=))) && length(x.args) == 2 ? Expr(x.head, x.args[1], Expr(:block)) :
        isexpr(x, :module) ? Expr(:module, x.args[1], x.args[2], Expr(:block)) :
        isexpr(x, (:const, :global)) ? Expr(x.head, mapany(head_of, x.args)...) : x
end

quot(x) = Expr(:quote, x)

# The name that a definition or a mention is of.
namify(x) = name_in(x, isexpr(x, :macro))
name_in(s::Symbol, is_macro) = is_macro ? Symbol('@', s) : s
name_in(q::QuoteNode, is_macro) = name_in(q.value, is_macro)
name_in(x, is_macro) = x
function name_in(x::Expr, is_macro)
    if x.head === :.
        is_macro || return x
        Expr(:., x.args[1], QuoteNode(name_in(x.args[2], true)))
    elseif x.head === :call && isexpr(x.args[1], :(::))
        name_in(x.args[1].args[end], is_macro)
    else
        name_in(x.args[isexpr(x, (:module, :struct)) ? 2 : 1], is_macro)
    end
end

# The signature of a definition or a call as an expression: a union of tuples, one for every number of default values.
signature(x) = signature_within(Any[], x)
signature_within(vars, x) = :(Union{})
function signature_within(vars, x::Expr)
    if isexpr(x, :where)
        Base.append!(vars, mapany(bounded_variable, x.args[2:end]))
        return signature_within(vars, x.args[1])
    end
    isexpr(x, (:call, :macrocall)) || return signature_within(vars, x.args[1])
    tuples = Any[Any[]]
    for a in x.args[(isexpr(x, :macrocall) ? 3 : 2):end]
        isexpr(a, :parameters) && continue
        isexpr(a, :kw) && push!(tuples, copy(tuples[end]))
        push!(tuples[end], argument_type(a))
    end
    isexpr(x.args[1], :curly) && isempty(vars) && Base.append!(vars, mapany(bounded_variable, x.args[1].args[2:end]))
    members = Any[:(Tuple{$(types...)}) for types in tuples]
    for v in reverse(vars)
        push!(members, :(Tuple{$(v.args[1])}))
    end
    sig = :(Union{$(members...)})
    for v in reverse(vars)
        sig = Expr(:where, sig, v)
    end
    sig
end
bounded_variable(x::Expr) = x
bounded_variable(s::Symbol) = :($s <: Any)
argument_type(x) = :Any
function argument_type(x::Expr)
    x.head === :(::) && return x.args[end]
    x.head === :... && return :(Vararg{$(argument_type(x.args[1]))})
    x.head === :macrocall && return argument_type(x.args[end])
    x.head === :meta && length(x.args) == 2 && x.args[1] in (:nospecialize, :specialize) && return argument_type(x.args[2])
    argument_type(x.args[1])
end

# Expressions that keep a text for a name.
text_parts(text) = isexpr(text, :string) ? Expr(:call, Core.svec, text.args...) : text isa AbstractString ? Core.svec(text) : text
docexpr(text, data) = Expr(:call, docstr, text_parts(text), data)
macro ref(x)
    Base.esc(Expr(:call, docstr, bindingexpr(namify(x)), signature(x)))
end
path_of(source) = source.file isa Symbol ? String(source.file) : ""
function facts_of(source, mod)
    facts = Dict{Symbol, Any}()
    facts[:path] = path_of(source)
    facts[:linenumber] = Int(source.line)
    facts[:module] = mod
    facts
end
function metadata(source, mod, x)
    mod isa Module && !isexpr(x, :struct) && return facts_of(source, mod)
    facts = Any[Pair(:path, path_of(source)), Pair(:linenumber, Int(source.line)), :($Pair(:module, $mod))]
    if isexpr(x, :struct)
        fields = Any[:($Pair{Symbol, Any}($(quot(name)), $text)) for (name, text) in documented_fields(x)]
        push!(facts, :($Pair(:fields, $(Dict{Symbol, Any})($(fields...)))))
    end
    :($(Dict{Symbol, Any})($(facts...)))
end
function documented_fields(x)
    found, text = Any[], nothing
    for item in x.args[3].args
        isexpr(item, :escape) && (item = item.args[1])
        if item isa Symbol || isexpr(item, (:(::), :const, :atomic))
            text === nothing || push!(found, (namify(item), text))
            text = nothing
        elseif isexpr(item, (:function, :(=)))
            break
        elseif item isa String || isexpr(item, (:string, :call)) || isexpr(item, :macrocall) && item.args[1] === Symbol("@doc_str")
            text = item
        elseif isexpr(item, :macrocall) && length(item.args) == 4 && is_doc_macro(item.args[1])
            push!(found, (namify(item.args[4]), item.args[3]))
        end
    end
    found
end
is_doc_macro(f) = f === Symbol("@doc") || f isa GlobalRef && f.name === Symbol("@doc")
function objectdoc(source, mod, text, def, x, sig = :(Union{}))
    kept = Expr(:call, doc!, mod, Base.esc(bindingexpr(namify(x))), Base.esc(docexpr(text, metadata(source, mod, x))), Base.esc(sig))
    Expr(:block, Base.esc(def), kept)
end
function moduledoc(source, mod, text, def, x)
    name = namify(x)
    kept = Expr(:call, doc!, name, bindingexpr(name), docexpr(text, metadata(source, name, name)))
    def === nothing && return Base.esc(:($(Core.eval)($name, $(quot(kept)))))
    push!(def.args[3].args, kept)
    Base.esc(Expr(:toplevel, def))
end
# One text for several definitions.
function multidoc(source, mod, text, x, define)
    shared = Base.RefValue{DocStr}()
    made = docexpr(text, metadata(source, mod, x))
    out = Expr(:block)
    for (k, def) in enumerate(x.args)
        d = k == 1 ? :($getindex($setindex!($shared, $made))) : :($getindex($shared))
        push!(out.args, docm(source, mod, d, def, define))
    end
    out
end

# Definitions that a macro marks with `@__doc__` take the text that stands before the call of the macro.
mark(def) = Expr(:block, Expr(:meta, :doc), def)
is_marked(x) = isexpr(x, :block) && length(x.args) == 2 && isexpr(x.args[1], :meta) && x.args[1].args == Any[:doc]
# Every docstring comes here: packages that add methods to `vcat` would end code that used it.
function marked_definitions(x, found = Any[])
    x isa Expr || return found
    is_marked(x) && return push!(found, x.args[2])
    for a in x.args
        marked_definitions(a, found)
    end
    found
end
without_marks(x) = x isa Expr ? is_marked(x) ? without_marks(x.args[2]) : Expr(x.head, mapany(without_marks, x.args)...) : x

is_signature(x) = isexpr(x, (:call, :where)) || isexpr(x, :(::)) && length(x.args) == 2 && isexpr(x.args[1], :call)
is_call(x) = isexpr(x, :where) ? is_call(x.args[1]) : isexpr(x, :call)
call_arguments(x) = isexpr(x, :where) ? call_arguments(x.args[1]) : x.args[2:end]
is_parameter(x) = x isa Symbol || isexpr(x, (:(::), :..., :kw, :parameters))
quoted_macro(x) = isexpr(x, (:quote, :copyast, :inert)) && length(x.args) == 1 ? quoted_macro(x.args[1]) :
    x isa QuoteNode ? quoted_macro(x.value) : isexpr(x, :macrocall) && length(x.args) == 2 ? x : nothing
# The one expression of a block that has no other.
function only_expression(x)
    isexpr(x, :block) || return x
    items = Base.filter(a -> !(a isa LineNumberNode), x.args)
    length(items) == 1 ? only_expression(items[1]) : x
end

# The expression that defines (if `define`) and documents.
function docm(source::LineNumberNode, mod::Module, text, ex, define::Bool = true)
    x = isexpr(ex, :macrocall) ? macroexpand(mod, ex) : ex
    inner = only_expression(x)
    def = define ? without_marks(x) : nothing
    inner isa GlobalRef && inner.mod === mod && (inner = inner.name)
    made = documented(source, mod, text, def, inner, define)
    made === nothing || return made
    marks = marked_definitions(x)
    isempty(marks) && return docerror(inner)
    out = Expr(:block, Base.esc(def))
    for marked in marks
        push!(out.args, docm(source, mod, text, marked, false))
    end
    out
end
function documented(source, mod, text, def, x, define)
    quoted = quoted_macro(x)
    quoted === nothing || return objectdoc(source, mod, text, nothing, quoted)
    if isexpr(x, (:function, :macro, :(=))) && is_signature(x.args[1])
        return objectdoc(source, mod, text, def, x, signature(x))
    elseif is_call(x)
        return Base.all(is_parameter, call_arguments(x)) ? objectdoc(source, mod, text, nothing, x, signature(x)) : docerror(x)
    elseif isexpr(x, (:function, :macro, :struct, :abstract, :primitive, :const, :global, :(=)))
        return objectdoc(source, mod, text, def, x)
    elseif isexpr(x, :module)
        return moduledoc(source, mod, text, def, x)
    elseif isexpr(x, :tuple)
        return multidoc(source, mod, text, x, define)
    elseif x isa Symbol || x isa GlobalRef || isexpr(x, :.)
        return objectdoc(source, mod, text, nothing, x)
    end
    nothing
end
function docerror(x)
    text = string("cannot document the following expression:\n\n", x isa AbstractString ? repr(x) : x)
    isexpr(x, :macrocall) && (text = string(text, "\n\n'", x.args[1], "' not documentable. See 'Base.@__doc__' docs for details."))
    :($error($text, "\n"))
end
# The macro: what is documented later is found now, so that a text before something else is an error where it stands.
function documented_definition(source::LineNumberNode, mod::Module, text, ex)
    x = ex
    if isexpr(ex, :macrocall) && quoted_macro(ex) === nothing || isexpr(ex, :tuple) && Base.any(a -> isexpr(a, :macrocall), ex.args)
        x = isexpr(ex, :tuple) ? Expr(:tuple, mapany(a -> expanded(mod, a), ex.args)...) : expanded(mod, ex)
    end
    inner = only_expression(x)
    kinds = marked_definitions(x)
    isempty(kinds) && (kinds = Any[inner])
    for it in kinds
        made = documented(source, mod, text, nothing, it, false)
        made === nothing && return docerror(it)
        isexpr(made, :call) && made.args[1] === error && return made
    end
    note!(source, mod, text, length(kinds) == 1 ? head_of(kinds[1]) : Expr(:tuple, mapany(head_of, kinds)...))
    is_mention(inner) && return nothing
    isexpr(inner, :tuple) && return Base.esc(Expr(:block, Base.filter(a -> !is_mention(a), mapany(without_marks, inner.args))..., nothing))
    Base.esc(isempty(marked_definitions(x)) ? x : without_marks(x))
end
expanded(mod, x) = isexpr(x, :macrocall) && quoted_macro(x) === nothing ? macroexpand(mod, x) : x
is_mention(x) = x isa Symbol || x isa GlobalRef || isexpr(x, :.) || is_call(x) || quoted_macro(x) !== nothing

# Questions.
aliasof(b::Binding) = defined(b) ? (a = aliasof(resolve(b), b); defined(a) ? a : b) : b
aliasof(T::DataType, b) = Binding(T.name.module, T.name.name)
aliasof(f::Function, b) = Binding(parentmodule(f), nameof(f))
aliasof(m::Module, b) = Binding(m, nameof(m))
aliasof(x, b) = b
# All texts for a binding and a signature, the best match first; all of the binding's if no signature matches.
function matching_texts(b::Binding, @nospecialize(sig))
    found, others = DocStr[], DocStr[]
    flush_pending(b.var)
    for m in modules
        docs = get(table_of(m, true), b, nothing)
        docs === nothing && continue
        for s in docs.order
            push!(sig <: s ? found : others, docs.docs[s])
        end
    end
    isempty(found) ? others : found
end
"""
    Docs.doc(x)
    Docs.doc(binding, signature)

The documentation of an object or of a name.
"""
function doc(b::Binding, @nospecialize(sig::Type = Union{}))
    flush_pending(b.var)
    if defined(b)
        said = invokelatest(getdoc, resolve(b), sig)
        said === nothing || return said
    end
    texts = matching_texts(b, sig)
    if isempty(texts)
        a = aliasof(b)
        a == b || return doc(a, sig)
        return no_documentation(b)
    end
    invokelatest(catdoc, mapany(d -> invokelatest(parsedoc, d), texts)...)
end
doc(T::UnionAll, @nospecialize(sig::Type = Union{})) = doc(Base.unwrap_unionall(T), sig)
doc(@nospecialize(x), @nospecialize(sig::Type = Union{})) = (b = aliasof(x, nothing); b === nothing ? doc(typeof(x), sig) : doc(b, sig))
doc(x, types...) = doc(x, Tuple{types...})
function no_documentation(b::Binding)
    what = !defined(b) ? "does not exist" : (it = resolve(b);
        it isa Module ? "is a module" : it isa Type ? "is a type" : it isa Function ? (startswith(string(b.var), "@") ? "is a macro" : "is a function") :
        string("is of type `", typeof(it), "`"))
    Text(string("No documentation found.\n\n`", b, "` ", what, ".\n"))
end
function lookup(ex)
    isexpr(ex, :->) && error("`@doc text -> definition` is not supported; write `@doc text definition`")
    isexpr(ex, (:quote, :copyast)) && quoted_macro(ex) !== nothing && (ex = quoted_macro(ex))
    ex isa QuoteNode && quoted_macro(ex) !== nothing && (ex = quoted_macro(ex))
    ex isa Symbol || ex isa Expr || ex isa GlobalRef || return :($doc($typeof($(Base.esc(ex)))))
    b = Base.esc(bindingexpr(namify(ex)))
    sig = is_call(ex) || isexpr(ex, :macrocall) && length(ex.args) > 2 ? Base.esc(signature(ex)) : :(Union{})
    :($doc($b, $sig))
end

"""
    Docs.hasdoc(mod, name)

Whether a name has documentation.
"""
hasdoc(m::Module, name::Symbol) = (b = Binding(m, name); a = aliasof(b); hasdoc(b) || a != b && hasdoc(a))
function hasdoc(b::Binding)
    defined(b) && getdoc(resolve(b), Union{}) !== nothing && return true
    flush_pending(b.var)
    Base.any(m -> haskey(table_of(m, true), b), modules)
end
"""
    Docs.undocumented_names(mod; private = false)

The public names of a module that have no documentation, sorted.
"""
function undocumented_names(m::Module; private::Bool = false)
    # The texts that wait are not evaluated to learn that they exist.
    waiting = IdDict{Any, Nothing}(Binding(p.mod, p.name) => nothing for p in PENDING if p.name !== nothing && namify(p.ex) isa Symbol)
    Base.filter!(Base.names(m; all = true)) do name
        (private ? !startswith(string(name), '#') && !(name in (:eval, :include)) && name !== META : Base.ispublic(m, name)) || return false
        isdefined(m, name) && !haskey(waiting, Binding(m, name)) && !hasdoc(m, name)
    end
end
apropos(args...) = throw(UnsupportedError(:apropos, "kiln searches no documentation"))
end
using .Docs: Docs, HTML, Text, @html_str, @text_str
export Docs, @html_str, @text_str

# The macro of `Core` keeps texts until here.
Docs.take_documentation!(Core.documentation)
Core.eval(Core, :(macro doc(text)
    Base.Docs.lookup(text)
end))
# `Core.atdoc` expands `@doc`; packages put another function in its place, which may call it.
Core.eval(Core, :(atdoc(source::LineNumberNode, mod::Module, text, definition) = Base.Docs.documented_definition(source, mod, text, definition)))
Core.eval(Core, :(atdoc(source::LineNumberNode, mod::Module, text, definition, define) = Base.Docs.docm(source, mod, text, definition, define)))
Core.eval(Core, :(atdoc!(expander) = (Base.Docs.EXPANDER[] = expander)))
Core.eval(Core, :(macro doc(text, definition)
    Base.invokelatest(Base.Docs.EXPANDER[], __source__, __module__, text, definition)
end))
Core.eval(Core, :(macro doc(text, definition, define)
    Base.invokelatest(Base.Docs.EXPANDER[], __source__, __module__, text, definition, define)
end))
Core.eval(Base, :(Docs.EXPANDER[] = Core.atdoc))
Core.eval(Core, :(macro __doc__(definition)
    Expr(:escape, Base.Docs.mark(definition))
end))
Core.eval(Base, :(const var"@__doc__" = Core.var"@__doc__"))
