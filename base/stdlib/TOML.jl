# TOML: reading is the runtime's, which reads project files too; writing is here.
module TOML

using Base: UnsupportedError

public parse, parsefile, tryparse, tryparsefile, print, Parser, ParserError

"""
    TOML.ParserError

A text is not TOML: the message begins with file and line.
"""
struct ParserError <: Exception
    msg::String
end
Base.showerror(io::IO, e::ParserError) = Base.print(io, "TOML Parser error:\n", e.msg)

# A parser has no state: it is accepted where programs pass one.
struct Parser end

function read_text(text::String, file::String)
    try
        return Base.parse_toml(text, file)
    catch e
        e isa ArgumentError || rethrow()
        return ParserError(e.msg)
    end
end
unless_wrong(x) = x isa ParserError ? throw(x) : x

"""
    TOML.parse(text)

The tables of a text, as dictionaries. `tryparse` returns a `ParserError` where this throws it.
"""
parse(text::AbstractString) = unless_wrong(tryparse(text))
parse(io::IO) = parse(read(io, String))
parse(::Parser, x) = parse(x)
tryparse(text::AbstractString) = read_text(String(text), "none")
tryparse(io::IO) = tryparse(read(io, String))
tryparse(::Parser, x) = tryparse(x)
"""
    TOML.parsefile(path)

The tables of a file, as dictionaries.
"""
parsefile(path::AbstractString) = unless_wrong(tryparsefile(path))
parsefile(::Parser, path::AbstractString) = parsefile(path)
tryparsefile(path::AbstractString) = read_text(read(path, String), abspath(path))
tryparsefile(::Parser, path::AbstractString) = tryparsefile(path)

is_bare(key) = !isempty(key) && all(c -> isascii(c) && (isletter(c) || isdigit(c) || c == '_' || c == '-'), key)
print_key(io, key) = is_bare(key) ? Base.print(io, key) : print_text(io, key)
function print_text(io, text)
    Base.print(io, '"')
    for c in text
        c == '"' ? Base.print(io, "\\\"") : c == '\\' ? Base.print(io, "\\\\") : c == '\n' ? Base.print(io, "\\n") :
            c == '\t' ? Base.print(io, "\\t") : c == '\r' ? Base.print(io, "\\r") :
            c < ' ' || c == '\x7f' ? Base.print(io, "\\u", string(UInt32(c); base = 16, pad = 4)) : Base.print(io, c)
    end
    Base.print(io, '"')
end
print_value(io, x::AbstractString, change) = print_text(io, x)
print_value(io, x::Union{Bool, Integer}, change) = Base.print(io, x)
print_value(io, x::AbstractFloat, change) = Base.print(io, isnan(x) ? "nan" : x == Inf ? "+inf" : x == -Inf ? "-inf" : string(Float64(x)))
function print_value(io, x::AbstractVector, change)
    Base.print(io, '[')
    for (i, item) in enumerate(x)
        i == 1 || Base.print(io, ", ")
        print_value(io, item, change)
    end
    Base.print(io, ']')
end
function print_value(io, x::AbstractDict, change)
    Base.print(io, '{')
    for (i, (key, value)) in enumerate(pairs(x))
        i == 1 || Base.print(io, ", ")
        print_key(io, string(key))
        Base.print(io, " = ")
        print_value(io, value, change)
    end
    Base.print(io, '}')
end
function print_value(io, x, change)
    change === nothing && throw(ArgumentError(string("type `", typeof(x), "` is not a valid TOML value; pass a function that makes it one")))
    print_value(io, change(x), nothing)
end

is_table(x) = x isa AbstractDict
is_list_of_tables(x) = x isa AbstractVector && !isempty(x) && all(is_table, x)
function print_table(io, table, path, (change, sorted, by))
    names = collect(keys(table))
    sorted && sort!(names; by = by)
    for name in names
        value = table[name]
        is_table(value) || is_list_of_tables(value) || (print_key(io, string(name)); Base.print(io, " = "); print_value(io, value, change); println(io))
    end
    for name in names
        value = table[name]
        below = [path; string(name)]
        header() = join([sprint(print_key, it) for it in below], '.')
        if is_table(value)
            # A table that has only tables needs no header of its own.
            if isempty(value) || any(it -> !is_table(it) && !is_list_of_tables(it), values(value))
                position(io) == 0 || println(io)
                println(io, '[', header(), ']')
            end
            print_table(io, value, below, (change, sorted, by))
        elseif is_list_of_tables(value)
            for item in value
                position(io) == 0 || println(io)
                println(io, "[[", header(), "]]")
                print_table(io, item, below, (change, sorted, by))
            end
        end
    end
end

"""
    TOML.print([to_toml], [io], dict; sorted = false, by = identity)

Writes tables as TOML. `to_toml` makes a value that TOML can have of one that it cannot.
"""
function print(change::Union{Function, Nothing}, io::IO, data::AbstractDict; sorted::Bool = false, by = identity)
    text = IOBuffer()
    print_table(text, data, String[], (change, sorted, by))
    write(io, take!(text))
    nothing
end
print(change::Function, data::AbstractDict; kws...) = print(change, stdout, data; kws...)
print(io::IO, data::AbstractDict; kws...) = print(nothing, io, data; kws...)
print(data::AbstractDict; kws...) = print(stdout, data; kws...)

end
