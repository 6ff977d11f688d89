# Methods: a signature with the names of the arguments, and the place of the definition.
show(io::IO, m::Method) = print(io, method_text(m), " @ ", method_place_text(m))
show(io::IO, ::MIME"text/plain", m::Method) = print(io, method_text(m), "\n     @ ", method_place_text(m))
# A function of the method that says where it is now, for tools that follow edits of the source.
const methodloc_callback = Ref{Union{Function, Nothing}}(nothing)
function updated_methodloc(m::Method)
    file, line = m.file, m.line
    if methodloc_callback[] !== nothing
        try
            file, line = invokelatest(methodloc_callback[], m)::Tuple{Union{Symbol, String}, Union{Int32, Int64}}
        catch
        end
    end
    (string(file), Int32(line))
end
function method_place_text(m::Method)
    file, line = updated_methodloc(m)
    line == 0 ? string(m.module) : string(m.module, " ", file, ":", line)
end
function method_text(m::Method; html::Bool = false)
    types = unwrap_unionall(m.sig).parameters
    names = m.argnames
    vars = signature_vars(m.sig)
    sprint() do io
        types_end = html ? "</b>" : ""
        typed = html ? "::<b>" : "::"
        print(io, callee_text(types[1], names[1], vars), "(")
        for i in 2:length(types)
            i > 2 && print(io, ", ")
            name = i <= length(names) ? argument_text(names[i]) : "_"
            isempty(name) || show_sym(io, Symbol(name))
            # A rest of fixed length stands in the signature as that many types.
            if i == length(names) && length(types) > i
                print(io, typed, "Vararg{", type_text(types[i], vars), ", ", length(types) - i + 1, "}", types_end)
                break
            end
            T = types[i]
            if T isa TypeofVararg
                elem = isdefined(T, :T) ? T.T : Any
                isdefined(T, :N) ? print(io, typed, "Vararg{", type_text(elem, vars), ", ", type_text(T.N, vars), "}", types_end) :
                    print(io, elem === Any ? "..." : string(typed, type_text(elem, vars), "...", types_end))
            elseif T !== Any || isempty(name)
                print(io, typed, type_text(T, vars), types_end)
            end
        end
        keywords = kwarg_decl(m)
        isempty(keywords) || print(io, "; ", html ? "<i>" : "", join(map(keyword_text, keywords), ", "), html ? "</i>" : "")
        variables = where_text(m.sig)
        print(io, ")", html && !isempty(variables) ? string("<i>", variables, "</i>") : variables)
    end
end
# The name of an argument as the program wrote it: `gensym` puts numbers behind.
function argument_text(name)
    s = string(name)
    (s == "#self#" || s == "#unused#") && return ""
    k = findlast('#', s)
    k === nothing || k == lastindex(s) || !all(isdigit, SubString(s, k + 1)) || (s = s[1:prevind(s, k)])
    startswith(s, "##") ? (s = s[3:end]) : nothing
    startswith(s, "#") ? "" : s
end
keyword_text(k) = k === Symbol("...") ? "..." : (s = string(k); endswith(s, "...") ? string(sprint(show_sym, Symbol(chop(s; tail = 3))), "...") : sprint(show_sym, k))
function callee_text(callee, self, vars)
    callee <: Function && callee isa DataType && isdefined(callee, :name) && return function_type_name(callee)
    callee isa DataType && callee.name === Type.body.name && return type_text(callee.parameters[1], vars)
    string("(", self === Symbol("#self#") ? "" : self, "::", type_text(callee, vars), ")")
end
function_type_name(T) = (s = string(T); startswith(s, "typeof(") ? string(nameof_function_text(s)) : string("(::", s, ")"))
nameof_function_text(s) = (inner = s[8:prevind(s, lastindex(s))]; dot = findlast('.', inner); dot === nothing || dot == lastindex(inner) ? inner : inner[nextind(inner, dot):end])

# A signature as the call that it stands for.
function show_tuple_as_call(io::IO, name::Symbol, sig::Type; demangle = false, hasfirst::Bool = true)
    sig === Tuple && return print(io, name, "(...)")
    vars = signature_vars(sig)
    types = unwrap_unionall(sig).parameters
    print(io, hasfirst ? callee_text(types[1], Symbol("#self#"), vars) : name, "(")
    for i in (hasfirst ? 2 : 1):length(types)
        i > (hasfirst ? 2 : 1) && print(io, ", ")
        print(io, "::", type_text(types[i], vars))
    end
    print(io, ")", where_text(sig))
end
function show(io::IO, instance::Core.MethodInstance)
    def = instance.def
    def isa Method || return print(io, "Toplevel MethodInstance thunk")
    print(io, "MethodInstance for ")
    show_tuple_as_call(io, def.name, instance.specTypes)
end

# The owner of a list of methods: a named function, an anonymous one, a type, or another object.
function method_list_owner(f, quoted)
    f isa Core.TypeName && return string(" for ", f.wrapper <: Function ? quoted(string(f.singletonname)) : "type constructor")
    f isa Type && return " for type constructor"
    f isa Function || return " for callable object"
    name = string(nameof(f))
    invokelatest(is_named, f) || return '#' in name ? string(" for anonymous function ", quoted(name)) : " for callable object"
    string(" for ", startswith(name, '@') ? "macro" : f isa Builtin ? "builtin function" : "generic function", " ", quoted(name), " from ", parentmodule(f))
end
function show_method_list_header(io, ms, quoted)
    n = length(ms)
    print(io, "# ", n, n == 1 ? " method" : " methods", method_list_owner(ms.f, quoted), n > 0 ? ":" : "")
end
function show(io::IO, ms::MethodList)
    show_method_list_header(io, ms, name -> string("\"", name, "\""))
    n = length(ms)
    for (k, m) in enumerate(ms.ms)
        print(io, "\n ", lpad(string("[", k, "]"), ndigits(n) + 2), " ", method_text(m), "\n     @ ", method_place_text(m))
    end
    nothing
end
show(io::IO, ::MIME"text/plain", ms::MethodList) = show(io, ms)
function show(io::IO, ::MIME"text/plain", ms::AbstractVector{Method})
    isempty(ms) && return print(io, summary(ms))
    for (k, m) in enumerate(ms)
        print(io, k > 1 ? "\n" : "", "[", k, "] ")
        show(io, m)
    end
    nothing
end

# Hypertext: types in bold, keywords and variables in italics, a link to the source.
function show(io::IO, ::MIME"text/html", m::Method)
    print(io, method_text(m; html = true), " in ", m.module)
    file, line = updated_methodloc(m)
    line <= 0 && return nothing
    address = url(m)
    isempty(address) ? print(io, " at ", file, ":", line) : print(io, " at <a href=\"", address, "\" target=\"_blank\">", file, ":", line, "</a>")
    nothing
end
# The address of the source; that of the library has none on the network.
function url(m::Method)
    file = string(m.file)
    m.line <= 0 || file in ("none", "string", "null") || startswith(file, "@kiln/") ? "" : string("file://", file)
end
function show(io::IO, mime::MIME"text/html", ms::MethodList)
    show_method_list_header(io, ms, name -> string("<b>", name, "</b>"))
    print(io, "<ul>")
    for m in ms.ms
        print(io, "<li> ")
        show(io, mime, m)
        print(io, "</li> ")
    end
    print(io, "</ul>")
end
function show(io::IO, mime::MIME"text/html", ms::AbstractVector{Method})
    isempty(ms) && return print(io, summary(ms))
    print(io, "<ol>")
    for m in ms
        print(io, "<li> ")
        show(io, mime, m)
        print(io, "</li>")
    end
    print(io, "</ol>")
end
