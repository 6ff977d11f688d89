# Hints: what handlers add to the message of an exception.

function show_error_hints(io, ex, args...)
    for handler in get(Experimental._hint_handlers, typeof(ex), ())
        try
            invokelatest(handler, io, ex, args...)
        catch
            @error "Hint-handler $handler for $(typeof(ex)) in $(parentmodule(handler)) caused an error" exception = current_exceptions()
        end
    end
end

# A number that is called, perhaps for `2(x)` without its operator.
function noncallable_number_hint_handler(io, ex, arg_types, kwargs)
    ex.f isa Number || return nothing
    print(io, "\nMaybe you forgot to use an operator such as ")
    printstyled(io, "*, ^, %, / etc. "; color = :cyan)
    print(io, "?")
end
# An element of a number or of a type that is set.
function nonsetable_type_hint_handler(io, ex, arg_types, kwargs)
    ex.f === setindex! && !isempty(arg_types) || return nothing
    T = arg_types[1]
    if T <: Number
        print(io, "\nAre you trying to index into an array? For multi-dimensional arrays, separate the indices with commas: ")
        printstyled(io, "a[1, 2]"; color = :cyan)
        print(io, " rather than a[1][2]")
    elseif isType(T)
        X = T.parameters[1]
        print(io, "\nYou attempted to index the type ", X, ", rather than an instance of the type. Make sure you create the type using its constructor: ")
        printstyled(io, "d = ", X, "([...])"; color = :cyan)
        print(io, " rather than d = ", X)
    end
end
function string_concatenation_hint_handler(io, ex, arg_types, kwargs)
    ex.f === (+) && !isempty(arg_types) && all(T -> T <: AbstractString, arg_types) || return nothing
    print(io, "\nString concatenation is performed with ")
    printstyled(io, "*"; color = :cyan)
    print(io, " (See also: https://docs.julialang.org/en/v1/manual/strings/#man-concatenation).")
end
# `max` of a collection, and collections without a length.
function methods_on_iterable(io, ex, arg_types, kwargs)
    f = ex.f
    if (f === max || f === min) && length(arg_types) == 1 && hasmethod(iterate, Tuple{arg_types[1]})
        right = f === max ? "maximum" : "minimum"
        print(io, "\nFinding the ", right, " of an iterable is performed with `", right, "`.")
    elseif (f === length || f === size) && !isempty(arg_types) && hasmethod(iterate, Tuple{arg_types...})
        kind = IteratorSize(arg_types[1])
        kind isa HasLength &&
            print(io, "\nYou may need to implement the `length` method or define `IteratorSize` for this type to be `SizeUnknown`.")
        kind isa HasShape && print(io, "\nYou may need to implement the `length` and `size` methods for `IteratorSize` `HasShape`.")
    end
    nothing
end
function fielderror_dict_hint_handler(io, ex)
    ex.type <: AbstractDict || return nothing
    print(io, "\nDid you mean to access dict values using key: `:", ex.field, "` ? Consider using indexing syntax ")
    printstyled(io, "dict[:", ex.field, "]"; color = :cyan)
    println(io)
end
quoted_names(names) = join(map(n -> string('`', n, '`'), names), ", ")
function fielderror_listfields_hint_handler(io, ex)
    fields = fieldnames(ex.type)
    isempty(fields) ? print(io, "; ", ex.type.name.wrapper, " has no fields at all.") : print(io, ", available fields: ", quoted_names(fields))
    others = setdiff(something(properties_of_type(ex.type), ()), fields)
    isempty(others) || print(io, "\nAvailable properties: ", quoted_names(others))
    nothing
end
# The names that `propertynames` gives for every object of the type, if inference knows them.
function properties_of_type(T)
    which(propertynames, Tuple{T}) === which(propertynames, Tuple{Any}) && return nothing
    V = infer_return_type(x -> Val(propertynames(x)), Tuple{T})
    V isa DataType && V <: Val && V.parameters[1] isa Tuple{Vararg{Symbol}} ? V.parameters[1] : nothing
end
# An undefined name: what it means in the module now, and which modules have such a name for others.
function UndefVarError_hint(io::IO, ex::UndefVarError)
    scope = isdefined(ex, :scope) ? ex.scope : nothing
    if scope isa Module
        show_undefined_global(io, ex, scope)
    elseif scope === :static_parameter
        print(io, "\nSuggestion: run Test.detect_unbound_args to detect method arguments that do not fully constrain a type parameter.")
    elseif scope === :local
        print(io, "\nSuggestion: check for an assignment to a local variable that shadows a global of the same name.")
    end
    scope === Base && return nothing
    show_offering_modules(io, [Base], ex.var) && return nothing
    others = filter(m -> !(m in (Core, Base, Main, scope)), loaded_modules_array())
    show_offering_modules(io, others, ex.var) || show_offering_modules(io, [Core, Main], ex.var)
    nothing
end
function show_undefined_global(io, ex, scope)
    info = Host.binding_info(scope, ex.var, ex.world)
    if info.kind === :undefined && isdefined(scope, ex.var)
        print(io, "\nThe binding may be too new: running in world age ", ex.world, ", while current world is ", get_world_counter(), ".")
    elseif info.kind === :undefined
        print(io, "\nSuggestion: check for spelling errors or missing imports.")
    elseif info.kind === :ambiguous
        print(io, "\nHint: It looks like two or more modules export different bindings with this name, resulting in ambiguity. ",
            "Try explicitly importing it from a particular module, or qualifying the name with the module it should come from.")
    elseif info.imported
        print(io, "\nSuggestion: this global was defined as `", info.mod, ".", info.name, "` but not assigned a value.")
    else
        print(io, "\nSuggestion: add an appropriate import or assignment. This global was declared but not assigned.")
    end
end
# Modules that export the name or declare it public, by the module that it belongs to. Whether there is one.
function show_offering_modules(io, modules, name)
    found = false
    owners = Pair{Module, Vector{Module}}[]
    for m in modules
        isdefined(m, name) && (isexported(m, name) || ispublic(m, name)) || continue
        found = true
        if nameof(m) === name && !isdefined(Main, name)
            print(io, "\nHint: ", m, " is loaded but not imported in the active module Main.")
            continue
        end
        owner = binding_module(m, name)
        k = findfirst(p -> p.first === owner, owners)
        k === nothing ? push!(owners, owner => Module[m]) : push!(owners[k].second, m)
    end
    for (owner, offering) in owners
        print(io, "\nHint: a global variable of this name also exists in ", owner, ".")
        for m in offering
            m === owner && continue
            print(io, "\n    - Also ", isexported(m, name) ? "exported by " : "declared public in ", m)
            isdefined(Main, nameof(m)) && getglobal(Main, nameof(m)) === m || print(io, " (loaded but not imported in Main)")
            print(io, ".")
        end
    end
    found
end
Experimental.register_error_hint(UndefVarError_hint, UndefVarError)
for handler in (noncallable_number_hint_handler, nonsetable_type_hint_handler, string_concatenation_hint_handler, methods_on_iterable)
    Experimental.register_error_hint(handler, MethodError)
end
for handler in (fielderror_dict_hint_handler, fielderror_listfields_hint_handler)
    Experimental.register_error_hint(handler, FieldError)
end
