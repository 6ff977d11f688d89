# Functions and methods.

# Whether the name of the function, in its module, means the function.
is_named(f) = (m = parentmodule(f); n = nameof(f); isdefined(m, n) && getglobal(m, n) === f)
show(io::IO, f::Function) = show_function(io, f)
print(io::IO, f::Function) = print(io, nameof(f))
print(io::IO, c::Colon) = show(io, c)
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
# An anonymous function has a number; a local function is called by its type.
function_label(f) = (n = string(nameof(f)); '#' in n || is_named(f) ? n : string("(::", typeof(f), ")"))
function show(io::IO, ::MIME"text/plain", f::Function)
    get(io, :compact, false)::Bool && return show(io, f)
    name = function_label(f)
    print(io, name)
    f isa Builtin && return print(io, " (built-in function)")
    n = length(Host.methods_list(f))
    print(io, startswith(name, '@') ? " (macro" : " (generic function", " with ", n, n == 1 ? " method)" : " methods)")
end
