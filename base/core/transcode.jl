# Text between encodings: UTF-8 as bytes, UTF-16, and code points of 32 bits.

transcode(::Type{T}, src::AbstractVector{T}) where {T <: Union{UInt8, UInt16, UInt32, Int32}} = src
transcode(::Type{T}, src::String) where {T <: Union{Int32, UInt32}} = T[T(c) for c in src]
transcode(::Type{T}, src::AbstractVector{UInt8}) where {T <: Union{Int32, UInt32}} = transcode(T, String(Vector(src)))
transcode(::Type{T}, src::CodeUnits{UInt8, String}) where {T <: Union{Int32, UInt32}} = transcode(T, String(src))
transcode(::Type{UInt8}, src::Vector{<:Union{Int32, UInt32}}) = Vector{UInt8}(transcode(String, src))
transcode(::Type{String}, src::String) = src
transcode(T, src::String) = transcode(T, codeunits(src))
transcode(::Type{String}, src::AbstractVector{UInt8}) = String(copy(Vector{UInt8}(src)))
transcode(::Type{String}, src::CodeUnits{UInt8, String}) = src.s
transcode(::Type{String}, src::Vector{<:Union{Int32, UInt32}}) = sprint_chars(Char(UInt32(u)) for u in src)
transcode(::Type{String}, src) = String(transcode(UInt8, src))
transcode(::Type{UInt16}, src::Vector{<:Union{Int32, UInt32}}) = transcode(UInt16, transcode(UInt8, src))
transcode(::Type{T}, src::AbstractVector{UInt16}) where {T <: Union{Int32, UInt32}} = transcode(T, transcode(UInt8, src))
# Sequences of two to four bytes become one or two units, also where fewer bytes would have done. Bytes that are part of no
# sequence go over one by one.
function transcode(::Type{UInt16}, src::AbstractVector{UInt8})
    out = UInt16[]
    sizehint!(out, length(src))
    i, n = firstindex(src), lastindex(src)
    while i <= n
        a = src[i]
        wanted = a < 0xc0 || a > 0xf4 ? 0 : a < 0xe0 ? 1 : a < 0xf0 ? 2 : 3
        u = UInt32(wanted == 0 ? a : a & (0x7f >> (wanted + 1)))
        found = 0
        while found < wanted && i + found < n
            b = src[i + found + 1]
            # Nothing follows that is above the last code point.
            b & 0xc0 == 0x80 && !(a == 0xf4 && found == 0 && b > 0x8f) || break
            u = u << 6 | (b & 0x3f)
            found += 1
        end
        if found < wanted
            append!(out, view(src, i:(i + found)))
        elseif u <= 0xffff
            push!(out, u % UInt16)
        else
            u -= 0x10000
            push!(out, 0xd800 | (u >> 10) % UInt16, 0xdc00 | (u & 0x3ff) % UInt16)
        end
        i += found + 1
    end
    out
end
function transcode(::Type{UInt8}, src::AbstractVector{UInt16})
    io = IOBuffer()
    i, n = firstindex(src), lastindex(src)
    while i <= n
        u = src[i]
        if u & 0xfc00 == 0xd800 && i < n && src[i + 1] & 0xfc00 == 0xdc00
            write(io, Char(0x10000 + ((UInt32(u) & 0x3ff) << 10 | UInt32(src[i + 1]) & 0x3ff)))
            i += 2
        else
            write(io, Char(UInt32(u)))
            i += 1
        end
    end
    take!(io)
end
