# Output from kernels. What an item prints is printed by the host while the kernel runs: the pieces of one call together,
# those of one item in its order. Outside a kernel these print at once.

import Printf

# As on a GPU, where the pieces go through C's `printf`: floating point numbers have six decimals, a `Bool` is 0 or 1, an
# `Int8` is a character. What it has no format for is shown as Julia shows it, except memory of the device.
cuprint_piece(io::IO, x) = holds_pointer(typeof(x)) ? print(io, typeof(x), "(...)") : print(io, x)
cuprint_piece(io::IO, x::Union{Float32,Float64}) = print(io, Printf.@sprintf("%f", x))
cuprint_piece(io::IO, x::Bool) = print(io, Int(x))
cuprint_piece(io::IO, x::Int8) = print(io, Char(x % UInt8))
cuprint_piece(io::IO, x::Union{Ptr,LLVMPtr}) = print(io, "0x", string(reinterpret(UInt, x); base = 16))
function cuprint_piece(io::IO, xs::Tuple)
    print(io, "(")
    for (i, x) in enumerate(xs)
        i == 1 || print(io, ", ")
        cuprint_piece(io, x)
    end
    print(io, length(xs) == 1 ? ",)" : ")")
end

holds_pointer(T) = T <: Union{Ptr,LLVMPtr} || isconcretetype(T) && any(holds_pointer, fieldtypes(T))

function cuprint_pieces(pieces...)
    text = IOBuffer()
    foreach(x -> cuprint_piece(text, x), pieces)
    print(String(take!(text)))
end

# Lengths such as the `l` of `%ld` are accepted and say nothing: the values have their types.
cuprintf_text(format, args...) = print(Printf.format(Printf.Format(format), args...))

# Literals are part of the text: they print as they are written. The text of one call is in one piece.
function cuprint_call(parts)
    pieces = Any[]
    for part in Device.flatten_parts(parts)
        value = part isa QuoteNode ? part.value : part
        if part isa Union{Expr,Symbol}
            push!(pieces, esc(part))
        elseif !isempty(pieces) && last(pieces) isa String
            pieces[end] = string(pieces[end], value)
        else
            push!(pieces, string(value))
        end
    end
    return Device.report_call(cuprint_pieces, pieces)
end

macro cuprint(parts...)
    Base.@keep_expansions
    return cuprint_call(parts)
end
macro cuprintln(parts...)
    Base.@keep_expansions
    return cuprint_call((parts..., "\n"))
end
macro cuprintf(format::String, args...)
    Base.@keep_expansions
    return Expr(:block, Device.report_call(cuprintf_text, Any[format, map(esc, args)...]), Int32(length(args)))
end
macro cushow(exs...)
    Base.@keep_expansions place
    shown = Any[]
    for ex in exs
        push!(shown, :(value = $(esc(ex))))
        text = string(sprint(Base.show_unquoted, ex), " = ")
        push!(shown, Device.report_call(cuprint_pieces, Any[text, :value, "\n"]))
    end
    isempty(exs) || push!(shown, :value)
    return Expr(:block, shown...)
end
macro cuassert(cond, msg = nothing)
    Base.@keep_expansions place
    text = msg === nothing ? string(cond) : msg
    return :($(esc(cond)) ? nothing : throw(AssertionError($(esc(text)))))
end
