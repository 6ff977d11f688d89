# How values print, in the plainest form that is right.

function decimal_string(x::Integer)
    u = uabs(x)
    n = ndigits(x)
    negative = x < 0
    k = n + negative
    m = Memory{UInt8}(undef, k)
    i = k
    while i > negative
        q = div(u, oftype(u, 10))
        m[i] = 0x30 + ((u - q * oftype(u, 10)) % UInt8)
        u = q
        i -= 1
    end
    negative && (m[1] = 0x2d)
    Host.string_from_memory(m, 0, k)
end
function string(x::Integer; base::Integer = 10, pad::Integer = 1)
    base == 10 && pad == 1 && return decimal_string(x isa Bool ? Int(x) : x)
    u = uabs(x)
    n = ndigits(x; base = base, pad = pad)
    out = Memory{UInt8}(undef, n)
    b = oftype(u, base)
    for i in n:-1:1
        d = (u % b) % UInt8
        out[i] = d < 10 ? 0x30 + d : 0x57 + d
        u = div(u, b)
    end
    s = String(out)
    x < 0 ? string("-", s) : s
end
string(x::Bool) = x ? "true" : "false"
string(x::Union{BitInteger}) = decimal_string(x)
string(x::IEEEFloat) = Host.float_to_string(x, :shortest, 0)
bin(x, pad) = string(x, base = 2, pad = pad)
dec(x) = decimal_string(x)
hex(x, pad = 1) = string(x, base = 16, pad = pad)

show(io::IO, x::Signed) = (write(io, decimal_string(x)); nothing)
print(io::IO, x::Integer) = (write(io, string(x)); nothing)
show(io::IO, x::Unsigned) = (write(io, "0x"); write(io, string(x, base = 16, pad = 2 * sizeof(x))); nothing)
print(io::IO, x::Unsigned) = (write(io, decimal_string(x)); nothing)
show(io::IO, x::Bool) = (write(io, get(io, :typeinfo, Any) === Bool ? (x ? "1" : "0") : x ? "true" : "false"); nothing)
print(io::IO, x::Bool) = (write(io, x ? "true" : "false"); nothing)
print(io::IO, x::IEEEFloat) = (write(io, Host.float_to_string(x, get(io, :compact, false) ? :compact : :shortest, 0)); nothing)
function show(io::IO, x::IEEEFloat)
    compact = get(io, :compact, false)
    plain = get(io, :typeinfo, Any) === typeof(x)
    write(io, Host.float_to_string(x, compact ? (plain ? :compact : :typed_compact) : plain ? :shortest : :typed, 0))
    nothing
end
show(io::IO, x::Rational) = (show(io, x.num); print(io, "//"); show(io, x.den))
show(io::IO, ::Irrational{s}) where {s} = print(io, s)
show(io::IO, ::Nothing) = print(io, "nothing")
show(io::IO, ::Missing) = print(io, "missing")
show(io::IO, s::AbstractString) = (print(io, '"'); escape_string(io, s, ('"', '$')); print(io, '"'))
show(io::IO, c::AbstractChar) = (print(io, '\''); c == '\'' ? print(io, "\\'") : escape_string(io, string(c)); print(io, '\''))
show(io::IO, m::Module) = print(io, join(fullname(m), "."))
print(io::IO, m::Module) = show(io, m)
show(io::IO, p::Ptr) = print(io, typeof(p), " @0x", string(UInt(p), base = 16, pad = 16))
show(io::IO, v::SimpleVector) = show_vector(io, v, "svec(", ")")
show(io::IO, T::Type) = print(io, Host.type_string(T))
show(io::IO, T::TypeVar) = print(io, T.name)
show(io::IO, T::TypeofVararg) = print(io, "Vararg")
show(io::IO, f::Function) = show_function(io, f)
show_function(io, f) = (n = string(nameof(typeof(f))); print(io, startswith(n, "#") && ncodeunits(n) > 1 && !isdigit(n[2]) ? plain_function_name(n) : n))
plain_function_name(n) = (s = n[2:end]; i = findfirst('#', s); i === nothing ? s : s)
show(io::IO, x::QuoteNode) = (print(io, ":("); show_unquoted_expr(io, x.value); print(io, ")"))
show(io::IO, x::LineNumberNode) = print(io, "#= ", x.file === nothing ? "none" : x.file, ":", x.line, " =#")
show(io::IO, x::GlobalRef) = print(io, x.mod, ".", x.name)
show(io::IO, x::CartesianIndex) = (print(io, "CartesianIndex"); show(io, length(x) == 1 ? x.I : x.I))
show(io::IO, p::Pair) = (show(io, p.first); print(io, " => "); show(io, p.second))
show(io::IO, r::UnitRange) = (show(io, r.start); print(io, ":"); show(io, r.stop))
show(io::IO, r::StepRange) = (show(io, r.start); print(io, ":"); show(io, r.step); print(io, ":"); show(io, last(r)))
show(io::IO, r::OneTo) = print(io, "Base.OneTo(", r.stop, ")")
show(io::IO, r::StepRangeLen) = (show(io, first(r)); print(io, ":"); show(io, step(r)); print(io, ":"); show(io, last(r)))
show(io::IO, r::LinRange) = print(io, "LinRange(", first(r), ", ", last(r), ", ", length(r), ")")
show(io::IO, c::CartesianIndices) = (print(io, "CartesianIndices("); show(io, c.indices); print(io, ")"))
show(io::IO, ::Colon) = print(io, "Colon()")
show(io::IO, r::RoundingMode{T}) where {T} = print(io, "RoundingMode{:", T, "}()")
show(io::IO, x::Some) = (print(io, "Some("); show(io, x.value); print(io, ")"))
show(io::IO, x::RefValue) = (print(io, typeof(x), "("); isdefined(x, :x) ? show(io, x.x) : print(io, "#undef"); print(io, ")"))
show(io::IO, s::Symbol) = (t = Host.symbol_name(s); print(io, isidentifier(t) || isoperator(s) ? string(":", t) : string("Symbol(", repr(t), ")")))
isidentifier(s::AbstractString) = !isempty(s) && (isletter(s[1]) || s[1] == '_') && all(c -> isletter(c) || isdigit(c) || c == '_' || c == '!' || UInt32(c) > 0x7f, s)
isidentifier(s::Symbol) = isidentifier(string(s))
isoperator(s::Symbol) = (t = string(s); !isempty(t) && !(isletter(t[1]) || t[1] == '_' || isdigit(t[1]) || t[1] in ('#', '@', '"', '(', ')', '[', ']', '{', '}', ',', ';', ' ', '`')))

function show(io::IO, t::Tuple)
    print(io, "(")
    for i in 1:length(t)
        i > 1 && print(io, ", ")
        show(io, t[i])
    end
    length(t) == 1 && print(io, ",")
    print(io, ")")
end
function show(io::IO, t::NamedTuple)
    isempty(t) && return print(io, "NamedTuple()")
    print(io, "(")
    for (i, k) in enumerate(keys(t))
        i > 1 && print(io, ", ")
        print(io, k, " = ")
        show(io, t[i])
    end
    length(t) == 1 && print(io, ",")
    print(io, ")")
end
function show_vector(io, v, open = "[", close = "]")
    print(io, open)
    first_one = true
    for x in v
        first_one || print(io, ", ")
        first_one = false
        show(io, x)
    end
    print(io, close)
end
function array_prefix(a)
    T = eltype(a)
    T === Any ? "Any" : T === Float64 || T === Int || T === String || T === Symbol || T === Char || T <: Tuple ||
        (!isempty(a) && all(x -> x isa AbstractArray, a)) ? "" : string(T)
end
function show(io::IO, a::AbstractArray)
    context = IOContext(io, :typeinfo => eltype(a), :compact => get(io, :compact, ndims(a) > 1))
    print(io, isempty(a) && array_prefix(a) == "" ? string(eltype(a)) : array_prefix(a))
    show_array_body(context, a)
end
show_array_body(io, a::AbstractVector) = show_vector(io, a)
show_array_body(io, a::AbstractArray{T, 0}) where {T} = (print(io, "fill("); show(io, a[]); print(io, ")"))
function show_array_body(io, a::AbstractMatrix)
    print(io, "[")
    for i in axes(a, 1)
        i > 1 && print(io, "; ")
        for j in axes(a, 2)
            j > 1 && print(io, " ")
            show(io, a[i, j])
        end
    end
    print(io, "]")
end
show_array_body(io, a::AbstractArray) = show_vector(io, a)
summary(x) = string(typeof(x))
summary(io::IO, x) = print(io, summary(x))
summary(a::AbstractArray) = string(dims_text(size(a)), " ", typeof(a))
function show(io::IO, d::AbstractDict)
    print(io, isempty(d) ? typeof(d) : nameof(typeof(d)))
    show_vector(io, d, "(", ")")
end
show(io::IO, s::AbstractSet) = (print(io, "Set("); show_vector(io, s); print(io, ")"))
show(io::IO, p::Pairs) = (print(io, "pairs("); show(io, values(p)); print(io, ")"))
print(io::IO, e::Expr) = show_unquoted_expr(io, e)
show(io::IO, e::Expr) = (print(io, ":("); show_unquoted_expr(io, e); print(io, ")"))
function show(io::IO, x)
    T = typeof(x)
    print(io, T, "(")
    for i in 1:nfields(x)
        i > 1 && print(io, ", ")
        isdefined(x, i) ? show(io, getfield(x, i)) : print(io, "#undef")
    end
    print(io, ")")
end

# Expressions as source text.
show_unquoted_expr(io::IO, x) = show(io, x)
show_unquoted_expr(io::IO, s::Symbol) = print(io, s)
show_unquoted_expr(io::IO, q::QuoteNode) = (q.value isa Symbol ? show(io, q.value) : show(io, q))
function show_unquoted_expr(io::IO, e::Expr)
    a = e.args
    if e.head === :call && length(a) == 3 && a[1] isa Symbol && isoperator(a[1])
        tight = a[1] === :^ || a[1] === :(:)
        show_operand(io, a[2])
        print(io, tight ? "" : " ", a[1], tight ? "" : " ")
        show_operand(io, a[3])
    elseif e.head === :call && length(a) == 2 && a[1] isa Symbol && isoperator(a[1])
        print(io, a[1])
        show_operand(io, a[2])
    elseif e.head === :call
        show_unquoted_expr(io, a[1])
        show_list(io, a[2:end], "(", ")")
    elseif e.head === :ref
        show_unquoted_expr(io, a[1])
        show_list(io, a[2:end], "[", "]")
    elseif e.head === :curly
        show_unquoted_expr(io, a[1])
        show_list(io, a[2:end], "{", "}")
    elseif e.head === :tuple
        show_list(io, a, "(", length(a) == 1 ? ",)" : ")")
    elseif e.head === :vect
        show_list(io, a, "[", "]")
    elseif e.head === :. && length(a) == 2 && a[2] isa QuoteNode
        show_unquoted_expr(io, a[1])
        print(io, ".", a[2].value)
    elseif e.head === :. && length(a) == 2 && a[2] isa Expr
        show_unquoted_expr(io, a[1])
        print(io, ".")
        show_unquoted_expr(io, a[2])
    elseif e.head === :comparison
        for (i, x) in enumerate(a)
            i > 1 && print(io, " ")
            show_unquoted_expr(io, x)
        end
    elseif length(a) == 2 && e.head in (:(=), :(&&), :(||), :->, :(<:), :kw, :(+=), :(-=), :(*=))
        show_unquoted_expr(io, a[1])
        print(io, " ", e.head === :kw ? :(=) : e.head, " ")
        show_unquoted_expr(io, a[2])
    elseif e.head === :(::) && length(a) == 2
        show_unquoted_expr(io, a[1])
        print(io, "::")
        show_unquoted_expr(io, a[2])
    elseif e.head === Symbol("'")
        show_operand(io, a[1])
        print(io, "'")
    elseif e.head === :string
        print(io, '"')
        for x in a
            x isa AbstractString ? escape_string(io, x) : (print(io, "\$("); show_unquoted_expr(io, x); print(io, ")"))
        end
        print(io, '"')
    elseif e.head === :block
        print(io, "begin")
        for x in a
            x isa LineNumberNode || (print(io, "\n    "); show_unquoted_expr(io, x))
        end
        print(io, "\nend")
    elseif e.head === :macrocall
        show_unquoted_expr(io, a[1])
        for x in a[3:end]
            print(io, " ")
            show_unquoted_expr(io, x)
        end
    else
        print(io, "\$(Expr(:", e.head)
        for x in a
            print(io, ", ")
            show(io, x)
        end
        print(io, "))")
    end
    nothing
end
function show_operand(io, x)
    wrap = x isa Expr && (x.head === :call && length(x.args) == 3 && x.args[1] isa Symbol && isoperator(x.args[1]) || x.head === :comparison)
    wrap && print(io, "(")
    show_unquoted_expr(io, x)
    wrap && print(io, ")")
end
function show_list(io, xs, open, close)
    print(io, open)
    for (i, x) in enumerate(xs)
        i > 1 && print(io, ", ")
        show_unquoted_expr(io, x)
    end
    print(io, close)
end
