# A JSON parser of a page, and the same in json.py.
include("timed.jl")
mutable struct Parser
    text::String
    at::Int
end
function skip_space(p::Parser)
    while p.at <= ncodeunits(p.text) && codeunit(p.text, p.at) in (0x20, 0x0a, 0x0d, 0x09)
        p.at += 1
    end
end
function parse_value(p::Parser)
    skip_space(p)
    c = codeunit(p.text, p.at)
    if c == UInt8('{')
        parse_object(p)
    elseif c == UInt8('[')
        parse_array(p)
    elseif c == UInt8('"')
        parse_text(p)
    elseif c == UInt8('t')
        p.at += 4
        true
    elseif c == UInt8('f')
        p.at += 5
        false
    elseif c == UInt8('n')
        p.at += 4
        nothing
    else
        parse_number(p)
    end
end
function parse_object(p::Parser)
    out = Dict{String, Any}()
    p.at += 1
    skip_space(p)
    while codeunit(p.text, p.at) != UInt8('}')
        skip_space(p)
        key = parse_text(p)
        skip_space(p)
        p.at += 1
        out[key] = parse_value(p)
        skip_space(p)
        codeunit(p.text, p.at) == UInt8(',') && (p.at += 1)
    end
    p.at += 1
    out
end
function parse_array(p::Parser)
    out = Any[]
    p.at += 1
    skip_space(p)
    while codeunit(p.text, p.at) != UInt8(']')
        push!(out, parse_value(p))
        skip_space(p)
        codeunit(p.text, p.at) == UInt8(',') && (p.at += 1)
    end
    p.at += 1
    out
end
function parse_text(p::Parser)
    start = p.at + 1
    at = start
    while codeunit(p.text, at) != UInt8('"')
        at += 1
    end
    p.at = at + 1
    p.text[start:(at - 1)]
end
function parse_number(p::Parser)
    start = p.at
    is_float = false
    while p.at <= ncodeunits(p.text)
        c = codeunit(p.text, p.at)
        if c == UInt8('.') || c == UInt8('e')
            is_float = true
        elseif !(UInt8('0') <= c <= UInt8('9') || c == UInt8('-'))
            break
        end
        p.at += 1
    end
    word = SubString(p.text, start, p.at - 1)
    is_float ? parse(Float64, word) : parse(Int, word)
end
total(x::Bool) = x ? 1 : 0
total(x::Number) = x
total(x::String) = length(x)
total(x::Nothing) = 0
total(x::Vector) = sum(total, x; init = 0)
total(x::Dict) = sum(total, values(x); init = 0)
function parsed(n, path)
    value = parse_value(Parser(read(path, String), 1))
    string(length(value), " ", sum(x -> floor(Int, total(x)), value))
end
timed(parsed)
