# Functions and methods.

# Whether the name of the function, in its module, means the function.
is_named(f) = (m = parentmodule(f); n = nameof(f); isdefined(m, n) && getglobal(m, n) === f)
show(io::IO, f::Function) = show_function(io, f)
print(io::IO, f::Function) = print(io, nameof(f))
show(io::IO, f::Builtin) = print(io, nameof(f))
function show_function(io, f)
    if is_named(f)
        m = parentmodule(f)
        visible = m === Main || m === Core || isexported(Base, nameof(f)) && isdefined(Base, nameof(f)) && getglobal(Base, nameof(f)) === f
        visible || get(io, :compact, false)::Bool || print(io, m, ".")
        return show_sym(io, nameof(f))
    end
    # A local function shows as the object that it is.
    startswith(string(typeof(f)), "var\"") && print(io, parentmodule(typeof(f)), ".")
    show_default(io, f)
end
# A local function `f` is of the type `#f#3`, an anonymous one of `##3#4`.
function plain_function_name(n)
    s = n[2:end]
    i = findnext('#', s, startswith(s, '#') ? 2 : 1)
    i === nothing ? s : s[1:prevind(s, i)]
end
function function_label(f)
    n = string(nameof(f))
    startswith(n, "#") && ncodeunits(n) > 1 && !isdigit(n[2]) ? plain_function_name(n) :
        isoperator(n) || startswith(n, "#") || is_named(f) ? n : string("(::", typeof(f), ")")
end
function show(io::IO, ::MIME"text/plain", f::Function)
    get(io, :compact, false)::Bool && return show(io, f)
    name = function_label(f)
    print(io, name)
    f isa Builtin && return print(io, " (built-in function)")
    n = length(Host.methods_list(f))
    print(io, startswith(name, '@') ? " (macro" : " (generic function", " with ", n, n == 1 ? " method)" : " methods)")
end

# Methods: a signature with the names of the arguments, and the place of the definition.
show(io::IO, m::Method) = print(io, method_text(m), " @ ", place_text(m))
function method_text(m::Method)
    types = unwrap_unionall(m.sig).parameters
    names = m.argnames
    vars = signature_vars(m.sig)
    sprint() do io
        print(io, callee_text(types[1], names[1], vars), "(")
        for i in 2:length(types)
            i > 2 && print(io, ", ")
            name = i <= length(names) ? string(names[i]) : "_"
            startswith(name, "#") && (name = "")
            isempty(name) || show_sym(io, Symbol(name))
            # A rest of fixed length stands in the signature as that many types.
            if i == length(names) && length(types) > i
                print(io, "::Vararg{", type_text(types[i], vars), ", ", length(types) - i + 1, "}")
                break
            end
            T = types[i]
            if T isa TypeofVararg
                elem = isdefined(T, :T) ? T.T : Any
                isdefined(T, :N) ? print(io, "::Vararg{", type_text(elem, vars), ", ", type_text(T.N, vars), "}") :
                    print(io, elem === Any ? "" : string("::", type_text(elem, vars)), "...")
            elseif T !== Any || isempty(name)
                print(io, "::", type_text(T, vars))
            end
        end
        keywords = kwarg_decl(m)
        isempty(keywords) || print(io, "; ", join(map(keyword_text, keywords), ", "))
        print(io, ")", where_text(m.sig))
    end
end
keyword_text(k) = (s = string(k); endswith(s, "...") ? string(sprint(show_sym, Symbol(chop(s; tail = 3))), "...") : sprint(show_sym, k))
function callee_text(callee, self, vars)
    callee <: Function && callee isa DataType && isdefined(callee, :name) && return function_type_name(callee)
    callee isa DataType && callee.name === Type.body.name && return type_text(callee.parameters[1], vars)
    string("(", self === Symbol("#self#") ? "" : self, "::", type_text(callee, vars), ")")
end
function_type_name(T) = (s = string(T); startswith(s, "typeof(") ? string(nameof_function_text(s)) : string("(::", s, ")"))
nameof_function_text(s) = (inner = s[8:prevind(s, lastindex(s))]; dot = findlast('.', inner); dot === nothing || dot == lastindex(inner) ? inner : inner[nextind(inner, dot):end])
function method_list_owner(f)
    f isa Type && return " for type constructor"
    f isa Function || return " for callable object"
    name = string(nameof(f))
    is_named(f) || return '#' in name ? string(" for anonymous function \"", name, "\"") : " for callable object"
    string(" for ", startswith(name, '@') ? "macro" : f isa Builtin ? "builtin function" : "generic function", " \"", name, "\" from ", parentmodule(f))
end
function show(io::IO, ms::MethodList)
    n = length(ms)
    print(io, "# ", n, n == 1 ? " method" : " methods", method_list_owner(ms.f), n > 0 ? ":" : "")
    for (k, m) in enumerate(ms.ms)
        print(io, "\n ", lpad(string("[", k, "]"), ndigits(n) + 2), " ", method_text(m), "\n     @ ", place_text(m))
    end
    nothing
end
show(io::IO, ::MIME"text/plain", ms::MethodList) = show(io, ms)
