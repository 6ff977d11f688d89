# How values print, in the plainest form that is right.

decimal_string(x::BitInteger) = Host.text_of(x)::String
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
string(x::Integer; base::Integer = 10, pad::Integer = 1) =
    base == 10 && pad == 1 ? decimal_string(x isa Bool ? Int(x) : x) : string_in_base(x, Int(clamp(base, -100, 100)), Int(clamp(pad, 0, typemax(Int))))
string(x::Bool) = x ? "true" : "false"
string(x::Union{BitInteger}) = decimal_string(x)
string(x::IEEEFloat) = Host.float_to_string(x, :shortest, 0)
bin(x, pad) = string(x, base = 2, pad = pad)
dec(x) = decimal_string(x)
hex(x, pad = 1) = string(x, base = 16, pad = pad)

show(io::IO, x::Signed) = (write(io, decimal_string(x)); nothing)
print(io::IO, x::Union{Signed, Bool, Float64}) = (print_known(io, x) > 0 || show(io, x); nothing)
show(io::IO, x::Unsigned) = (write(io, "0x"); write(io, string(x, base = 16, pad = 2 * sizeof(x))); nothing)
print(io::IO, x::Unsigned) = (print_known(io, x) > 0 || write(io, decimal_string(x)); nothing)
show(io::IO, x::Bool) = (write(io, nonmissingtype(nonnothingtype(get(io, :typeinfo, Any))) === Bool ? (x ? "1" : "0") : x ? "true" : "false"); nothing)
print(io::IO, x::Union{Float16, Float32}) = (write(io, Host.float_to_string(x, get(io, :compact, false) ? :compact : :shortest, 0)); nothing)
# Only the whole text says the type; in compact text just the exponent of a `Float32` has its own letter.
function show(io::IO, x::IEEEFloat)
    compact = get(io, :compact, false)::Bool
    plain = get(io, :typeinfo, Any) === typeof(x)
    write(io, Host.float_to_string(x, compact ? :compact_lettered : plain ? :lettered : :typed, 0))
    nothing
end
function show(io::IO, x::Rational)
    show(io, x.num)
    # Among rationals a whole number is told by its value.
    isone(x.den) && get(io, :typeinfo, Any) <: Rational && return
    print(io, "//")
    show(io, x.den)
end
show(io::IO, ::Irrational{s}) where {s} = print(io, s)
function show(io::IO, ::MIME"text/plain", x::Irrational{s}) where {s}
    get(io, :compact, false)::Bool && return print(io, s)
    print(io, s, " = ", first(string(float(x)), 15), "...")
end
show(io::IO, ::Nothing) = print(io, "nothing")
show(io::IO, ::Missing) = print(io, "missing")
show(io::IO, s::AbstractString) = print_quoted(io, s)
function show(io::IO, c::AbstractChar)
    at = findfirst(c, "\\'\0\a\b\t\n\v\f\r\e")
    if at !== nothing
        return print(io, "'\\", "\\'0abtnvfre"[at], "'")
    elseif !ismalformed(c) && !isoverlong(c) && UInt32(c) <= 0x10ffff
        u = UInt32(c)
        print(io, '\'')
        isprint(c) ? print(io, c) : u <= 0x7f ? print(io, "\\x", string(u; base = 16, pad = 2)) :
            u <= 0xffff ? print(io, "\\u", string(u; base = 16, pad = 2)) : print(io, "\\U", string(u; base = 16, pad = 4))
        return print(io, '\'')
    end
    print(io, '\'')
    print_malformed(io, c)
    print(io, '\'')
end
show(io::IO, m::Module) = print(io, join((sprint(show_sym, part) for part in fullname(m)), "."))
print(io::IO, m::Module) = show(io, m)
show(io::IO, p::Ptr) = print(io, typeof(p), "(0x", string(UInt(p), base = 16, pad = 16), ")")
show(io::IO, v::SimpleVector) = show_vector(io, v, "svec(", ")")
show(io::IO, ::MIME"text/plain", u::UndefInitializer) =
    get(io, :compact, false)::Bool ? show(io, u) : print(io, "UndefInitializer(): array initializer with undefined values")
show(io::IO, ::UndefInitializer) = print(io, "UndefInitializer()")
show(io::IO, c::IOContext) = (print(io, "IOContext("); show(io, c.io); print(io, ")"))
show(io::IO, n::Core.TypeName) = print(io, "typename(", n.wrapper, ")")
show(io::IO, x::CartesianIndex) = (print(io, "CartesianIndex"); show(io, length(x) == 1 ? x.I : x.I))
show(io::IO, ::Colon) = print(io, "Colon()")
show(io::IO, r::RoundingMode{T}) where {T} = print(io, "RoundingMode{:", T, "}()")
function show(io::IO, x::Some)
    known = get(io, :typeinfo, Any) == typeof(x)
    print(io, known ? "" : "Some(")
    show(io, x.value)
    print(io, known ? "" : ")")
end
show(io::IO, x::RefValue) = (print(io, typeof(x), "("); isdefined(x, :x) ? show(io, x.x) : print(io, "#undef"); print(io, ")"))
show(io::IO, p::Pairs) = (print(io, "pairs("); show(io, values(p)); print(io, ")"))
show(io::IO, @nospecialize(x)) = show_default(io, x)
function show_default(io::IO, @nospecialize(x))
    T = typeof(x)
    print(io, T, "(")
    isprimitivetype(T) ? show_bytes(io, x) : isbitstype(T) ? show_fields(io, x) : show_circular(io, x) || show_fields(within(io, x), x)
    print(io, ")")
end
# The bytes of a value without fields, the most significant first.
function show_bytes(io, @nospecialize(x))
    print(io, "0x")
    for b in reverse(reinterpret(NTuple{sizeof(x), UInt8}, x))
        print(io, string(b, base = 16, pad = 2))
    end
end
function show_fields(io, x)
    for i in 1:nfields(x)
        i > 1 && print(io, ", ")
        isdefined(x, i) ? show(io, getfield(x, i)) : print(io, "#undef")
    end
end


# Functions that are made of others.
show_operand(io, f) = show(io, f)
show_operand(io, f::Function) = isoperator(nameof(f)) ? print(io, "(", nameof(f), ")") : show(io, f)
show_operand(io, f::ComposedFunction{typeof(!)}) = show(io, f)
show_operand(io, f::ComposedFunction) = (print(io, "("); show(io, f); print(io, ")"))
function show(io::IO, c::ComposedFunction)
    c.outer isa ComposedFunction ? show(io, c.outer) : show_operand(io, c.outer)
    print(io, " ∘ ")
    show_operand(io, c.inner)
end
show(io::IO, c::ComposedFunction{typeof(!)}) = (print(io, "!"); show_operand(io, c.inner))
show(io::IO, ::MIME"text/plain", c::ComposedFunction) = show(io, c)
show(io::IO, s::Splat) = (print(io, "splat("); show(io, s.f); print(io, ")"))
show(io::IO, ::MIME"text/plain", s::Splat) = show(io, s)
show(io::IO, r::Returns) = (print(io, typeof(r), "("); show(io, r.value); print(io, ")"))
